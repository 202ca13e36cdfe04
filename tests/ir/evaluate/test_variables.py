"""Variables: initializers, inputs and outputs by derefs, uniforms, what cannot be stored to."""

from __future__ import annotations

import pytest

from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.evaluate.supported import supported_intrinsics
from nirls.ir.evaluate.variables import BUILT_IN_NAMES
from tests.ir.evaluate.shader_text import VAR0, run, shader_of, store, stored


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


CONSTANTS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
"""


def run_lines(*lines: str, head: str = "", stage: str = "VERTEX", locals_: str = ""):  # type: ignore[no-untyped-def]
    body = "\n".join([CONSTANTS, *lines, "                // succs: b99"])
    return run(shader_of(body, stage, head, locals_))


def test_an_initializer_fills_all_elements() -> None:
    result = run_lines(
        "    32     %3 = deref_var &a (function_temp uint[2])",
        "    32     %4 = deref_array &(*%3)[1] (function_temp uint)",
        "    32     %5 = @load_deref (%4) (access=none)",
        store("5", "0"),
        locals_="    decl_var  INTERP_MODE_NONE none uint[2] a = { 0x00000003, 0x00000009 }\n",
    )
    assert stored(result) == [9] * 8


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


def test_uniforms_differ_by_name_and_element_but_not_by_lane() -> None:
    lines, stores = [], []
    for number, (name, at) in enumerate((("a", 0), ("a", 1), ("b", 0), ("a", 0))):
        base = 10 * (number + 1)
        lines += [
            f"    32     %{base} = deref_var &{name} (uniform float[2])",
            f"    32     %{base + 1} = deref_array &(*%{base})[{at}] (uniform float)",
            f"    32     %{base + 2} = @load_deref (%{base + 1}) (access=none)",
        ]
        stores.append(store(str(base + 2), "0", component=number))
    head = "".join(
        f"decl_var uniform INTERP_MODE_NONE none float[2] {name} ({place}, 0, 0)\n"
        for place, name in enumerate("ab")
    )
    result = run_lines(*lines, *stores, head=head)
    values = [stored(result, number) for number in range(4)]
    assert all(len(set(value)) == 1 for value in values)
    assert values[0] == values[3]
    assert len({value[0] for value in values}) == 3


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


def test_shared_variables_belong_to_a_workgroup() -> None:
    head = "workgroup_size: 4, 1, 1\ndecl_var shared INTERP_MODE_NONE none uint s\n"
    head += "decl_var ssbo INTERP_MODE_NONE none Out dst (~0, 0, 1)\n"
    result = run_lines(
        "    32     %3 = @load_workgroup_index",
        "    32     %4 = deref_var &s (shared uint)",
        "                @store_deref (%4, %3) (wrmask=x, access=none)",
        "                @barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)",  # noqa: E501
        "    32     %5 = @load_deref (%4) (access=none)",
        "    32     %6 = @load_global_invocation_index",
        "    32     %7 = load_const (0x00000002)",
        "    32     %8 = ishl %6, %7 (0x2)",
        "                @store_ssbo (%5, %0 (0x0), %8) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        head=head,
        stage="COMPUTE",
    )
    assert [result.memory["ssbo", 0, lane].bits for lane in range(8)] == [0] * 4 + [1] * 4


@pytest.mark.parametrize("component", ["%11", "%3"])
def test_a_component_of_a_shared_vector_that_lanes_store_differently_is_undefined(component: str) -> None:
    """All lanes of a workgroup store their number to one component, chosen by a constant or by each lane."""
    head = "workgroup_size: 2, 1, 1\ndecl_var shared INTERP_MODE_NONE none uvec2 s\n"
    result = run_lines(
        "    32     %10 = load_const (0x00000002)",
        "    32     %11 = load_const (0x00000000)",
        "    32     %3 = @load_local_invocation_index",
        "    32     %4 = deref_var &s (shared uvec2)",
        f"    32     %5 = deref_array &(*%4)[{component}] (shared uint)",
        "                @store_deref (%5, %3) (wrmask=x, access=none)",
        "                @barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)",  # noqa: E501
        "    32x2   %6 = @load_deref (%4) (access=none)",
        "    32     %7 = @load_global_invocation_index",
        "    32     %8 = ishl %7, %10 (0x2)",
        "    32     %9 = mov %6.x",
        "                @store_ssbo (%9, %0 (0x0), %8) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        head=head,
        stage="COMPUTE",
    )
    is_racing = component == "%11"
    assert [result.memory["ssbo", 0, lane].poison for lane in range(8)] == [is_racing] * 8
    assert result.communicating == {0}


@pytest.mark.parametrize(("mode", "is_astray"), [("shared", True), ("shader_temp", False)])
def test_a_store_at_an_undefined_index_of_shared_memory_may_affect_other_invocations(
    mode: str, is_astray: bool
) -> None:
    result = run_lines(
        "    32     %3 = undefined",
        f"    32     %4 = deref_var &a ({mode} uint[4])",
        f"    32     %5 = deref_array &(*%4)[%3] ({mode} uint)",
        "                @store_deref (%5, %1 (0x1)) (wrmask=x, access=none)",
        head=f"workgroup_size: 2, 1, 1\ndecl_var {mode} INTERP_MODE_NONE none uint[4] a\n",
        stage="COMPUTE",
    )
    assert result.poisoned.all()
    assert set(result.astray.tolist()) == {is_astray}


def test_uniforms_cannot_be_stored_to() -> None:
    with pytest.raises(Unsupported, match="store_deref to uniform"):
        run_lines(
            "    32     %3 = deref_var &a (uniform uint)",
            "                @store_deref (%3, %0 (0x0)) (wrmask=x, access=none)",
            head="decl_var uniform INTERP_MODE_NONE none uint a (0, 0, 0)\n",
        )
