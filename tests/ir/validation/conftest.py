"""Small dumps with carets under what is wrong."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import KINDS, validate

Check = Callable[..., None]


def split_carets(marked: str) -> tuple[bytes, list[tuple[int, int]]]:
    """A dump without its caret lines, and the byte ranges that the carets underline."""
    text, places, line_start = "", [], 0
    for line in marked.splitlines(keepends=True):
        if line.strip() and not line.strip(" ^\n"):
            places.append((line_start + line.index("^"), line_start + line.rindex("^") + 1))
        else:
            line_start = len(text)
            text += line
    return text.encode(), places


def modern_dump(body: str, stage: str, declarations: str) -> str:
    """A dump with `body` as the instructions of its only block, or as all blocks where it has some."""
    body = textwrap.dedent(body).strip("\n")
    if "block" not in body:
        body = f"block b0:  // preds:\n{textwrap.indent(body, '    ')}\n      // succs: b1\nblock b1:"
    body = textwrap.indent(body, "    ")
    declarations = textwrap.dedent(declarations).strip("\n")
    separator = "\n" if declarations else ""
    return (
        f"shader: MESA_SHADER_{stage}\nname: test\n{declarations}{separator}"
        f"decl_function main () (entrypoint)\n\nimpl main {{\n{body}\n}}\n"
    )


def classic_dump(body: str, stage: str, declarations: str) -> str:
    """The same in the classic or old dialect, which the instructions decide."""
    body = textwrap.dedent(body).strip("\n")
    if "block" not in body:
        lines = textwrap.indent(body, "    ")
        body = f"block block_0:\n/* preds: */\n{lines}\n/* succs: block_1 */\nblock block_1:"
    declarations = textwrap.dedent(declarations).strip("\n")
    separator = "\n" if declarations else ""
    return (
        f"shader: MESA_SHADER_{stage}\nname: test\n{declarations}{separator}"
        f"decl_function main (0 params)\n\nimpl main {{\n{textwrap.indent(body, '    ')}\n}}\n"
    )


def dump_of(body: str, stage: str, declarations: str) -> str:
    if body.startswith("shader:"):
        return body
    make = classic_dump if "ssa_" in body or "block_" in body or " r0" in body else modern_dump
    return make(body, stage, declarations)


@pytest.fixture(scope="session")
def check() -> Check:
    """`check(code, body)`: exactly the places under carets have a problem, with that code."""

    def run(
        code: str, body: str, *, stage: str = "FRAGMENT", declarations: str = "", severity: str = ""
    ) -> None:
        text, places = split_carets(dump_of(body, stage, declarations))
        shader = parse_dump(text)
        problems = validate(shader)
        assert places, "no carets"
        assert [(problem.code, problem.place.start, problem.place.end) for problem in problems] == [
            (code, *place) for place in places
        ], problems
        assert {problem.severity for problem in problems} == {severity or KINDS[code].severity}

    return run


@pytest.fixture(scope="session")
def check_clean() -> Check:
    """`check_clean(body)`: nothing is wrong with the dump."""

    def run(body: str, *, stage: str = "FRAGMENT", declarations: str = "") -> None:
        text, places = split_carets(dump_of(body, stage, declarations))
        assert not places, "carets in a clean dump"
        shader = parse_dump(text)
        assert shader.impls() is not None
        assert validate(shader) == []
        assert any(True for impl in shader.impls() for _ in impl.blocks()), "nothing was read"

    return run
