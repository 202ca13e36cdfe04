"""Inputs, outputs and system values by derefs."""

from __future__ import annotations

from nirls.verification.evaluate.steps.variables.inputs_outputs import BUILT_IN_NAMES
from nirls.verification.evaluate.supported import supported_intrinsics
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import VAR0, store, stored
from tests.verification.evaluate.steps.deref_lines import run_lines


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


def test_a_store_to_an_output_variable_is_a_store_to_its_slot() -> None:
    result = run_lines(
        "    32x2   %3 = vec2 %2, %1",
        "    32     %4 = deref_var &o (shader_out vec2)",
        "                @store_deref (%4, %3) (wrmask=xy, access=none)",
        "    32x2   %5 = @load_deref (%4) (access=none)",
        "    32     %6 = mov %5.x",
        store("6", "0", "VARYING_SLOT_VAR1"),
        head="decl_var shader_out INTERP_MODE_NONE none vec2 o (VARYING_SLOT_VAR0.zw, 0, 0)\n",
    )
    assert set(result.outputs) == {OutputKey(VAR0, 2), OutputKey(VAR0, 3), OutputKey(VAR0 + 1, 0)}
    assert stored(result, 2) == stored(result, 0, VAR0 + 1) == list(range(8))
    assert stored(result, 3) == [1] * 8


def test_a_boolean_output_is_an_integer_of_32_bits() -> None:
    head = "decl_var shader_out INTERP_MODE_NONE none bool o (VARYING_SLOT_VAR0.x, 0, 0)\n"
    for compare in ("1      %3 = ieq %0, %0", "32     %3 = ieq32 %0, %0"):
        result = run_lines(
            f"    {compare}",
            "    32     %4 = deref_var &o (shader_out bool)",
            "                @store_deref (%4, %3) (wrmask=x, access=none)",
            "    1      %5 = @load_deref (%4) (access=none)",
            "    32     %6 = b2i32 %5",
            store("6", "0", "VARYING_SLOT_VAR1"),
            head=head,
        )
        assert stored(result) == [0xFFFFFFFF] * 8
        assert stored(result, 0, VAR0 + 1) == [1] * 8


def test_an_input_variable_and_an_input_load_see_the_same() -> None:
    result = run_lines(
        "    32     %3 = deref_var &i (shader_in vec4)",
        "    32x4   %4 = @load_deref (%3) (access=none)",
        "    32     %5 = mov %4.y",
        "    32     %6 = @load_input (%0 (0x0)) (base=0, range=1, component=1, dest_type=float32, "
        "io location=VERT_ATTRIB_GENERIC0 slots=1)",
        store("5", "0"),
        store("6", "0", component=1),
        head="decl_var shader_in INTERP_MODE_NONE none vec4 i (VERT_ATTRIB_GENERIC0.xyzw, 0, 0)\n",
    )
    assert stored(result) == stored(result, 1)
    assert len(set(stored(result))) > 1


def test_a_system_variable_is_its_system_value() -> None:
    result = run_lines(
        "    32     %3 = deref_var &gl_VertexID (system int)",
        "    32     %4 = @load_deref (%3) (access=none)",
        "    32     %5 = @load_vertex_id",
        store("4", "0"),
        store("5", "0", component=1),
        head="decl_var system INTERP_MODE_NONE none int gl_VertexID (SYSTEM_VALUE_VERTEX_ID)\n",
    )
    assert stored(result) == stored(result, 1)
