"""Changes of memory order that running cannot check."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.verification.compare.unmodelled import unmodelled_change
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.barriers.bodies import barriers, compute, in_stage
from tests.passes.expectation import parse_body
from tests.passes.shader_text import ZERO, shader, use


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
HALF = "16 %8 = u2u16 %2\n@store_shared (%8, %3) (base=0, wrmask=x, align_mul=2, align_offset=0)"
CONSTANT = "32 %9 = @load_ssbo (%0, %0) (access=reorderable, align_mul=4, align_offset=0)"
BYTE_LOAD = "8 %10 = @load_shared (%0) (base=0, align_mul=1, align_offset=0)\n32 %9 = u2u32 %10"
IMAGE = "(image_dim=2D, image_array=false, format=none, access=none"
PLACE = "32x4 %6 = vec4 %2, %0, %0, %0"
IMAGE_STORE = f"{PLACE}\n@image_store (%0, %6, %0, %6, %0) {IMAGE}, src_type=uint32)"
FETCH = "32x2 %7 = vec2 %0, %0\n32x4 %9 = (uint32)txf %7 (coord), %0 (lod), 0 (texture)"
READ = f"{FETCH}\n32 %13 = mov %9.x\nsst %13 [%3]"
HALF_IMAGE_LOAD = f"{PLACE}\n16x4 %9 = @image_load (%0, %6, %0, %0) {IMAGE}, dest_type=uint16)"


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (f"{BYTE}\nwait shared\n%9 = sld [%0]\ngst %9", "8-bit"),
        (f"gst %2\nwait ssbo\n{DESCRIPTOR}\nsst %9 [%3]", "descriptors"),
        ("gst %2\nfence ssbo\ngst %3", "other workgroups"),
        ("sst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9", None),
        ("fence ssbo\ngst %3", None),
        ("gst %2\nfence ssbo", None),
        ("gst %2\nfence ssbo\nfence ssbo", None),
        ("sst %2 [%3]\nfence ssbo\ngst %3", None),
        # Other workgroups cannot access shared memory, whatever the scope of the fence.
        ("gst %2\nsst %2 [%3]\nfence shared\n%9 = sld [%0]\ngst %9", None),
        (f"sst %2 [%3]\nwait shared\n{BYTE_LOAD}\ngst %9", "8-bit"),
        (
            f"{HALF}\nwait shared\n%9 = sld [%0]\ngst %9",
            "16-bit",
        ),
        # Images are watched by the texel.
        (f"{HALF_IMAGE_LOAD}\nsst %2 [%3]\nwait shared\n%11 = sld [%0]\ngst %11", None),
        (f"{IMAGE_STORE}\nwait image\n{READ}", "textures"),
        (f"{READ}\nwait shared\n%11 = sld [%0]\ngst %11", None),
    ],
)
def test_barriers_that_are_gone(body: str, part: str | None) -> None:
    shader = compute(body)
    assert unmodelled_change(shader, clone_shader(shader)) is None
    reason = unmodelled_change(shader, without_barriers(shader))
    assert (reason is None) if part is None else (reason is not None and part in reason)


def test_runs_that_could_only_show_a_difference_are_made_if_it_is_sought() -> None:
    body = f"{BYTE}\nwait shared\n{BYTE_LOAD}\ngst %9"
    shader, other = compute(body), without_barriers(compute(body.replace("gst %9", "gst %2")))
    assert isinstance(verify_shaders(shader, other), Different)
    verdict = verify_shaders(shader, other, VerificationOptions(seeks_difference=False))
    assert isinstance(verdict, Unchecked)
    assert "8-bit" in verdict.reason


@pytest.mark.parametrize(
    ("stage", "body", "part"),
    [
        ("GEOMETRY", "wait shared\n%9 = sld [%0]\ngst %9", "merged shaders"),
        ("VERTEX", "sst %2 [%3]\nwait shared", "merged shaders"),
        ("VERTEX", "sst %2 [%3]\n@control_barrier", "merged shaders"),
        ("VERTEX", "sst %2 [%3]\n@memory_barrier_image", None),
        ("VERTEX", "gst %2\nfence ssbo", "other workgroups"),
        ("COMPUTE", "gst %2\nfence ssbo", None),
        ("GEOMETRY", "wait shared\ngst %2", None),
    ],
)
def test_barriers_for_other_shaders(stage: str, body: str, part: str | None) -> None:
    shader = in_stage(stage, body)
    reason = unmodelled_change(shader, without_barriers(shader))
    assert reason is None if part is None else part in (reason or "")


def test_an_unwatched_access_that_moves_across_a_barrier() -> None:
    before = compute(f"{BYTE}\nwait shared\n%9 = sld [%0]\ngst %9")
    after = compute(f"wait shared\n{BYTE}\n%9 = sld [%0]\ngst %9")
    assert unmodelled_change(before, after) is not None


FIRST = "@store_ssbo (%2, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
THIRD = FIRST.replace("%0, %0)", "%0, %1)")
OWN = FIRST.replace("%0, %0)", "%0, %3)")
SUM = "32 %8 = iadd %3, %0"
SECOND = "@store_ssbo (%2, %0, %1) (wrmask=x, access=none, align_mul=8, align_offset=4)"


@pytest.mark.parametrize(
    ("before", "after", "is_unwatched"),
    [
        (f"{FIRST}\nfence ssbo\n{SECOND}", f"{FIRST}\n{SECOND}\nfence ssbo", True),
        (f"{FIRST}\nfence ssbo\n{SECOND}", f"fence ssbo\n{FIRST}\n{SECOND}", True),
        (f"%9 = gld\nfence ssbo\n{SECOND}", f"fence ssbo\n%9 = gld\n{SECOND}", True),
        # Two stores that differ in their place only.
        (f"{FIRST}\nfence ssbo\n{THIRD}", f"{THIRD}\nfence ssbo\n{FIRST}", True),
        (f"{OWN}\nfence ssbo\n{FIRST}", f"{FIRST}\nfence ssbo\n{OWN}", True),
        # One store at an index that is computed otherwise.
        (f"{SUM}\n{OWN.replace('%3', '%8')}\nfence ssbo\n{FIRST}", f"{OWN}\nfence ssbo\n{FIRST}", False),
        # The second of two equal fences.
        (f"fence ssbo\n{FIRST}\nfence ssbo\n{SECOND}", f"fence ssbo\n{FIRST}\n{SECOND}", True),
        # Nobody waits for what is on one side only.
        (f"{FIRST}\n{SECOND}\nfence ssbo", f"fence ssbo\n{FIRST}\n{SECOND}", False),
        # Shared memory is not what the fence orders.
        (f"{FIRST}\nsst %2 [%3]\nfence ssbo\n{SECOND}", f"{FIRST}\nfence ssbo\nsst %2 [%3]\n{SECOND}", False),
        # A load that is gone, and one that depends on nothing.
        (f"{FIRST}\nfence ssbo\n%9 = gld\n{SECOND}", f"{FIRST}\nfence ssbo\n{SECOND}", False),
        (f"{FIRST}\n%9 = gld\nfence ssbo\n{SECOND}", f"{FIRST}\nfence ssbo\n{SECOND}", False),
        (f"{FIRST}\n{CONSTANT}\nfence ssbo\n{SECOND}", f"{FIRST}\nfence ssbo\n{CONSTANT}\n{SECOND}", False),
        # One store becomes two.
        (f"{FIRST}\nfence ssbo\n{SECOND}", f"{FIRST}\n{FIRST}\nfence ssbo\n{SECOND}", False),
        # Another barrier is gone at the same time, or two fences change places.
        (f"{FIRST}\nfence ssbo\n{SECOND}\nwait shared", f"{FIRST}\n{SECOND}\nfence ssbo", True),
        (f"{FIRST}\nfence ssbo\n{SECOND}\nfence shared", f"{FIRST}\n{SECOND}\nfence ssbo", True),
        (
            f"{FIRST}\nfence ssbo\n{SECOND}\nfence image",
            f"{FIRST}\nfence image\n{SECOND}\nfence ssbo",
            True,
        ),
        (
            f"%9 = gld\n{FIRST}\nfence ssbo\n{SECOND}\nfence ssbo\n{FIRST}",
            f"{FIRST}\nfence ssbo\n{SECOND}\nfence ssbo\n{FIRST}",
            False,
        ),
        # On the same side of all fences.
        (
            f"{SECOND}\n{DESCRIPTOR}\n{FIRST}\nfence ssbo\n{SECOND}",
            f"{SECOND}\n{FIRST}\n{DESCRIPTOR}\nfence ssbo\n{SECOND}",
            False,
        ),
        # Without barriers, there is no order.
        (BYTE, "sst %2 [%3]", False),
    ],
)
def test_accesses_that_cross_a_fence(before: str, after: str, is_unwatched: bool) -> None:
    """Other workgroups may see them in the other order."""
    reason = unmodelled_change(compute(before), compute(after))
    assert reason == ("accesses of other workgroups are not modelled" if is_unwatched else None)


def test_runs_do_not_show_what_other_workgroups_see() -> None:
    before, after = compute("gst %1\nfence ssbo\ngst %1"), compute("gst %1\ngst %1\nfence ssbo")
    verdict = verify_shaders(before, after, VerificationOptions(seeks_difference=False))
    assert isinstance(verdict, Unchecked)
    assert "other workgroups" in verdict.reason


def test_a_fence_that_moves_across_an_unwatched_access() -> None:
    before = compute(f"gst %2\nfence ssbo\nsst %2 [%3]\n{DESCRIPTOR}\ngst %3")
    after = compute(f"gst %2\nsst %2 [%3]\n{DESCRIPTOR}\nfence ssbo\ngst %3")
    assert unmodelled_change(before, after) == "accesses of other workgroups are not modelled"


def test_a_fence_that_stays_while_another_barrier_is_gone() -> None:
    body = "gst %2\nfence ssbo\ngst %3\nsst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9"
    assert unmodelled_change(compute(body), compute(body.replace("wait shared\n", ""))) is None


def test_a_load_that_is_gone() -> None:
    before = compute(f"{DESCRIPTOR}\nsst %2 [%3]\nwait shared\n%10 = sld [%0]\ngst %10")
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    next(instr for instr in impl.instrs() if getattr(instr, "name", "") == "load_buffer_amd").remove()
    assert unmodelled_change(before, after) is None


def test_a_load_whose_value_is_kept_across_a_fence() -> None:
    before = compute("%9 = gld\nfence ssbo\n%10 = gld\n32 %11 = isub %9, %10\nsst %11 [%3]")
    reused = compute("%9 = gld\nfence ssbo\n32 %11 = isub %9, %9\nsst %11 [%3]")
    assert unmodelled_change(before, reused) == "accesses of other workgroups are not modelled"
    unused = compute("%9 = gld\nfence ssbo\n%10 = gld\n32 %11 = isub %9, %9\nsst %11 [%3]")
    assert unmodelled_change(unused, reused) is None


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
    reason = unmodelled_change(shader, after)
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
    assert unmodelled_change(shader, without_barriers(shader)) is not None


VOLATILE_LOAD = "32 %{} = @load_ssbo (%0, %0) (access=volatile, align_mul=4, align_offset=0)"
VOLATILE_STORE = "@store_ssbo (%{}, %0, %0) (wrmask=x, access=volatile, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (f"{VOLATILE_STORE.format(2)}\n{VOLATILE_STORE.format(0)}", VOLATILE_STORE.format(0)),
        (f"{VOLATILE_LOAD.format(8)}\ngst %2", "gst %2"),
        (
            f"{VOLATILE_LOAD.format(8)}\n{VOLATILE_LOAD.format(9)}\n32 %10 = iadd %8, %9\ngst %10",
            f"{VOLATILE_LOAD.format(8)}\n32 %10 = iadd %8, %8\ngst %10",
        ),
        (VOLATILE_STORE.format(2), VOLATILE_STORE.format(2).replace("volatile", "none")),
    ],
)
def test_volatile_accesses_stay(before: str, after: str) -> None:
    first, second = compute(before), compute(after)
    assert unmodelled_change(first, second) == "a volatile access is gone, which others may see"
    assert isinstance(verify_shaders(first, second), Unchecked)
    assert unmodelled_change(second, first) is None


@pytest.mark.parametrize(
    ("stage", "before", "after", "is_seen"),
    [
        ("FRAGMENT", "early_fragment_tests: true", "", False),
        ("FRAGMENT", "", "uses_sample_shading: true", False),
        ("FRAGMENT", "depth_layout: 2", "depth_layout: 3", False),
        ("FRAGMENT", "uses_discard: true", "", True),
        ("TESS_EVAL", "spacing: 1", "spacing: 2", False),
        ("TESS_EVAL", "spacing: 0", "spacing: 2", True),
        ("GEOMETRY", "vertices_out: 4", "vertices_out: 3", False),
        (
            "GEOMETRY",
            "vertices_out: 4\noutput_primitive: POINTS",
            "vertices_out: 4\noutput_primitive: LINE_STRIP",
            False,
        ),
        ("GEOMETRY", "vertices_out: 0\noutput_primitive: POINTS", "output_primitive: LINE_STRIP", True),
    ],
)
def test_state_of_fixed_hardware_in_the_header(stage: str, before: str, after: str, is_seen: bool) -> None:
    first, second = (shader(stage, ZERO, use("%0"), header=lines.split("\n")) for lines in (before, after))
    reason = unmodelled_change(first, second)
    assert (reason is None) is is_seen
    assert is_seen or "the header has another" in str(reason)
