"""Which accesses may touch the same bytes."""

from __future__ import annotations

import pytest

from nirls.ir.effects import Access, MemoryModel, effects_of
from tests.passes.expectation import parse_body

HEAD = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000004)
32 %2 = @load_local_invocation_index
32 %3 = deref_var &a (shared uint)
32 %4 = deref_var &b (shared uint)
32 %5 = deref_var &c (ssbo uint)
32 %6 = deref_var &d (ssbo uint)
32 %7 = deref_var &e (ssbo uint)
32 %11 = deref_var &f (image uimage2D)
32 %12 = deref_var &g (image uimage2D)
32x4 %13 = vec4 %0, %0, %0, %0
32 %14 = deref_cast (uint *)%2 (shared|ssbo uint)  (ptr_stride=4, align_mul=0, align_offset=0)
"""
VARIABLES = """decl_var shared INTERP_MODE_NONE none uint a
decl_var shared INTERP_MODE_NONE none uint b
decl_var ssbo INTERP_MODE_NONE none uint c (~0, 0, 0)
decl_var ssbo INTERP_MODE_NONE none uint d (~0, 0, 1)
decl_var ssbo INTERP_MODE_NONE none restrict uint e (~0, 0, 2)
decl_var image INTERP_MODE_NONE restrict r32ui uimage2D f (~0, 0, 3)
decl_var image INTERP_MODE_NONE none r32ui uimage2D g (~0, 0, 4)"""
ALIGN = "align_mul=4, align_offset=0"
SHARED = f"32 %{{}} = @load_shared ({{}}) (base=0, {ALIGN})"
SSBO = f"32 %{{}} = @load_ssbo ({{}}, {{}}) (access={{}}, {ALIGN})"
IMAGE = (
    "32x4 %{} = @image_deref_load ({}, %13, %0, %0) "
    "(image_dim=2D, image_array=false, format=r32_uint, access=none, dest_type=uint32)"
)
DEREF = "32 %{} = @load_deref ({}) (access=none)"


def pair(one: str, other: str, header: str = "") -> tuple[MemoryModel, Access, Access]:
    shader = parse_body(f"{HEAD}{one}\n{other}\nblock b1:\n", "COMPUTE", f"{header}{VARIABLES}")
    impl = shader.entrypoint
    assert impl is not None
    first, second = (effects_of(instr).accesses[0] for instr in list(impl.instrs())[-2:])
    return MemoryModel(shader), first, second


@pytest.mark.parametrize(
    ("one", "other", "alias"),
    [
        (SHARED.format(8, "%0"), SHARED.format(9, "%0"), True),
        (SHARED.format(8, "%0"), SHARED.format(9, "%1"), False),
        (SHARED.format(8, "%2"), SHARED.format(9, "%1"), True),
        (SHARED.format(8, "%0"), SSBO.format(9, "%0", "%0", "none"), False),
        (SHARED.format(8, "%0"), DEREF.format(9, "%3"), True),
        (DEREF.format(8, "%3"), DEREF.format(9, "%3"), True),
        (DEREF.format(8, "%3"), DEREF.format(9, "%4"), False),
        # Two bindings may be the same buffer, unless one is restricted.
        (DEREF.format(8, "%5"), DEREF.format(9, "%6"), True),
        (DEREF.format(8, "%5"), DEREF.format(9, "%7"), False),
        (IMAGE.format(8, "%11"), IMAGE.format(9, "%12"), False),
        (IMAGE.format(8, "%12"), IMAGE.format(9, "%12"), True),
        (SSBO.format(8, "%0", "%0", "none"), SSBO.format(9, "%1", "%0", "none"), True),
        (SSBO.format(8, "%0", "%0", "restrict"), SSBO.format(9, "%1", "%0", "none"), False),
        (SSBO.format(8, "%0", "%0", "none"), SSBO.format(9, "%0", "%1", "none"), False),
        (SSBO.format(8, "%0", "%0", "restrict"), SSBO.format(9, "%2", "%0", "none"), True),
        # An address may be in several memories.
        (DEREF.format(8, "%14"), DEREF.format(9, "%14"), True),
        (DEREF.format(8, "%14"), DEREF.format(9, "%7"), True),
        (SHARED.format(8, "%0"), "32 %9 = @load_shared_dxil (%1)", True),
        # An address may be that of a buffer.
        (SSBO.format(8, "%0", "%0", "none"), f"32 %9 = @load_global (%2) (access=none, {ALIGN})", True),
        (SSBO.format(8, "%0", "%0", "restrict"), f"32 %9 = @load_global (%2) (access=none, {ALIGN})", False),
        # A block is loaded for the whole subgroup.
        (SHARED.format(8, "%0"), f"32 %9 = @load_shared_block_intel (%1) (base=0, {ALIGN})", True),
    ],
)
def test_aliases(one: str, other: str, alias: bool) -> None:
    model, first, second = pair(one, other)
    assert model.may_alias(first, second) is alias
    assert model.may_alias(second, first) is alias


@pytest.mark.parametrize("layout", ["true", "false"])
def test_shared_variables_of_an_explicit_layout(layout: str) -> None:
    model, first, second = pair(
        DEREF.format(8, "%3"), DEREF.format(9, "%4"), f"shared_memory_explicit_layout: {layout}\n"
    )
    assert model.may_alias(first, second) is (layout == "true")


def test_two_invocations_may_have_different_offsets() -> None:
    model, first, second = pair(SHARED.format(8, "%2"), f"32 %9 = @load_shared (%2) (base=4, {ALIGN})")
    assert model.may_alias(first, second)
