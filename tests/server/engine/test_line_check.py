"""What is known after an edit in one line is what a look at the whole dump says."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nirls.ir.finding import Finding
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.checking import CheckSettings, text_findings
from nirls.server.engine.document import Splice
from nirls.server.engine.line_check import CheckedEdit, problems_after
from tools.synthetic import vertex_dump

SETTINGS = CheckSettings()
LETTERS = "afx%0129.,()= \n/*{}"


def problems_of(text: bytes) -> tuple[Finding, ...]:
    return tuple(text_findings(parse_dump(text), SETTINGS))


def after(before: bytes, start: int, end: int, new: bytes) -> tuple[bytes, tuple[Finding, ...] | None]:
    text = before[:start] + new + before[end:]
    edit = CheckedEdit(before, problems_of(before), Splice(start, end, start + len(new)))
    return text, problems_after(edit, text, SETTINGS)


def edited(
    before: bytes, old: bytes, new: bytes, behind: bytes = b""
) -> tuple[bytes, tuple[Finding, ...] | None]:
    place = before.index(old, before.index(behind))
    return after(before, place, place + len(old), new)


DUMP = vertex_dump(60).encode()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b" fadd ", b" afadd "),
        (b" fadd ", b" iadd "),
        (b" fadd ", b" fsqrt "),
        (b" fadd ", b" vec3 "),
        (b"fmul %", b"fmul  %"),
        (b"fmul", b"b2f32"),
        (b",", b".y,"),
    ],
)
def test_typing_an_operation_takes_its_line_only(old: bytes, new: bytes) -> None:
    place = DUMP.index(old, DUMP.index(b" fadd "))
    text, found = after(DUMP, place, place + len(old), new)
    assert found is not None
    assert found == problems_of(text)
    back, again = after(text, place, place + len(new), old)
    assert back == DUMP
    assert again == problems_of(DUMP) == ()


@pytest.mark.parametrize(
    ("old", "new", "behind"),
    [
        (b"%9", b"%8", b"fmul"),  # another operand
        (b"%12 =", b"%120 =", b""),  # another value
        (b"32    %12 =", b"16    %12 =", b""),  # of another size
        (b"fmul", b"", b""),  # no instruction
        (b"fmul", b"fmul %1\n    32 %99 = fadd", b""),  # two lines
        (b"fmul", b"/* fmul", b""),  # a comment that goes on
        (b"fmul", b"@fmul", b""),  # an intrinsic
        (b"fmul", b"load_const", b""),
        (b"load_const", b"fmul", b""),
        (b"@load_input", b"@load_in", b""),
        (b"VERTEX", b"VERTEXY", b""),
    ],
)
def test_all_else_takes_a_look_at_all(old: bytes, new: bytes, behind: bytes) -> None:
    assert edited(DUMP, old, new, behind)[1] is None


def test_a_name_that_is_unknown_twice_is_left_to_the_whole() -> None:
    one, _ = edited(DUMP, b" fadd ", b" bogus ")
    assert edited(one, b" fadd ", b" bogus ", b"bogus")[1] is None
    two = edited(one, b" fadd ", b" bogus ", b"bogus")[0]
    assert edited(two, b" bogus ", b" fadd ")[1] is None


def test_other_problems_move_with_the_text() -> None:
    broken = DUMP.replace(b"    block b1:", b"    no NIR at all\n    block b1:")
    assert problems_of(broken)
    text, found = edited(broken, b" fmul ", b" wrong_name ")
    assert found == problems_of(text)
    assert len(found or ()) == len(problems_of(broken)) + 1


def test_edits_of_random_letters(corpus: Path) -> None:
    files = sorted((corpus / "pipelines").glob("*/*/*.ssa.nir"))
    assert files
    source = random.Random(5)
    counts = {"quick": 0, "whole": 0}
    for path in source.sample(files, 12):
        text = path.read_bytes()
        if len(text) > 40_000:
            continue
        problems = problems_of(text)
        for _ in range(25):
            start = source.randrange(len(text))
            end = min(len(text), start + source.choice((0, 0, 1, 3)))
            new = "".join(source.choices(LETTERS, k=source.choice((0, 1, 1, 2)))).encode()
            changed = text[:start] + new + text[end:]
            edit = CheckedEdit(text, problems, Splice(start, end, start + len(new)))
            found = problems_after(edit, changed, SETTINGS)
            if found is None:
                counts["whole"] += 1
                continue
            counts["quick"] += 1
            assert found == problems_of(changed), (path, start, end, new)
            text, problems = changed, found
    assert counts["quick"] > 10, counts
