"""Baselines: files with known findings, so that `nirls check` reports only what is new.

A finding is known by its file, the stage of its shader, its code, and what it states without the numbers of
values: lines may move and values may be renumbered. Of several equal ones, as many are known as there were.
A pass that failed is never known: what it would find is not.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.documents.shown_findings import facts_of
from nirls.server.engine.files.input_files import InputError, read_bytes
from nirls.server.engine.files.located_findings import LocatedFinding
from nirls.server.engine.pipelines.dump_facts import dump_facts
from nirls.server.engine.settings.structuring import converter, structure

_VERSION: Final = 1
_READER: Final = converter(forbid_extra_keys=True)


class FindingKey(NamedTuple):
    """The content by which a finding is known again. `file` is relative to the folder of the baseline."""

    file: str
    stage: str
    code: str
    statement: str


@dataclass(frozen=True, slots=True)
class _Entry:
    file: str = ""
    stage: str = ""
    code: str = ""
    statement: str = ""
    count: int = 1

    @property
    def key(self) -> FindingKey:
        return FindingKey(self.file, self.stage, self.code, self.statement)


@dataclass(frozen=True, slots=True)
class _Content:
    version: int = 0
    findings: list[_Entry | None] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class NewFindings:
    """The findings that a baseline does not have, the number of those it has, and of those that are gone.

    Only findings of checked files can be gone.
    """

    findings: tuple[LocatedFinding, ...]
    known: int
    gone: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The known findings with their numbers, and the folder that file names are relative to."""

    folder: Path
    counts: Counter[FindingKey]

    @classmethod
    def of(cls, findings: Iterable[LocatedFinding], folder: Path) -> Baseline:
        """Create a baseline that has these findings, without those of passes that failed."""
        return cls(folder, Counter(_key(one, folder) for one in findings if not _has_failed(one)))

    @classmethod
    def read(cls, path: Path) -> Baseline:
        """Read a baseline. Raises InputError for a file that is none."""
        try:
            data = json.loads(read_bytes(path))
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: this is no baseline, because it is no JSON: {error}") from None
        version = data.get("version") if isinstance(data, dict) else None
        if type(version) is not int:
            raise InputError(f"{path}: this is no baseline; `nirls check --write-baseline` writes one")
        if version != _VERSION:
            raise InputError(f"{path}: a baseline of version {version}; this nirls reads version {_VERSION}")
        content, problems = structure(data, _Content, _READER)
        if problems:
            raise InputError(f"{path}: {problems[0]}")
        counts: Counter[FindingKey] = Counter()
        for number, entry in enumerate(content.findings):
            if entry is None or not entry.code or entry.count < 1:
                raise InputError(f"{path}: findings[{number}]: a code and a positive count are needed")
            counts[entry.key] += entry.count
        return cls(path.parent, counts)

    def text(self) -> str:
        """Format the baseline as JSON, sorted, with one line a finding, for reviews and merges."""
        rows = [json.dumps({**key._asdict(), "count": count}) for key, count in sorted(self.counts.items())]
        listed = "[\n    " + ",\n    ".join(rows) + "\n  ]" if rows else "[]"
        return f'{{\n  "version": {_VERSION},\n  "findings": {listed}\n}}\n'

    def new_among(self, findings: Sequence[LocatedFinding], checked: Iterable[str]) -> NewFindings:
        """Leave out the findings that the baseline has; `checked` are the names of all checked files."""
        left = self.counts.copy()
        new = []
        for one in findings:
            key = _key(one, self.folder)
            if left[key] and not _has_failed(one):
                left[key] -= 1
            else:
                new.append(one)
        names = {_relative(name, self.folder) for name in checked}
        gone = sum(count for key, count in left.items() if key.file in names)
        return NewFindings(tuple(new), len(findings) - len(new), gone)


def _has_failed(located: LocatedFinding) -> bool:
    return located.finding.code == PASS_FAILED.code


def _key(located: LocatedFinding, folder: Path) -> FindingKey:
    text = located.dump.piece.text
    (fact,) = facts_of([located.finding], text)
    stage = dump_facts(text).stage
    return FindingKey(
        _relative(located.file, folder),
        "" if stage is None else stage.abbreviation,
        fact.code,
        fact.statement,
    )


def _relative(name: str, folder: Path) -> str:
    """Return the name of a file relative to a folder, the same wherever the command runs."""
    path = Path(name)
    if not path.exists():  # standard input
        return name
    try:
        return Path(os.path.relpath(path.resolve(), folder.resolve())).as_posix()
    except ValueError:  # another drive
        return path.resolve().as_posix()
