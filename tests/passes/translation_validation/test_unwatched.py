"""Changes of memory order that running cannot check."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation import Different, Unchecked, ValidationOptions, validate_pass
from nirls.passes.translation_validation.unwatched import unwatched_change
from tests.passes.barriers.bodies import barriers, compute, in_stage
from tests.passes.expectation import parse_body


def without_barriers(shader: Shader) -> Shader:
    after = clone_shader(shader)
    for barrier in barriers(after):
        barrier.remove()
    return after


BYTE = "8 %8 = u2u8 %2\n@store_shared (%8, %3) (base=0, wrmask=x, align_mul=1, align_offset=0)"
DESCRIPTOR = (
    "32x4 %5 = vec4 %0, %0, %0, %0\n"
    "32 %9 = @load_buffer_amd (%5, %0, %0, %0) (base=0, memory_modes=ssbo, access=none)"
)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (f"{BYTE}\nwait shared\n%9 = sld [%0]\ngst %9", "8-bit"),
        (f"gst %2\nwait ssbo\n{DESCRIPTOR}\nsst %9 [%3]", "descriptors"),
        ("gst %2\nfence ssbo\ngst %3", "other workgroups"),
        ("sst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9", None),
        ("fence ssbo\ngst %3", None),
    ],
)
def test_barriers_that_are_gone(body: str, part: str | None) -> None:
    shader = compute(body)
    assert unwatched_change(shader, clone_shader(shader)) is None
    reason = unwatched_change(shader, without_barriers(shader))
    assert (reason is None) if part is None else (reason is not None and part in reason)


def test_runs_that_could_only_show_a_difference_are_made_if_it_is_sought() -> None:
    load = "8 %10 = @load_shared (%0) (base=0, align_mul=1, align_offset=0)\n32 %9 = u2u32 %10"
    body = f"{BYTE}\nwait shared\n{load}\ngst %9"
    shader, other = compute(body), without_barriers(compute(body.replace("gst %9", "gst %2")))
    assert isinstance(validate_pass(shader, other), Different)
    verdict = validate_pass(shader, other, ValidationOptions(seeks_difference=False))
    assert isinstance(verdict, Unchecked)
    assert "8-bit" in verdict.reason


@pytest.mark.parametrize(
    ("stage", "body", "part"),
    [
        ("GEOMETRY", "wait shared\n%9 = sld [%0]\ngst %9", "merged shaders"),
        ("VERTEX", "sst %2 [%3]\nwait shared", "merged shaders"),
        ("VERTEX", "gst %2\nfence ssbo", "other workgroups"),
        ("COMPUTE", "gst %2\nfence ssbo", None),
        ("GEOMETRY", "wait shared\ngst %2", None),
    ],
)
def test_barriers_for_other_shaders(stage: str, body: str, part: str | None) -> None:
    shader = in_stage(stage, body)
    reason = unwatched_change(shader, without_barriers(shader))
    assert reason is None if part is None else part in (reason or "")


def test_an_unwatched_access_that_moves_across_a_barrier() -> None:
    before = compute(f"{BYTE}\nwait shared\n%9 = sld [%0]\ngst %9")
    after = compute(f"wait shared\n{BYTE}\n%9 = sld [%0]\ngst %9")
    assert unwatched_change(before, after) is not None


def test_a_load_that_is_gone() -> None:
    before = compute(f"{DESCRIPTOR}\nsst %2 [%3]\nwait shared\n%10 = sld [%0]\ngst %10")
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    next(instr for instr in impl.instrs() if getattr(instr, "name", "") == "load_buffer_amd").remove()
    assert unwatched_change(before, after) is None


def test_the_order_of_overlapping_fragments() -> None:
    text = """
block b0:  // preds:
32 %0 = load_const (0x00000000)
@begin_invocation_interlock
32 %1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)
@end_invocation_interlock
block b1:
"""
    shader = parse_body(text, "FRAGMENT")
    after = clone_shader(shader)
    impl = after.entrypoint
    assert impl is not None
    next(instr for instr in impl.instrs() if getattr(instr, "name", "").startswith("begin")).remove()
    reason = unwatched_change(shader, after)
    assert reason is not None
    assert "overlapping" in reason


def test_a_fence_in_a_loop() -> None:
    body = """loop {
        block b1:  // preds: b0 b1
        gst %2
        fence ssbo
    }
    block b2:  // preds:
    """
    shader = compute(body)
    assert unwatched_change(shader, without_barriers(shader)) is not None
