"""What dominates outputs in the value graph, and what there is between."""

from __future__ import annotations

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.movability import Movability, Reading
from nirls.passes.varyings.output_dominators import (
    MOST_INSTRS,
    IsUniform,
    OutputDominators,
    Scalar,
    cone_between,
    operands,
)
from nirls.passes.varyings.uniform_variables import UniformVariables
from tests.passes.varyings.pairs import fragment, vertex


def scalar(shader: Shader, index: int, component: int = 0) -> Scalar:
    for impl in shader.impls():
        for instr in impl.instrs():
            if instr.def_ is not None and instr.def_.index == index:
                return Scalar(instr.def_, component)
    raise LookupError(index)


def uniforms_of(shader: Shader) -> IsUniform:
    movability = Movability({}, UniformVariables(shader, fragment(), LinkOptions()), LinkOptions())

    def is_uniform(instr: Instr) -> bool:
        return movability.read_as(instr) is Reading.CONVERGENT

    return is_uniform


def above(shader: Shader, *tops: int) -> dict[int, list[int]]:
    """For each value its dominators by number, nearest first."""
    stored = [scalar(shader, top) for top in tops]
    tree = OutputDominators(stored, uniforms_of(shader))
    return {
        top: [found.value.index for found in tree.above(item)][1:]
        for top, item in zip(tops, stored, strict=True)
    }


def test_two_readers_of_a_value_have_it_above_them() -> None:
    shader = vertex("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fsin %10")
    assert above(shader, 20, 21) == {20: [10], 21: [10]}


def test_constants_and_uniforms_do_not_hide_what_is_above() -> None:
    shader = vertex("32    %20 = fmul %10, %9.x", "32    %21 = fadd %9.y, %9.z", "32    %22 = fmul %20, %21")
    assert above(shader, 22) == {22: [20, 10]}


def test_nothing_dominates_what_is_made_of_two_values() -> None:
    shader = vertex("32    %20 = fadd %10, %11", "32    %21 = fsin %20")
    assert above(shader, 21) == {21: [20]}


def test_paths_that_part_and_meet_again() -> None:
    shader = vertex("32    %20 = fsin %10", "32    %21 = fcos %10", "32    %22 = fadd %20, %21")
    assert above(shader, 22, 21) == {22: [10], 21: [10]}


def test_what_cannot_be_computed_elsewhere_has_nothing_above_it() -> None:
    shader = vertex("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fddx %20", "32    %22 = fsin %21")
    assert above(shader, 22) == {22: [21]}


def test_components_of_a_vector_are_values_of_their_own() -> None:
    shader = vertex(
        "32x2  %20 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC1 slots=1)",
        "32    %21 = fsin %20.x",
        "32    %22 = fsin %20.y",
        "32    %23 = fcos %20.x",
    )
    tops = [scalar(shader, index) for index in (21, 22, 23)]
    tree = OutputDominators(tops, uniforms_of(shader))
    first, second, third = (list(tree.above(top))[1] for top in tops)
    assert (first, second) == (scalar(shader, 20, 0), scalar(shader, 20, 1))
    assert first == third


def test_long_chains_are_followed_for_a_while() -> None:
    chain = ["32    %100 = fsin %10"]
    chain += [f"32    %{100 + step} = fsin %{99 + step}" for step in range(1, 50)]
    found = above(vertex(*chain), 149)[149]
    assert len(found) == MOST_INSTRS
    assert found[0] == 148


def test_depth_counts_what_is_above() -> None:
    shader = vertex("32    %20 = fsin %10", "32    %21 = fcos %20")
    tree = OutputDominators([scalar(shader, 21)], uniforms_of(shader))
    assert [tree.depth(scalar(shader, index)) for index in (10, 20, 21)] == [1, 2, 3]


def test_operands_leave_uniforms_out() -> None:
    shader = vertex("32    %20 = ffma %10, %9.x, %11")
    found = operands(scalar(shader, 20), uniforms_of(shader))
    assert [item.value.index for item in found] == [10, 11]


def cone(shader: Shader, top: int, *ends: int) -> set[int] | None:
    found = cone_between(scalar(shader, top), {scalar(shader, end) for end in ends}, uniforms_of(shader))
    return None if found is None else {instr.def_.index for instr in found if instr.def_ is not None}


def test_cone_holds_all_that_has_to_be_computed() -> None:
    shader = vertex("32    %20 = fmul %10, %9.x", "32    %21 = fadd %20, %11")
    assert cone(shader, 21, 10, 11) == {8, 9, 20, 21}
    assert cone(shader, 21, 20, 11) == {21}
    assert cone(shader, 21, 21) == set()


def test_no_cone_from_what_is_not_enough() -> None:
    shader = vertex("32    %20 = fmul %10, %9.x", "32    %21 = fadd %20, %11")
    assert cone(shader, 21, 10) is None


def test_no_cone_that_is_too_large() -> None:
    chain = ["32    %100 = fsin %10"]
    chain += [f"32    %{100 + step} = fsin %{99 + step}" for step in range(1, 200)]
    shader = vertex(*chain)
    assert cone(shader, 120, 10) is not None
    assert cone(shader, 299, 10) is None
