"""Errors of `nirls check` in dumps that Mesa accepted, in a row for each driver.

The logs are those of the folders `drivers` and `drivers2` of the corpus; what people paste, in `pasted`, is
one more row. Each error is wrong, except those that Mesa printed itself. Damaged dumps count as other: they
were cut off, mixed, or printed from freed memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from nirls.ir.finding import Severity
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.server.engine.documents.document import Snapshot
from tools.corpus.drivers import driver_of, read_logs
from tools.corpus.tally import CaseTally, Outcome, Task


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a log or pasted text."""
    for folder in (corpus / "drivers", corpus / "drivers2"):
        if folder.is_dir():
            for name, data in read_logs(folder):
                yield partial(count_errors, driver_of(name), name, data)
    for path in sorted((corpus / "pasted").glob("*")):
        if path.is_file() and path.name != "README.md":
            yield partial(count_errors, "pasted", path.name, path.read_bytes())


def count_errors(source: str, name: str, data: bytes) -> CaseTally:
    """Count the dumps of a text without an error; a dump that is printed several times counts once."""
    tally = CaseTally()
    row = f"{source}: dumps without an error"
    texts = dict.fromkeys(dump.piece.text for dump in Snapshot.of(data).dumps())
    if not texts:
        tally.add(row, "other", f"{name}: no dump in it")
    for number, text in enumerate(texts, 1):
        shader = parse_dump(text)
        errors = [
            problem
            for problem in validate(shader)
            if problem.severity is Severity.ERROR and problem.code != "mesa-validation"
        ]
        outcome: Outcome = "right" if not errors else "wrong" if shader.damage is None else "other"
        note = f"{name}#{number}: {errors[0].code}: {errors[0].message}" if errors else ""
        tally.add(row, outcome, note)
    return tally
