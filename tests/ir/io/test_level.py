from __future__ import annotations

import pytest

from nirls.ir.io.level import (
    LoweringLevel,
    input_level,
    inputs_are_by_offset,
    lowering_level,
    output_level,
    outputs_are_by_offset,
)
from nirls.ir.model.stage import Stage

VARIABLES, LOWERED, BACKEND = LoweringLevel.VARIABLES, LoweringLevel.LOWERED_IO, LoweringLevel.BACKEND_IO


@pytest.mark.parametrize(
    ("body", "mask", "level"),
    [
        (b"@store_deref (%1, %2)\n%1 = deref_var &o (shader_out vec4)", 1, VARIABLES),
        (b"@store_output (%1, %2) (base=0)", 1, LOWERED),
        (b"intrinsic store_output (ssa_1, ssa_2)", 1, LOWERED),
        (b"@export_amd (%1) (base=12)", 1, BACKEND),
        (b"@export_amd (%1)\n@store_output (%1, %2)", 1, BACKEND),
        (b"@store_shared (%1, %2)", 1, BACKEND),
        (b"@store_shared (%1, %2)", 0, BACKEND),
        (b"decl_var shader_out vec4 o", 0, None),
    ],
)
def test_output_level(body: bytes, mask: int, level: LoweringLevel | None) -> None:
    assert output_level(body, Stage.VERTEX, mask) is level


@pytest.mark.parametrize(
    ("body", "stage", "mask", "level"),
    [
        (b"@load_interpolated_input (%1, %2)", Stage.FRAGMENT, 1, LOWERED),
        (b"@ipa_nv (%1, %2)", Stage.FRAGMENT, 1, BACKEND),
        (b"%1 = deref_var &i (shader_in vec4)", Stage.FRAGMENT, 1, VARIABLES),
        (b"@load_fs_input_interp_deltas (%1)", Stage.FRAGMENT, 1, LOWERED),
        # Inputs that the body does not read: a stale mask in a fragment shader, lowered elsewhere.
        (b"@store_output (%1, %2)", Stage.FRAGMENT, 1, None),
        (b"@store_output (%1, %2)\n@load_scalar_arg_amd ()", Stage.FRAGMENT, 1, BACKEND),
        (b"@load_shared (%1)", Stage.TESS_CTRL, 1, BACKEND),
        (b"@load_shared (%1)", Stage.TESS_CTRL, 0, BACKEND),
        (b"@load_local_shared_xyz (%1)", Stage.TESS_EVAL, 0, BACKEND),
        (b"@load_shared (%1)", Stage.MESH, 0, None),
        (b"@load_scalar_arg_amd ()", Stage.VERTEX, 1, None),
    ],
)
def test_input_level(body: bytes, stage: Stage, mask: int, level: LoweringLevel | None) -> None:
    assert input_level(body, stage, mask) is level


def test_the_level_of_a_dump_is_that_of_the_side_lowered_furthest() -> None:
    body = b"@load_input (%1)\n@export_amd (%1)"
    assert lowering_level(body, Stage.FRAGMENT, 1, 16) is BACKEND
    assert lowering_level(b"@store_output (%1)", Stage.VERTEX, 1, 1) is LOWERED
    assert lowering_level(b"%1 = load_const (0x0)", Stage.FRAGMENT, 0, 0) is None


def test_levels_have_a_description() -> None:
    assert [level.description for level in LoweringLevel] == ["variables", "lowered I/O", "backend I/O"]


def _stores(*places: tuple[str, int]) -> bytes:
    lines = (
        f"@store_output (%{number}, %0 (0x0)) (base={base}, range=1, wrmask=x, component=0, "
        f"io location=VARYING_SLOT_{slot} slots=1, xfb(), xfb2())"
        for number, (slot, base) in enumerate(places, 1)
    )
    return "\n".join(lines).encode()


def test_a_base_that_differs_in_one_slot_is_an_offset() -> None:
    assert outputs_are_by_offset(_stores(("POS", 0), ("POS", 1), ("POS", 2), ("POS", 3)))
    assert not outputs_are_by_offset(_stores(("POS", 0), ("VAR0", 1), ("VAR1", 2), ("VAR2", 3)))


def test_linking_may_leave_another_base_in_a_few_accesses() -> None:
    places = [(f"VAR{number}", number) for number in range(6)]
    assert not outputs_are_by_offset(_stores(*places, ("VAR1", 7), ("VAR1", 9)))


@pytest.mark.parametrize(
    ("offset", "slots", "slot", "is_offset"),
    [
        ("%3", 1, "VAR0", True),
        ("%3", 4, "VAR0", False),
        ("%3", 1, "TESS_LEVEL_OUTER", False),
        ("%4", 1, "VAR0", False),
        ("%1 (0x2)", 1, "VAR0", False),
        ("%1 (0x0)", 1, "VAR0", False),
        ("ssa_3", 1, "VAR0", True),
    ],
)
def test_an_access_of_one_slot_with_a_computed_offset_is_by_offset(
    offset: str, slots: int, slot: str, is_offset: bool
) -> None:
    text = (
        "32 %3 = ishl %2, %1\nvec1 32 ssa_3 = ishl ssa_2, ssa_1\n32 %4 = load_const (0x00000000)\n"
        f"@store_per_vertex_output (%5, %2, {offset}) (base=1, wrmask=x, component=0, "
        f"io location=VARYING_SLOT_{slot} slots={slots})"
    )
    assert outputs_are_by_offset(text.encode()) is is_offset


def test_loads_that_all_print_a_slot_that_the_header_does_not_list_are_by_offset() -> None:
    load = b"%2 = @load_input (%1 (0x0)) (base=4, component=0, io location=VARYING_SLOT_POS slots=1)"
    assert inputs_are_by_offset(load, Stage.FRAGMENT, 1 << 32)
    assert not inputs_are_by_offset(load, Stage.FRAGMENT, 1 << 32 | 1)
    assert not inputs_are_by_offset(load, Stage.FRAGMENT, 0)
    assert not inputs_are_by_offset(load, Stage.VERTEX, 1 << 15)
