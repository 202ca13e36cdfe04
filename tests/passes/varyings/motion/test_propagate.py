"""Propagation: which outputs are the same uniform expression, what that costs, and what state forbids."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.motion.propagate import (
    NotUniform,
    is_across_lanes,
    is_uniform_load,
    propagatable,
    propagate,
    uniform_expression,
)
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interface_of, interpolated, loads, stores, vertex
from tests.passes.varyings.values.test_transfer import value

VAR0 = 32


def names(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> list[tuple[int, int]]:
    """The places of the outputs that may be propagated."""
    interface = interface_of(producer, consumer, options)
    return [(slot.location, slot.component) for slot, _ in propagatable(interface)]


def propagated(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> None:
    interface = interface_of(producer, consumer, options)
    propagate(interface)


def reader(slot: str = "VAR0", component: int = 0) -> Shader:
    return fragment(interpolated(4, slot, component), use("%4"))


def sender(*lines: str, slot: str = "VAR0", result: str = "%20", component: int = 0) -> Shader:
    return vertex(*lines, store(slot, result, component, extra="|"))


@pytest.mark.parametrize(
    "line",
    [
        "load_const (0x40000000 = 2.000000)",
        "undefined",
        "mov %9.x",
        "ffma! %9.x, %9.y, %1 (1.000000)",
        "fsin %9.w",
    ],
)
def test_constants_uniforms_and_what_is_made_of_them(line: str) -> None:
    assert names(sender(f"32    %20 = {line}"), reader()) == [(VAR0, 0)]


@pytest.mark.parametrize("line", ["fadd %10, %9.x", "fddx %9.x", "@load_vertex_id", "u2f32 %19"])
def test_what_depends_on_the_vertex_or_on_neighbours_stays(line: str) -> None:
    assert names(sender("32    %19 = @load_draw_id", f"32    %20 = {line}"), reader()) == []


def test_all_stores_must_agree() -> None:
    same = vertex(store("VAR0", extra="|"), store("VAR0", extra="|"))
    assert names(same, reader()) == [(VAR0, 0)]
    other = vertex(store("VAR0", extra="|"), store("VAR0", "%0 (0.000000)", extra="|"))
    assert names(other, reader()) == []


@pytest.mark.parametrize(
    ("slot", "component", "bits", "goes"),
    [
        ("COL0", 0, "0x3f000000 = 0.500000", True),
        ("COL0", 0, "0x00000000 = 0.000000", True),
        ("COL0", 0, "0x3f800000 = 1.000000", True),
        ("COL0", 0, "0x40000000 = 2.000000", False),
        ("COL0", 0, "0xbf000000 = -0.500000", False),
        ("COL0", 0, "0x7fc00000 = nan", False),
        ("TEX3", 0, "0x00000000 = 0.000000", False),
        ("TEX3", 2, "0x00000000 = 0.000000", True),
        ("TEX3", 2, "0x80000000 = -0.000000", False),
        ("TEX3", 3, "0x3f800000 = 1.000000", True),
        ("TEX3", 3, "0x00000000 = 0.000000", False),
        ("CLIP_DIST0", 1, "0x40000000 = 2.000000", True),
        ("LAYER", 0, "0x00000001 = 0.000000", True),
        ("FOGC", 0, "0x40000000 = 2.000000", True),
    ],
)
def test_what_state_may_change_on_the_way(slot: str, component: int, bits: str, goes: bool) -> None:
    producer = sender(f"32    %20 = load_const ({bits})", slot=slot, component=component)
    assert bool(names(producer, reader(slot, component))) == goes


HALF = "32    %20 = load_const (0x3f000000 = 0.500000)"


@pytest.mark.parametrize(
    ("stored", "goes"),
    [
        ((store("COL0", "%20", extra="|"), store("BFC0", "%20", extra="|")), True),
        ((store("COL0", "%20", extra="|"), store("BFC0", extra="|")), False),
        ((store("BFC0", "%20", extra="|"),), True),
    ],
)
def test_front_and_back_color_must_be_the_same_constant(stored: tuple[str, ...], goes: bool) -> None:
    assert bool(names(vertex(HALF, *stored), reader("COL0"))) == goes


@pytest.mark.parametrize("slot", ["COL0", "TEX0"])
def test_uniforms_do_not_pass_where_only_some_constants_do(slot: str) -> None:
    assert names(sender("32    %20 = mov %9.x", slot=slot, component=2), reader(slot, 2)) == []


def test_colors_before_the_fragment_stage_are_varyings_like_others() -> None:
    consumer = shader("GEOMETRY", ZERO, load(4, "COL0", name="load_per_vertex_input"), use("%4"))
    assert names(sender("32    %20 = mov %9.x", slot="COL0"), consumer) == [(1, 0)]


@pytest.mark.parametrize(("limit", "goes"), [(-1, True), (3, True), (2, False), (0, False)])
def test_cost_limit(limit: int | None, goes: bool) -> None:
    producer = sender("32    %20 = fadd %9.x, %9.x")
    assert bool(names(producer, reader(), LinkOptions(max_cost=limit))) == goes


def test_constants_cost_nothing() -> None:
    assert names(vertex(store("VAR0", extra="|")), reader(), LinkOptions(max_cost=0)) == [(VAR0, 0)]


def test_cost_counts_what_is_used_twice_once() -> None:
    producer = vertex("32    %20 = fsin %9.x", "32    %21 = fmul %20, %20", "32    %22 = fadd %10, %20")
    variables = UniformVariables(producer, fragment(), OPTIONS)
    # The load 2, the sine 4, the product 1.
    assert uniform_expression(value(producer, 21), variables) == 7
    assert isinstance(uniform_expression(value(producer, 22), variables), NotUniform)


def test_loads_are_replaced_and_stores_go() -> None:
    producer, consumer = sender("32    %20 = fsin %9.x"), reader()
    propagated(producer, consumer)
    assert stores(producer) == []
    assert loads(consumer) == []
    copies = [instr.op for impl in consumer.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]
    assert copies == ["fsin"]


@pytest.mark.parametrize(("flat", "flushed"), [(False, True), (True, False)])
def test_infinities_that_interpolation_makes_nan(flat: bool, flushed: bool) -> None:
    consumer = fragment(load(4, "VAR0"), use("%4")) if flat else reader()
    propagated(sender("32    %20 = fsin %9.x"), consumer, LinkOptions(preserve_nans=True))
    copies = [instr.op for impl in consumer.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]
    assert ("ffma" in copies) == flushed


def test_output_loads_are_replaced_too() -> None:
    producer = shader(
        "TESS_CTRL",
        ZERO,
        ONE,
        store("PATCH0", extra="|"),
        load(3, "PATCH0", name="load_output"),
        use("%3"),
    )
    propagated(producer, shader("TESS_EVAL", ZERO, load(4, "PATCH0"), use("%4")))
    left = [
        instr.name
        for impl in producer.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and "output" in instr.name
    ]
    assert left == []


def test_kinds_of_instructions() -> None:
    producer = vertex("32    %20 = fddx_fine %10", "32    %21 = fadd %10, %10")
    derivative, total, loaded = (value(producer, index).instr for index in (20, 21, 9))
    assert isinstance(derivative, AluInstr)
    assert isinstance(total, AluInstr)
    assert (is_across_lanes(derivative), is_across_lanes(total)) == (True, False)
    attribute = value(producer, 10).instr
    assert isinstance(loaded, IntrinsicInstr)
    assert isinstance(attribute, IntrinsicInstr)
    assert (is_uniform_load(loaded), is_uniform_load(attribute)) == (True, False)


def test_an_infinity_that_becomes_nan_as_interpolation_makes_it_one_is_no_difference() -> None:
    infinite = "32    %20 = load_const (0x7f800000 = inf)"
    before = [vertex(infinite, store("VAR0", "%20", extra="|")), reader()]
    after = [clone_shader(one) for one in before]
    propagated(*after, LinkOptions(preserve_nans=True))
    assert loads(after[1]) == []
    assert not isinstance(verify_shaders(before, after, VerificationOptions(runs=1, most_runs=2)), Different)
