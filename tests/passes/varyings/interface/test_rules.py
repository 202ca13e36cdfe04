from __future__ import annotations

import pytest

from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.rules import (
    is_system_value_output,
    keeps_unwritten_value,
    may_remove,
    short_name,
    unwritten_value,
)

VS, TCS, TES, GS, MS, FS = (
    Stage.VERTEX,
    Stage.TESS_CTRL,
    Stage.TESS_EVAL,
    Stage.GEOMETRY,
    Stage.MESH,
    Stage.FRAGMENT,
)


@pytest.mark.parametrize(
    ("producer", "consumer", "slot", "expected"),
    [
        (VS, FS, "VAR0", True),
        (VS, FS, "VAR0_16BIT", True),
        (VS, FS, "FOGC", True),
        (VS, FS, "COL1", True),
        (VS, FS, "BFC0", True),
        (VS, FS, "TEX7", True),
        (VS, FS, "CLIP_DIST1", True),
        (VS, FS, "LAYER", True),
        (MS, FS, "LAYER", True),
        (MS, FS, "VIEWPORT", True),
        (VS, FS, "POS", False),
        (VS, FS, "PSIZ", False),
        (VS, FS, "FACE", False),
        (VS, FS, "PNTC", False),
        (VS, FS, "CLIP_VERTEX", False),
        (VS, FS, "PRIMITIVE_ID", False),
        (TES, FS, "PRIMITIVE_ID", False),
        (GS, FS, "PRIMITIVE_ID", True),
        (VS, TCS, "POS", True),
        (VS, GS, "CLIP_VERTEX", True),
        (TCS, TES, "TESS_LEVEL_OUTER", True),
        (VS, TES, "TESS_LEVEL_OUTER", False),
        (VS, TES, "PATCH0", True),
    ],
)
def test_may_remove(producer: Stage, consumer: Stage, slot: str, expected: bool) -> None:
    assert may_remove(producer, consumer, varying_slot(slot)) is expected


def test_slot_without_a_name_is_left_alone() -> None:
    assert not may_remove(VS, FS, -1)


@pytest.mark.parametrize(
    ("slot", "consumer", "expected"),
    [
        ("POS", FS, True),
        ("CULL_DIST1", FS, True),
        ("LAYER", FS, True),
        ("VAR3", FS, False),
        ("COL0", FS, False),
        ("POS", TCS, False),
        ("POS", GS, False),
        ("TESS_LEVEL_INNER", TES, True),
        ("BOUNDING_BOX1", TES, True),
        ("CLIP_DIST0", TES, False),
    ],
)
def test_system_value_outputs(slot: str, consumer: Stage, expected: bool) -> None:
    assert is_system_value_output(varying_slot(slot), consumer) is expected


def test_values_of_unwritten_inputs() -> None:
    layer, viewport, tex = varying_slot("LAYER"), varying_slot("VIEWPORT"), varying_slot("TEX3")
    assert unwritten_value(FS, layer, 0) == 0.0
    assert unwritten_value(FS, viewport, 0) == 0.0
    assert [unwritten_value(FS, tex, component) for component in (2, 3)] == [0.0, 1.0]
    assert unwritten_value(FS, varying_slot("VAR0"), 0) is None
    assert unwritten_value(GS, layer, 0) is None
    assert keeps_unwritten_value(VS, FS, tex, 1)
    assert not keeps_unwritten_value(VS, FS, tex, 2)
    assert not keeps_unwritten_value(VS, GS, tex, 0)
    assert keeps_unwritten_value(MS, FS, layer, 0)
    assert not keeps_unwritten_value(VS, FS, layer, 0)


def test_short_name() -> None:
    assert short_name(varying_slot("PATCH2"), 3) == "PATCH2.w"
    assert short_name(4000) == "4000"
