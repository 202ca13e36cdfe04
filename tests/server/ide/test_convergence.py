"""Convergence in words."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.convergence import Convergence

BODY = """\
decl_function main () (entrypoint)

impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=float32, \
io location=VARYING_SLOT_VAR0 slots=1)
    32     %2 = fneg %1
    1      %3 = flt %2, %0
                // succs: b1 b2
    if %3 {
        block b1:   // preds: b0
                    // succs: b3
    } else {
        block b2:   // preds: b0
                    // succs: b3
    }
    block b3:   // preds: b1 b2
                // succs: b4
    block b4:
}
"""


def shader(stage: str, body: str = BODY) -> Shader:
    return parse_dump(f"shader: MESA_SHADER_{stage}\n{body}".encode())


def value(of: Shader, number: int) -> Def:
    (impl,) = of.impls()
    return next(one for one in impl.defs() if one.index == number)


@pytest.mark.parametrize(
    ("stage", "senses"),
    [
        ("FRAGMENT", ["subgroup"]),
        ("COMPUTE", ["subgroup"]),
        ("VERTEX", ["subgroup", "vertices of a primitive"]),
        ("GEOMETRY", ["subgroup", "vertices of a primitive"]),
    ],
)
def test_senses_of_a_stage(stage: str, senses: list[str]) -> None:
    given = shader(stage)
    lines = Convergence(given).of_value(value(given, 0))
    assert [line.partition(":")[0] for line in lines] == senses
    assert all("**convergent**" in line for line in lines)


def test_reasons_are_numbered() -> None:
    given = shader("FRAGMENT")
    (line,) = Convergence(given).of_value(value(given, 3))
    first, *reasons = line.split("\n    1. ")
    assert first == "subgroup: **divergent**"
    assert len(reasons) >= 2
    assert "%1" in reasons[-1] or "VAR0" in reasons[-1]


def test_a_long_chain_is_cut_in_the_middle() -> None:
    links = "".join(f"    32     %{number} = fneg %{number - 1}\n" for number in range(10, 60))
    body = BODY.replace(
        "    32     %2 = fneg %1\n", f"    32     %9 = fneg %1\n{links}    32     %2 = fneg %59\n"
    )
    given = shader("FRAGMENT", body)
    (line,) = Convergence(given).of_value(value(given, 2))
    reasons = line.split("\n    1. ")[1:]
    assert reasons[-2] == "..."
    assert len([one for one in reasons if one != "..."]) == 6


def test_blocks() -> None:
    given = shader("FRAGMENT")
    found = Convergence(given)
    (impl,) = given.impls()
    words = {block.index: found.of_block(block) for block in (*impl.blocks(), impl.end_block)}
    assert words[0] == words[3] == ["subgroup: uniform control flow"]
    assert words[1] == words[2] == ["subgroup: divergent control flow"]
    assert words[4] == []


def test_each_value_for_hints() -> None:
    given = shader("FRAGMENT")
    found = Convergence(given)
    assert [found.is_divergent(value(given, number)) for number in range(4)] == [False, True, True, True]
