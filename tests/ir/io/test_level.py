from __future__ import annotations

import pytest

from nirls.ir.io.level import LoweringLevel, input_level, lowering_level, output_level
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
        (b"@store_shared (%1, %2)", 0, None),
        (b"decl_var shader_out vec4 o", 0, None),
    ],
)
def test_output_level(body: bytes, mask: int, level: LoweringLevel | None) -> None:
    assert output_level(body, mask) is level


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
        (b"@load_shared (%1)", Stage.TESS_CTRL, 0, None),
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
