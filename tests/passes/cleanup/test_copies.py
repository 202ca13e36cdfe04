from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.values import AluSrc
from nirls.passes.cleanup.copies import composed, copied_component, is_copy, whole_source
from tests.passes.expectation import parse_body


def instr(line: str) -> AluInstr:
    shader = parse_body(
        f"block b0:\n32x4 %0 = @load_frag_coord\n32 %1 = load_const (0)\n{line}\nblock b1:", valid=False
    )
    (impl,) = shader.impls()
    last = impl.start_block.last
    assert isinstance(last, AluInstr)
    return last


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("32x4 %9 = mov %0", True),
        ("32x2 %9 = vec2 %0.x, %1", True),
        ("32 %9 = fneg %1", False),
        ("32 %9 = mov.sat %1", False),
        ("32 %9 = mov -%1", False),
        ("32 %9 = mov abs(%1)", False),
        ("32x2 %9 = vec2 %0.x, -%1", False),
        ("32x3 %9 = vec2 %0.x, %1", False),
        ("32x2 %9 = unpack_half_2x16 %1", False),
    ],
)
def test_what_is_a_copy(line: str, expected: bool) -> None:
    assert is_copy(instr(line)) is expected


def test_where_components_come_from() -> None:
    move, vector = instr("32x2 %9 = mov %0.wz"), instr("32x2 %9 = vec2 %1, %0.y")
    assert copied_component(move, 0) == (move.sources[0].def_, 3)
    assert copied_component(vector, 1) == (vector.sources[1].def_, 1)


def test_copies_of_whole_values() -> None:
    for line in ("32x4 %9 = mov %0", "32x4 %9 = vec4 %0.x, %0.y, %0.z, %0.w", "32 %9 = mov %1"):
        copy = instr(line)
        assert whole_source(copy) is copy.sources[0].def_
    for line in ("32x3 %9 = mov %0.xyz", "32x4 %9 = mov %0.xyww", "32x2 %9 = vec2 %1, %1"):
        assert whole_source(instr(line)) is None


def test_reading_through_a_copy() -> None:
    copy = instr("32x3 %9 = vec3 %0.w, %0.x, %1")
    frag_coord, constant = copy.sources[0].def_, copy.sources[2].def_
    assert composed(AluSrc(copy.def_, (1, 0)), copy) == (frag_coord, (0, 3))
    assert composed(AluSrc(copy.def_, (2,)), copy) == (constant, (0,))
    assert composed(AluSrc(copy.def_, (0, 2)), copy) is None
    assert composed(AluSrc(copy.def_, (3,)), copy) is None  # a component that the copy does not have
