"""Lines are read once, and forgotten in the end."""

from __future__ import annotations

import pytest

from nirls.ir.text.lowering import tree
from nirls.ir.text.lowering.known_lines import KnownLines
from nirls.ir.text.lowering.records import LineRecord, UndefRecord
from nirls.ir.text.parse import parse_dump

DUMP = "shader: MESA_SHADER_COMPUTE\nimpl main {\n    block b0:\n%s\n}\n"
RECORD = LineRecord(UndefRecord(None), 10, None)


def read(known: KnownLines, *lines: bytes) -> int:
    """How many lines of a dump had to be read."""
    known.begin_dump()
    missed = [line for line in lines if known.get(line) is None]
    for line in missed:
        known.add(line, RECORD)
    return len(missed)


def test_a_line_is_read_once() -> None:
    known = KnownLines()
    assert read(known, b"one", b"two") == 2
    assert read(known, b"two", b"three", b"one") == 1
    assert known.get(b"one") is RECORD


def test_what_each_dump_repeats_stays_and_all_else_goes() -> None:
    known = KnownLines(most=100)
    for number in range(200):
        assert read(known, b"repeated", b"line %d" % number) == 1 + (number == 0)
        assert len(known) < 40
    assert known.get(b"line 3") is None


def test_a_dump_of_any_size_is_known_when_it_is_read_again() -> None:
    known = KnownLines(most=100)
    lines = [b"line %d" % number for number in range(1000)]
    assert read(known, *lines) == 1000
    assert read(known, *lines[:500], b"edited", *lines[501:]) == 1
    assert read(known, *lines[:500], b"edited", *lines[501:]) == 0


def test_dumps_that_are_read_for_ever_take_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    known = KnownLines(most=1000)
    monkeypatch.setattr(tree, "_LINES", known)
    for number in range(100):
        lines = "\n".join(f"        32    %{index} = fneg %{number}" for index in range(100))
        shader = parse_dump((DUMP % lines).encode())
        assert sum(len(list(block)) for impl in shader.impls() for block in impl.blocks()) == 100
    assert len(known) <= 200
