from __future__ import annotations

import pytest

from nirls.passes.buffers.accesses import dynamic_accesses, unsigned_bounds
from tests.passes.shader_text import ZERO, shader

INDEX = "32 %1 = @load_sample_id"
SSBO = "(access=ACCESS, align_mul=4, align_offset=0)"


@pytest.mark.parametrize(
    ("line", "access", "is_load"),
    [
        (f"32 %2 = @load_ssbo (%1, %0) {SSBO}", "none", True),
        (f"32 %2 = @load_ssbo (%1, %0) {SSBO}", "volatile", False),
        ("32 %2 = @get_ssbo_size (%1) (access=ACCESS)", "none", True),
        (f"@store_ssbo (%0, %1, %0) {SSBO.replace('(', '(wrmask=x, ')}", "none", False),
        ("32 %2 = @ssbo_atomic (%1, %0, %0) (access=ACCESS, atomic_op=iadd)", "none", False),
    ],
)
def test_kinds(line: str, access: str, is_load: bool) -> None:
    parsed = shader("FRAGMENT", ZERO, INDEX, line.replace("ACCESS", access), header=["num_ssbos: 3"])
    (found,) = dynamic_accesses(parsed)
    assert (found.kind, found.is_load, found.blocks, found.obstacle) == ("ssbo", is_load, range(3), None)


def test_constant_indices_are_none() -> None:
    line = f"32 %2 = @load_ssbo (%0, %1) {SSBO.replace('ACCESS', 'none')}"
    assert not list(dynamic_accesses(shader("FRAGMENT", ZERO, INDEX, line, header=["num_ssbos: 3"])))


HEAD = (
    "32 %0 = load_const (0x00000003)",
    "32 %1 = load_const (0x00000001)",
    "32 %2 = @load_sample_id",
    "32 %3 = umin %2, %0",
    "1 %4 = ilt %2, %0",
    "32 %5 = load_const (0xffffffff)",
    # Shifts by no bits: the count is taken modulo the number of bits.
    "32 %6 = load_const (0x00000020)",
    "32 %7 = bcsel %4, %1, %6",
)
ALL = (0, 0xFFFFFFFF)


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("32 %9 = mov %0", (3, 3)),
        ("32 %9 = mov %2", ALL),
        ("32 %9 = umin %2, %0", (0, 3)),
        ("32 %9 = umax %3, %1", (1, 3)),
        ("32 %9 = iadd %3, %1", (1, 4)),
        ("32 %9 = iadd %3, %5", ALL),
        ("32 %9 = iand %2, %0", (0, 3)),
        ("32 %9 = imul %3, %0", (0, 9)),
        ("32 %9 = ushr %3, %1", (0, 1)),
        ("32 %9 = ushr %0, %3", (0, 3)),
        ("32 %9 = ushr %3, %6", (0, 3)),
        ("32 %9 = ushr %0, %7", (0, 3)),
        ("32 %9 = ushr %0, %2", (0, 3)),
        ("32 %9 = umod %2, %0", (0, 2)),
        ("32 %9 = bcsel %4, %3, %1", (0, 3)),
        ("32 %9 = b2i32 %4", (0, 1)),
        ("32 %9 = imin %2, %0", ALL),
    ],
)
def test_bounds(text: str, bounds: tuple[int, int]) -> None:
    parsed = shader("FRAGMENT", *HEAD, text)
    (impl,) = parsed.impls()
    value = list(impl.defs())[-1]
    assert unsigned_bounds(value) == bounds


def test_a_long_chain_is_given_up() -> None:
    chain = [f"32 %{number + 1} = iadd %{number}, %{number}" for number in range(5, 4000)]
    parsed = shader("FRAGMENT", *HEAD, *chain)
    (impl,) = parsed.impls()
    assert unsigned_bounds(list(impl.defs())[-1]) == ALL


@pytest.mark.parametrize("text", ["32 %9 = mov %8.z", "32x2 %9 = iadd %8.xw, %8.yz"])
def test_components_that_are_not_there_may_be_anything(text: str) -> None:
    parsed = shader("FRAGMENT", *HEAD, "32x2 %8 = vec2 %0, %1", text)
    (impl,) = parsed.impls()
    value = list(impl.defs())[-1]
    assert unsigned_bounds(value, value.num_components - 1) == ALL
