"""Control flow of a patch's functions, as valid text."""

from __future__ import annotations

import random

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from tools.random_shaders.patch_body import PatchBody


def test_branches_and_loops_nest() -> None:
    body = PatchBody(random.Random(3), "VERTEX")
    body.scope.own.append(body.even())

    def inner(counter: int) -> None:
        body.compute(3)
        body.branch(body.define("1", f"ige %{counter}, %{body.zero}"), lambda: body.compute(2))

    body.loop(3, inner)
    body.compute(4, even=True)
    shader = parse_dump(body.text("", "").encode())
    assert not shader.unreadable
    assert [problem for problem in validate(shader) if problem.severity == "error"] == []
    assert shader.source.count(b"loop {") == 1
