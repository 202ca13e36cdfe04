"""The scalars that outputs are computed from, and the cheapest of them to send, against all choices."""

from __future__ import annotations

import random
from itertools import product

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.costs import instruction_cost
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.movability import Movability, ReadMode
from nirls.passes.varyings.motion.output_graph import (
    MOST_INSTRS,
    IsUniform,
    OutputChoice,
    OutputGraph,
    Scalar,
    Weights,
    cone_between,
    operands,
)
from tests.passes.varyings.pairs import fragment, vertex


def scalar(shader: Shader, index: int, component: int = 0) -> Scalar:
    for impl in shader.impls():
        for instr in impl.instrs():
            if instr.def_ is not None and instr.def_.index == index:
                return Scalar(instr.def_, component)
    raise LookupError(index)


def uniforms_of(shader: Shader) -> IsUniform:
    movability = Movability({}, UniformVariables(shader, fragment(), LinkOptions()))

    def is_uniform(instr: Instr) -> bool:
        return movability.read_as(instr) is ReadMode.CONVERGENT

    return is_uniform


def graph_of(shader: Shader, *tops: int) -> OutputGraph:
    places = {scalar(shader, top): ("here",) for top in tops}
    return OutputGraph(places, uniforms_of(shader), lambda instr: True, lambda found: True)


FEWEST = Weights(1 << 20, 1, 2)
CHEAPEST = Weights(1, 1 << 20, 2)


def sent(shader: Shader, *tops: int, weights: Weights = FEWEST) -> set[int]:
    """The numbers of the values to send for some outputs."""
    return {found.value.index for found in graph_of(shader, *tops).cheapest(weights).sent}


def test_one_value_is_sent_for_two_outputs() -> None:
    shader = vertex("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fsin %10")
    assert sent(shader, 20, 21) == {10}
    # A sine costs more than the load of its result.
    assert sent(shader, 20, 21, weights=CHEAPEST) == {20, 21}


def test_constants_and_uniforms_are_not_sent() -> None:
    shader = vertex("32    %20 = fmul %10, %9.x", "32    %21 = fadd %9.y, %9.z", "32    %22 = fmul %20, %21")
    assert sent(shader, 20, 22) == {20}


def test_two_values_are_sent_for_three_outputs() -> None:
    shader = vertex(
        "32    %20 = fadd %10, %11", "32    %21 = fsub %10, %11", "32    %22 = ffma %10, %1 (1.000000), %11"
    )
    assert sent(shader, 20, 21, 22) == {10, 11}
    assert sent(shader, 20, 21) == {20, 21}


def test_values_nearest_to_the_outputs_are_sent() -> None:
    shader = vertex(
        "32    %20 = fsin %10", "32    %21 = fcos %20", "32    %22 = fneg %21", "32    %23 = fneg %22"
    )
    assert sent(shader, 22, 23) == {22}


def test_what_cannot_be_computed_elsewhere_is_sent() -> None:
    shader = vertex("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fddx %20", "32    %22 = fneg %21")
    assert sent(shader, 20, 22) == {20, 22}
    assert sent(shader, 21, 22) == {21}


def test_components_of_a_vector_are_values_of_their_own() -> None:
    shader = vertex(
        "32x2  %20 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC1 slots=1)",
        "32    %21 = fsin %20.x",
        "32    %22 = fsin %20.y",
        "32    %23 = fcos %20.x",
    )
    found = graph_of(shader, 21, 22, 23).cheapest(FEWEST)
    assert found.sent == {scalar(shader, 20, 0), scalar(shader, 22)}


def test_long_chains_are_followed_for_a_while() -> None:
    chain = ["32    %100 = fsin %10"]
    chain += [f"32    %{100 + step} = fsin %{99 + step}" for step in range(1, 50)]
    assert len(graph_of(vertex(*chain), 149).operands) == MOST_INSTRS + 1


def test_parts_share_nothing() -> None:
    shader = vertex(
        *("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fmul %10, %1 (1.000000)"),
        *("32    %22 = fadd %11, %1 (1.000000)", "32    %23 = fmul %11, %1 (1.000000)"),
    )
    graph = graph_of(shader, 20, 21, 22, 23)
    choice = graph.cheapest(FEWEST)
    parts = [{found.value.index for found in part} for part in graph.parts(choice)]
    assert parts == [{10, 20, 21}, {11, 22, 23}]
    assert [found.value.index for found in graph.ends(scalar(shader, 20), choice)] == [10]


def random_graph(seed: random.Random) -> tuple[Shader, list[int]]:
    """A producer with arithmetic on four inputs, and the numbers of its outputs."""
    values, lines = [10, 11, 12], []
    for number in range(20, 20 + seed.randint(2, 7)):
        op = seed.choice(("fadd %{}, %{}", "fmul %{}, %{}", "fneg %{}", "fsin %{}", "fadd %{}, %9.x"))
        lines.append(f"32    %{number} = " + op.format(seed.choice(values), seed.choice(values)))
        values.append(number)
    return vertex(*lines), sorted(seed.sample(values, min(len(values), seed.randint(2, 5))))


def price(
    graph: OutputGraph, tops: list[Scalar], chosen: set[Scalar], is_uniform: IsUniform
) -> tuple[int, int] | None:
    """Halves sent, and cost in the consumer, if these scalars are sent; None if they are not enough."""
    cones = [cone_between(top, chosen, is_uniform) for top in tops]
    if any(cone is None for cone in cones):
        return None
    used = {instr for cone in cones for instr in cone or ()}
    return 2 * len(chosen), 2 * len(chosen) + sum(map(instruction_cost, used))


def test_no_other_choice_is_cheaper() -> None:
    better = 0
    for number in range(150):
        shader, outputs = random_graph(random.Random(number))
        graph = graph_of(shader, *outputs)
        tops, is_uniform = [scalar(shader, output) for output in outputs], uniforms_of(shader)
        prices = []
        for flags in product((False, True), repeat=len(graph.operands)):
            chosen = {found for found, flag in zip(graph.operands, flags, strict=True) if flag}
            found = price(graph, tops, chosen, is_uniform) if len(chosen) <= len(tops) else None
            if found is not None:
                prices.append(found)
        for weights in (FEWEST, CHEAPEST, Weights(1, 1, 2), Weights(3, 2, 2)):
            choice = graph.cheapest(weights)
            assert price(graph, tops, set(choice.sent), is_uniform) == (choice.halves, choice.units)
            assert choice.halves * weights.half + choice.units * weights.unit == min(
                halves * weights.half + units * weights.unit for halves, units in prices
            )
        better += graph.cheapest(FEWEST).halves < 2 * len(set(tops))
    assert better > 30


def test_what_is_kept_or_cannot_be_sent() -> None:
    shader = vertex("32    %20 = fadd %10, %1 (1.000000)", "32    %21 = fmul %10, %1 (1.000000)")
    graph = graph_of(shader, 20, 21)
    first, second, below = (scalar(shader, number) for number in (20, 21, 10))
    assert graph.cheapest(FEWEST, kept=(first,)).sent == {first, second}
    assert graph.cheapest(FEWEST, unsent=(below,)) == OutputChoice(
        frozenset((first, second)), frozenset(), 4, 4
    )


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
