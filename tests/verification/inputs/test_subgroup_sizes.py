"""Sizes of subgroups: stated, written by a pass, or all in turn."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.inputs.subgroup_sizes import SubgroupSizes, subgroup_sizes
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader

ALL = (8, 16, 32, 64, 128)
SIZE = "32 %9 = @load_subgroup_size"
BALLOT = ("1 %2 = ieq %1, %1", "{} %3 = @ballot (%2)")


def compute(*lines: str, header: Sequence[str] = ("subgroup_size: 1",)) -> Shader:
    """A compute shader that stores %9."""
    return shader(
        "COMPUTE",
        ZERO,
        "32 %1 = @load_local_invocation_index",
        *lines,
        "32 %50 = load_const (0x00000002)",
        "32 %51 = ishl %1, %50",
        "@store_ssbo (%9, %0, %51) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        header=("workgroup_size: 128, 1, 1", "num_ssbos: 1", *header),
    )


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        *((f"subgroup_size: {kind}", ALL) for kind in range(4)),
        *((f"subgroup_size: {size}", (size,)) for size in (4, 8, 32, 64, 128)),
        ("min_subgroup_size: 8\nmax_subgroup_size: 32", (8, 16, 32)),
        ("min_subgroup_size: 1\nmax_subgroup_size: 128", ALL),
        ("min_subgroup_size: 64\nmax_subgroup_size: 64", (64,)),
        ("num_ubos: 1", ALL),
    ],
)
def test_a_header_states_the_size_or_a_range(header: str, expected: tuple[int, ...]) -> None:
    stated = compute(SIZE, header=(header,))
    assert subgroup_sizes([stated], [stated]) == SubgroupSizes((expected,), matters=True)


@pytest.mark.parametrize(("shape", "most"), [("32", 32), ("64", 64), ("32x4", 128), ("32x2", 64)])
def test_a_ballot_has_room_for_the_subgroup(shape: str, most: int) -> None:
    lines = [line.format(shape) for line in BALLOT]
    ballot = compute(*lines, "32 %9 = ushr %3.x, %0" if shape != "64" else "32 %9 = u2u32 %3")
    assert subgroup_sizes([ballot], [ballot]).alternatives == (tuple(size for size in ALL if size <= most),)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (("32 %9 = load_const (0x00000040)",), ((64,),)),
        (("32 %9 = load_const (0x00000008)", "32 %8 = load_const (0x00000010)"), ((8,), (16,))),
        (("32 %8 = load_const (0x0000003f)", "32 %9 = iadd %8, %1"), ((64,),)),
        (("32 %8 = load_const (0x00000005)", "32 %9 = ushr %1, %8"), ((32,),)),
        (("32 %9 = mov %1",), (ALL,)),
    ],
)
def test_a_pass_may_write_the_size(written: tuple[str, ...], expected: tuple[tuple[int, ...], ...]) -> None:
    found = subgroup_sizes([compute(SIZE)], [compute(*written)])
    assert found == SubgroupSizes(expected, matters=True)


def test_the_size_does_not_matter_without_operations_on_subgroups() -> None:
    plain = compute("32 %9 = mov %1")
    assert subgroup_sizes([plain], [plain]) == SubgroupSizes()
    verdict = verify_shaders(plain, plain)
    assert isinstance(verdict, Equivalent)
    assert verdict.tried.subgroup_sizes == ()


VOTE = ("32 %4 = load_const (0x00000028)", "1 %5 = ult %1, %4", "1 %6 = @vote_any (%5)", "32 %9 = b2i32 %6")
"""Whether any invocation of the subgroup is below 40."""

EQUIVALENT = {
    "the size as a constant": ((SIZE,), ("32 %9 = load_const (0x00000040)",), (64,)),
    "a mask of the size": (
        (
            SIZE.replace("%9", "%8"),
            "32 %7 = load_const (0xffffffff)",
            "32 %6 = iadd %8, %7",
            "32 %9 = iand %1, %6",
        ),
        ("32 %8 = load_const (0x0000001f)", "32 %9 = iand %1, %8"),
        (32,),
    ),
    "the subgroup's number as a shift": (
        ("32 %9 = @load_subgroup_id",),
        ("32 %8 = load_const (0x00000004)", "32 %9 = ushr %1, %8"),
        (16,),
    ),
    "the same vote": (VOTE, (*VOTE[:3], "32 %7 = load_const (0x1)", "32 %9 = bcsel %6, %7, %0"), ALL),
}


@pytest.mark.parametrize("name", EQUIVALENT)
def test_the_verdict_says_the_sizes_that_were_tried(name: str) -> None:
    before, after, sizes = EQUIVALENT[name]
    verdict = verify_shaders(compute(*before), compute(*after))
    assert isinstance(verdict, Equivalent)
    assert verdict.tried.subgroup_sizes == sizes
    assert f"subgroups of {', '.join(map(str, sizes))}" in str(verdict)


DIFFERENT = {
    "a constant that is not the stated size": (
        (SIZE,),
        ("32 %9 = load_const (0x00000040)",),
        ("subgroup_size: 32",),
    ),
    "right for 32 invocations, where 64 are stated": (
        ("32 %9 = @load_subgroup_invocation",),
        ("32 %8 = load_const (0x0000001f)", "32 %9 = iand %1, %8"),
        ("subgroup_size: 64",),
    ),
    "a vote over 32 invocations where there are 16": (
        VOTE,
        (*VOTE[:3], "32 %7 = load_const (0x40)", "1 %8 = ult %1, %7", "32 %9 = b2i32 %8"),
        ("subgroup_size: 16",),
    ),
    "a size that no reading explains": (
        (SIZE,),
        ("32 %9 = load_const (0x0000000c)",),
        ("subgroup_size: 2",),
    ),
    "an extra invocation": (
        ("32 %9 = @load_subgroup_id",),
        ("32 %8 = load_const (0x00000005)", "32 %7 = iadd %1, %8", "32 %9 = ushr %7, %8"),
        ("subgroup_size: 1",),
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_result_of_another_size_is_different(name: str) -> None:
    before, after, header = DIFFERENT[name]
    verdict = verify_shaders(compute(*before, header=header), compute(*after, header=header))
    assert isinstance(verdict, Different)
    assert "subgroups of" in str(verdict)
