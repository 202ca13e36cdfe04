"""The names of slots in header fields."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.server.ide.header_slots import slots_of_field


@pytest.mark.parametrize(
    ("key", "value", "stage", "names"),
    [
        ("outputs_written", "0,32-33", Stage.VERTEX, "POS (0), VAR0 to VAR1 (32 to 33)"),
        ("inputs_read", "15-16", Stage.VERTEX, "GENERIC0 to GENERIC1 (15 to 16)"),
        ("inputs_read", "22,32", Stage.FRAGMENT, "LAYER (22), VAR0 (32)"),
        ("outputs_written", "4", Stage.FRAGMENT, "DATA0 (4)"),
        ("outputs_written", "0x101", Stage.VERTEX, "POS (0), TEX4 (8)"),
        ("patch_outputs_written", "0x00000005", Stage.TESS_CTRL, "PATCH0 (0), PATCH2 (2)"),
        ("outputs_written_16bit", "0x0003", Stage.VERTEX, "VAR0_16BIT to VAR1_16BIT (0 to 1)"),
        ("outputs_written", "", Stage.VERTEX, ""),
        ("outputs_written", "many", Stage.VERTEX, ""),
        ("ubos", "3", Stage.VERTEX, ""),
        ("inputs", "3", Stage.VERTEX, ""),
    ],
)
def test_slots_have_names(key: str, value: str, stage: Stage, names: str) -> None:
    assert slots_of_field(key, value, stage) == names


def test_absurd_masks_are_named_as_far_as_there_are_slots() -> None:
    assert slots_of_field("outputs_written", "0x" + "f" * 100_000, Stage.VERTEX).startswith("POS to ")
