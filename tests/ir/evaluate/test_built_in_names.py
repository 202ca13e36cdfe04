"""Names of GLSL lead to the system values that intrinsics load."""

from __future__ import annotations

from nirls.ir.evaluate.built_in_names import BUILT_IN_NAMES
from nirls.ir.evaluate.supported import supported_intrinsics


def test_every_system_value_can_be_loaded() -> None:
    known = supported_intrinsics()
    assert len(BUILT_IN_NAMES) > 30
    missing = {
        value for value in BUILT_IN_NAMES.values() if value not in known and f"load_{value}" not in known
    }
    assert missing == set()


def test_vertex_numbers_differ_by_what_they_count_from() -> None:
    assert BUILT_IN_NAMES["gl_InstanceID"] != BUILT_IN_NAMES["gl_InstanceIndex"]
    assert BUILT_IN_NAMES["gl_PrimitiveIDIn"] == BUILT_IN_NAMES["gl_PrimitiveID"]
