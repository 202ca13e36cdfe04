"""Variables with storage of their own: initializers, and what a workgroup shares."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.shader_text import store, stored
from tests.verification.evaluate.steps.deref_lines import run_lines


def test_an_initializer_fills_all_elements() -> None:
    result = run_lines(
        "    32     %3 = deref_var &a (function_temp uint[2])",
        "    32     %4 = deref_array &(*%3)[1] (function_temp uint)",
        "    32     %5 = @load_deref (%4) (access=none)",
        store("5", "0"),
        locals_="    decl_var  INTERP_MODE_NONE none uint[2] a = { 0x00000003, 0x00000009 }\n",
    )
    assert stored(result) == [9] * 8


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
