"""UBO loads without variables and push constants: which mean the same in the next stage."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.shared_resources import SharedResources
from nirls.passes.varyings.link_pair import link_pair
from nirls.verification import Equivalent, verify_shaders
from tests.passes.shader_text import load, store, use
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
