"""Barriers: who must reach them."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.result import ShaderResult
from tests.verification.evaluate.shader_text import run, shader_of

TEXT = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @{}
    1      %3 = ieq %2, %1 (0x1)
                // succs: b1 b2
    if %3 {{
        block b1:   // preds: b0
                    @{}
                    // succs: b3
    }} else {{
        block b2:   // preds: b0, succs: b3
    }}
    block b3:   // preds: b1 b2, succs: b99"""
HEAD = "workgroup_size: 4, 1, 1\n"
MEMORY = "memory_scope=WORKGROUP, mem_semantics=ACQ|REL, mem_modes=shared)"


def run_barrier(condition: str, barrier: str, stage: str = "COMPUTE") -> ShaderResult:
    return run(shader_of(TEXT.format(condition, barrier), stage, HEAD if stage == "COMPUTE" else ""))


@pytest.mark.parametrize("barrier", ["control_barrier", f"barrier (execution_scope=WORKGROUP, {MEMORY}"])
def test_a_part_of_a_workgroup_may_not_wait(barrier: str) -> None:
    assert run_barrier("load_local_invocation_index", barrier).given_up


def test_a_part_of_a_patch_may_not_wait() -> None:
    assert run_barrier("load_invocation_id", "control_barrier", "TESS_CTRL").given_up


def test_one_of_two_workgroups_may_wait_as_a_whole() -> None:
    assert not run_barrier("load_workgroup_index", "control_barrier").given_up


@pytest.mark.parametrize(
    "barrier",
    ["memory_barrier_shared", "group_memory_barrier", f"barrier (execution_scope=NONE, {MEMORY}", "nop"],
)
def test_barriers_of_memory_alone_wait_for_nobody(barrier: str) -> None:
    assert not run_barrier("load_local_invocation_index", barrier).given_up


def test_outside_of_workgroups_there_is_nobody_to_wait_for() -> None:
    assert not run_barrier("load_vertex_id_zero_base", "control_barrier", "VERTEX").given_up
