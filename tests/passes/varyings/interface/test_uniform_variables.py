"""Uniforms, UBOs and push constants of two stages."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import (
    SharedResources,
    UniformVariables,
    ubo_slots,
    uniform_components,
)
from nirls.passes.varyings.link_pair import link_pair
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import load, shader, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interpolated, loads, vertex


def block(first: int, binding: int = 3, index: str = "%0", kind: str = "UBO") -> tuple[str, ...]:
    """A descriptor in `%first` + 1, the value of a load of its block in `%first` + 4."""
    return (
        f"32x2  %{first} = @vulkan_resource_index ({index}) (desc_set=1, binding={binding},"
        f" desc_type={kind})",
        f"32x2  %{first + 1} = @load_vulkan_descriptor (%{first}) (desc_type={kind})",
        f"32    %{first + 2} = mov %{first + 1}.x",
        f"32    %{first + 3} = mov %{first + 1}.y",
        f"32    %{first + 4} = @load_ubo (%{first + 2}, %{first + 3}) (access=none, align_mul=4,"
        " align_offset=0, range_base=0, range=16)",
    )


def constant(number: int, base: int, offset: str = "%0") -> str:
    return (
        f"32    %{number} = @load_push_constant ({offset}) (base={base}, range=4, align_mul=4,"
        " align_offset=0)"
    )


def linked(lines: tuple[str, ...], value: str, others: tuple[str, ...]) -> Shader:
    """The consumer after linking; the producer stores a value computed by `lines`."""
    producer = vertex(*lines, store("VAR0", value))
    consumer = fragment(*others, interpolated(4, "VAR0"), "32    %5 = fsin %4", use("%5"))
    before = clone_shader(producer), clone_shader(consumer)
    link_pair(producer, consumer, OPTIONS)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    return consumer


def test_load_of_a_block_that_both_stages_read_propagates() -> None:
    assert loads(linked(block(30), "%34", (*block(40), use("%44")))) == []


def test_expression_of_such_loads_propagates() -> None:
    lines = (*block(30), "32    %36 = fadd %34, %9.x")
    assert loads(linked(lines, "%36", (*block(40), use("%44")))) == []


@pytest.mark.parametrize("others", [(), (*block(40, binding=4), use("%44"))], ids=["none", "another"])
def test_block_that_the_consumer_may_not_see_stays(others: tuple[str, ...]) -> None:
    assert len(loads(linked(block(30), "%34", others))) == 1


def test_block_number_is_another_block_in_another_stage() -> None:
    load = "32    %34 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)"
    assert len(loads(linked((load,), "%34", (load, use("%34"))))) == 1


@pytest.mark.parametrize(("theirs", "left"), [(8, 0), (12, 1)])
def test_push_constants_by_their_bytes(theirs: int, left: int) -> None:
    assert len(loads(linked((constant(30, 8),), "%30", (constant(40, theirs), use("%40"))))) == left


def test_bytes_of_a_block_are_no_push_constants() -> None:
    of_block = (
        "32    %34 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)"
    )
    assert len(loads(linked((constant(30, 0),), "%30", (of_block, use("%34"))))) == 1


def resources(*lines: str) -> tuple[SharedResources, list[IntrinsicInstr]]:
    parsed = vertex("32    %14 = @load_draw_id", "32    %15 = load_const (0x00000001)", *lines)
    found = [instr for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)]
    return SharedResources(parsed, parsed), found[-len(lines) :]


@pytest.mark.parametrize("index", ["%14", "%15"])
def test_arrays_of_blocks_stay(index: str) -> None:
    shared, found = resources(block(30, index=index)[0])
    assert shared.obstacle(found[-1])


def test_storage_buffers_stay() -> None:
    shared, found = resources(block(30, kind="SSBO")[0])
    assert shared.obstacle(found[-1])


def test_unknown_offset_of_a_push_constant_stays() -> None:
    shared, found = resources(constant(30, 0, "%14"))
    assert shared.obstacle(found[-1])


def test_volatile_load_stays() -> None:
    *lines, load = block(30)
    shared, found = resources(*lines, load)
    assert not shared.obstacle(found[-1])
    shared, found = resources(*lines, load.replace("access=none", "access=volatile"))
    assert found[-1].name == "load_ubo"
    assert shared.obstacle(found[-1])


def moved(*lines: str, theirs: tuple[str, ...] = ()) -> int:
    """How many inputs are left of three; the producer reads the block itself."""
    producer = vertex(
        *block(30),
        "32    %35 = fadd %34, %10",
        store("VAR0", "%35"),
        store("VAR1", "%11"),
        store("VAR2", "%12"),
    )
    consumer = fragment(
        *(theirs or block(40)), *(load(4 + slot, f"VAR{slot}") for slot in range(3)), *lines, use("%50")
    )
    before = clone_shader(producer), clone_shader(consumer)
    link_pair(producer, consumer, OPTIONS)
    assert isinstance(verify_shaders(before, (producer, consumer)), Equivalent)
    return len(loads(consumer))


SUM = ("32    %47 = ffma %4, %44, %5", "32    %50 = fadd %47, %6")


def test_expression_with_such_a_load_moves_backward() -> None:
    assert moved(*SUM) == 1


def test_expression_with_a_block_that_the_producer_does_not_read_stays() -> None:
    assert moved(*SUM, theirs=block(40, binding=5)) == 3


def test_load_at_an_offset_that_an_input_says_stays() -> None:
    lines = (
        "32    %45 = f2i32 %4",
        "32    %46 = iadd %43, %45",
        "32    %47 = @load_ubo (%42, %46) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)",
        "32    %48 = fadd %47, %5",
        "32    %50 = fadd %48, %6",
    )
    assert moved(*lines) == 3


ZERO = "32    %0 = load_const (0x00000000)"


def stage(name: str, *declarations: str, deref: str = "") -> Shader:
    return shader(name, ZERO, *([deref] if deref else []), header=declarations)


def deref_of(parsed: Shader) -> DerefInstr:
    return next(instr for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, DerefInstr))


@pytest.mark.parametrize(
    ("type_name", "components"),
    [("float", 4), ("vec4", 4), ("mat4", 16), ("vec3[5]", 20), ("mat3[2]", 24), ("dvec4", 8)],
)
def test_uniform_components(type_name: str, components: int) -> None:
    assert uniform_components(Variable("u", "uniform", type_name)) == components


@pytest.mark.parametrize(("type_name", "slots"), [("Block", 1), ("Block[3]", 3), ("vec4[256]", 1)])
def test_ubo_slots(type_name: str, slots: int) -> None:
    assert ubo_slots(Variable("b", "ubo", type_name)) == slots


def test_shared_variables_count_once() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)"
    producer, consumer = stage("VERTEX", line), stage("FRAGMENT", line)
    assert (
        "uniform" in UniformVariables(producer, consumer, LinkOptions(max_uniform_components=4)).movable_modes
    )
    other = stage("FRAGMENT", line.replace(" u ", " w "))
    assert (
        "uniform"
        not in UniformVariables(producer, other, LinkOptions(max_uniform_components=4)).movable_modes
    )


def test_buffers_of_both_stages_count_against_the_limit() -> None:
    first, second = (f"decl_var ubo INTERP_MODE_NONE none Block {name} (0, 0, 0)" for name in "bc")
    for limit, moves in ((2, True), (1, False)):
        options = LinkOptions(max_ubos=limit)
        variables = UniformVariables(stage("VERTEX", first), stage("FRAGMENT", second), options)
        assert ("ubo" in variables.movable_modes) is moves


def test_same_name_with_another_type_does_not_move() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)"
    producer = stage("VERTEX", line, deref="32    %1 = deref_var &u (uniform vec4)")
    same = stage("FRAGMENT", line)
    other = stage("FRAGMENT", line.replace("vec4", "vec3"))
    assert not UniformVariables(producer, same, LinkOptions()).obstacle(deref_of(producer))
    assert UniformVariables(producer, other, LinkOptions()).obstacle(deref_of(producer))


@pytest.mark.parametrize(
    ("deref", "obstacle"),
    [
        ("32    %2 = deref_array &(*%1)[1] (uniform vec4)", ""),
        ("32    %2 = deref_array &(*%1)[%0] (uniform vec4)", ""),
        (
            "32    %2 = deref_cast (vec4 *)%1 (uniform vec4)  (ptr_stride=16, align_mul=0, align_offset=0)",
            "deref_cast does not name an element of a variable",
        ),
        ("32    %2 = deref_var &s (shared uint)", "it is a variable of the mode shared"),
    ],
)
def test_what_names_an_element_of_a_variable(deref: str, obstacle: str) -> None:
    line = "decl_var uniform INTERP_MODE_NONE none vec4[2] u (0, 0, 0)"
    whole = "32    %1 = deref_var &u (uniform vec4[2])"
    producer = stage("VERTEX", line, deref=f"{whole}\n{deref}")
    found = [instr for impl in producer.impls() for instr in impl.instrs() if isinstance(instr, DerefInstr)]
    variables = UniformVariables(producer, stage("FRAGMENT"), LinkOptions())
    assert [variables.obstacle(one) for one in found] == ["", obstacle]


def test_subroutine_uniforms_stay() -> None:
    line = "decl_var uniform INTERP_MODE_NONE none int __subu_f (0, 0, 0)"
    producer = stage("VERTEX", line, deref="32    %1 = deref_var &__subu_f (uniform int)")
    assert UniformVariables(producer, stage("FRAGMENT"), LinkOptions()).obstacle(deref_of(producer))


def test_buffers_go_by_binding_in_spirv() -> None:
    first = stage("VERTEX", "decl_var ubo INTERP_MODE_NONE none Block a (~0, 0, 3)")
    second = stage("FRAGMENT", "decl_var ubo INTERP_MODE_NONE none Block b (~0, 0, 3)")
    (variable,) = first.variables
    assert UniformVariables(first, second, LinkOptions()).find(second, variable) is None
    spirv = UniformVariables(first, second, LinkOptions(spirv=True))
    assert spirv.find(second, variable) is second.variables[0]
    assert spirv.find_or_declare(second, variable) is second.variables[0]
    assert len(second.variables) == 1
