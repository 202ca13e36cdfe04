"""Logs of real drivers: dumps read, errors, links, shaders emptied, results unchecked, divergence.

The logs are the files and archives in the folder `drivers` of the corpus, or in the given folder itself if it
has none. A row's first word is the driver: the name of a log up to the first `_` or `.`. A dump that is
printed several times counts once.
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
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.print_shader import print_shader
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.translation_validation import Different, Unchecked, ValidationOptions, validate_pass
from nirls.server.engine.document import Snapshot
from nirls.server.engine.dump_facts import dump_facts
from nirls.server.engine.pipelines import LinkableDocument, find_pipelines
from tools.corpus.tally import Outcome, Tally, Task

CLEAN_UP = ("opt_dce", "opt_cse", "copy_prop", "opt_constant_folding", "opt_dead_cf")
_SECONDS = 2.0
_VALIDATED_EVERY = 10


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


def count_log(name: str, data: bytes, every: int = _VALIDATED_EVERY) -> Tally:
    """Count everything about one log. Passes are validated on every `every`th dump, on none for 0."""
    driver = name.partition(".")[0].partition("_")[0].rstrip("0123456789")
    tally = Tally()
    texts = [dump.piece.text for dump in Snapshot.of(data).dumps()]
    tally.add(f"{driver}: logs with dumps", "right" if texts else "other", "" if texts else name)
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
        one.count_emptied()
        one.count_divergence()
        if every and number % every == 0:
            one.count_verdicts()
    return tally


def count_links(tally: Tally, driver: str, name: str, texts: Sequence[bytes]) -> None:
    """Count the linked stages of a log; a link of two lowering levels is wrong."""
    facts = tuple(map(dump_facts, texts))
    for pipeline in find_pipelines([LinkableDocument(name, None, facts)]):
        members = [member.dump.number for member in pipeline.members]
        for first, second in pairwise(members):
            levels = facts[first].level, facts[second].level
            is_same = None in levels or levels[0] == levels[1]
            note = "" if is_same else f"{name}#{first + 1} to #{second + 1}: {levels}"
            tally.add(f"{driver}: links of one level", "right" if is_same else "wrong", note)


class _Dump:
    """A dump to count."""

    def __init__(self, tally: Tally, driver: str, place: str, shader: Shader) -> None:
        self.tally = tally
        self.driver = driver
        self.place = place
        self.shader = shader

    def note(self, row: str, outcome: Outcome, detail: str | None = None) -> None:
        note = "" if detail is None else f"{self.place}: {detail}"
        self.tally.add(f"{self.driver}: {row}", outcome, note)

    def count_text(self, text: bytes) -> None:
        is_kept = print_shader(self.shader) == text
        self.note("printed byte for byte", "right" if is_kept else "wrong", None if is_kept else "")
        damage = self.shader.damage
        self.note("whole", *(("right",) if damage is None else ("other", damage.text)))
        if damage is not None:
            return
        errors = [problem for problem in validate(self.shader) if problem.severity == "error"]
        self.note("without an error", *(("other", str(errors[0])) if errors else ("right",)))

    def count_emptied(self) -> None:
        """Whether the removal of dead control flow leaves a shader with something to do."""
        result = clone_shader(self.shader)
        declared = registry.find("opt_dead_cf")
        is_emptied = (
            declared is not None
            and declared.applies_to([result])
            and bool(declared().run([result]))
            and has_effects(self.shader)
            and not has_effects(result)
        )
        self.note(
            "not emptied by opt_dead_cf", "other" if is_emptied else "right", "" if is_emptied else None
        )

    def count_divergence(self) -> None:
        found = agreement(self.shader)
        self.tally.add(f"{self.driver}: values with con or div", "right", times=found.values_equal)
        for value in found.differing_values:
            instr = value.instr
            span = None if instr is None else instr.span
            line = b"" if span is None else self.shader.source[span.start : span.end]
            self.note("values with con or div", "other", line.decode("utf-8", "replace"))

    def count_verdicts(self) -> None:
        options = ValidationOptions(runs=1, most_runs=1, time_budget=_SECONDS)
        verdict = validate_pass(self.shader, clone_shader(self.shader), options)
        is_unchecked = isinstance(verdict, Unchecked)
        self.note("can be run", *(("other", str(verdict)) if is_unchecked else ("right",)))
        for name in CLEAN_UP:
            declared = registry.find(name)
            result = clone_shader(self.shader)
            if declared is None or not declared.applies_to([result]) or not declared().run([result]):
                continue
            verdict = validate_pass(self.shader, result, ValidationOptions(time_budget=_SECONDS))
            if isinstance(verdict, Different):
                self.note("verdicts", "wrong", f"{name}: {verdict}")
            elif isinstance(verdict, Unchecked):
                self.note("verdicts", "other", f"{name}: {verdict}")
            else:
                self.note("verdicts", "right")
                if verdict.same_expressions:
                    self.note("verdicts without a run", "right")


def has_effects(shader: Shader) -> bool:
    """Whether any intrinsic has no result, which a shader that does anything needs."""
    return any(
        isinstance(instr, IntrinsicInstr) and instr.def_ is None
        for impl in shader.impls()
        for instr in impl.instrs()
    )
