"""Logs of real drivers: dumps read, errors, links, shaders emptied, results unchecked, divergence.

The logs are the files and archives in the folder `drivers` of the corpus, or in the given folder itself if it
has none. A row's first word is the driver: the name of a log up to the first `_` or `.`; the rows `all` are
the sums. A dump that is printed several times counts once. Verdicts are those of `nirls opt -p clean_up
--verify`.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from nirls.ir.analysis.divergence import agreement
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import errors_of, new_errors
from nirls.passes.cleanup.clean_up import CleanUp
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.pipelines.dump_facts import dump_facts
from nirls.server.engine.pipelines.pipelines import LinkableDocument, find_pipelines
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.tally import CaseTally, Outcome, Task


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a log."""
    folder = corpus / "drivers"
    for name, data in read_logs(folder if folder.is_dir() else corpus):
        yield partial(count_log, name, data)


def read_logs(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The logs in a folder and in its archives: name and content."""
    for path in sorted(folder.glob("*.log")):
        yield path.name, path.read_bytes()
    for path in sorted(folder.glob("*.tar.xz")):
        with tarfile.open(path) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    yield Path(member.name).name, content.read()


def driver_of(name: str) -> str:
    """The driver of a log: its name up to the first `_` or `.`, without the number of a chip."""
    return name.partition(".")[0].partition("_")[0].rstrip("0123456789")


def count_log(name: str, data: bytes, *, verifies: bool = True) -> CaseTally:
    """Count everything about one log, the verdicts on clean-up only if it `verifies`."""
    driver = driver_of(name)
    tally = CaseTally()
    texts = [dump.piece.text for dump in Snapshot.of(data).dumps()]
    _add(tally, driver, "logs with dumps", "right" if texts else "other", "" if texts else name)
    count_links(tally, driver, name, texts)
    seen: set[bytes] = set()
    for number, text in enumerate(texts, 1):
        if text in seen:
            continue
        seen.add(text)
        one = _Dump(tally, driver, f"{name}#{number}", parse_dump(text))
        one.count_text(text)
        if one.shader.damage is not None:
            continue
        one.count_divergence()
        one.count_clean_up(verifies=verifies)
    return tally


def count_links(tally: CaseTally, driver: str, name: str, texts: Sequence[bytes]) -> None:
    """Count the linked stages of a log; a link of two lowering levels is wrong."""
    facts = tuple(map(dump_facts, texts))
    for pipeline in find_pipelines([LinkableDocument(name, None, facts)]):
        members = [member.dump.number for member in pipeline.members]
        for first, second in pairwise(members):
            levels = facts[first].level, facts[second].level
            is_same = None in levels or levels[0] == levels[1]
            note = "" if is_same else f"{name}#{first + 1} to #{second + 1}: {levels}"
            _add(tally, driver, "links of one level", "right" if is_same else "wrong", note)


def _add(tally: CaseTally, driver: str, row: str, outcome: Outcome, note: str = "", times: int = 1) -> None:
    """Count a case for a driver, and for all."""
    tally.add(f"all: {row}", outcome, times=times)
    tally.add(f"{driver}: {row}", outcome, note, times)


class _Dump:
    """A dump to count."""

    def __init__(self, tally: CaseTally, driver: str, place: str, shader: Shader) -> None:
        self.tally = tally
        self.driver = driver
        self.place = place
        self.shader = shader

    def note(self, row: str, outcome: Outcome, detail: str | None = None) -> None:
        note = "" if detail is None else f"{self.place}: {detail}"
        _add(self.tally, self.driver, row, outcome, note)

    def count_text(self, text: bytes) -> None:
        is_kept = print_shader(self.shader) == text
        self.note("printed byte for byte", "right" if is_kept else "wrong", None if is_kept else "")
        damage = self.shader.damage
        self.note("whole", *(("right",) if damage is None else ("other", damage.reason)))
        if damage is not None:
            return
        errors = errors_of(self.shader)
        self.note("without an error", *(("other", str(errors[0])) if errors else ("right",)))

    def count_clean_up(self, *, verifies: bool) -> None:
        """Whether clean_up leaves a shader with something to do, and the verdict on its result."""
        result = clone_shader(self.shader)
        is_changed = CleanUp.applies_to([result]) and bool(CleanUp().run([result]))
        is_emptied = has_effects(self.shader) and not has_effects(result)
        self.note("not emptied by clean_up", "wrong" if is_emptied else "right", "" if is_emptied else None)
        if not is_changed or not verifies:
            return
        assumed = CleanUp().assumptions([self.shader])
        verdict = verify_shaders(self.shader, result, VerificationOptions(assumptions=assumed))
        if isinstance(verdict, Equivalent):
            self.note("verdicts on clean_up", "right")
            if verdict.same_expressions:
                self.note("verdicts on clean_up without a run", "right")
        else:
            is_wrong = isinstance(verdict, Different) or new_errors([self.shader], [result])
            self.note("verdicts on clean_up", "wrong" if is_wrong else "other", str(verdict))

    def count_divergence(self) -> None:
        found = agreement(self.shader)
        _add(self.tally, self.driver, "values with con or div", "right", times=found.values_equal)
        for value in found.differing_values:
            instr = value.instr
            span = None if instr is None else instr.span
            line = b"" if span is None else self.shader.source[span.start : span.end]
            self.note("values with con or div", "other", line.decode("utf-8", "replace"))


def has_effects(shader: Shader) -> bool:
    """Whether any intrinsic has no result, which a shader that does anything needs."""
    return any(isinstance(instr, IntrinsicInstr) and instr.def_ is None for instr in shader.instrs())
