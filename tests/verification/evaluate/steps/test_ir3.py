"""The constant file of Adreno GPUs, and the preamble that fills it."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import run, shader_of, store, stored

ZERO = "32     %0 = load_const (0x00000000)"


def outputs(*lines: str) -> tuple[list[int], list[int]]:
    """Results %8 and %9 of a block."""
    body = "\n    ".join(lines)
    text = f"""
    block b0:   // preds:
    {ZERO}
    {body}
{store("8", "0")}
{store("9", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(text))
    return stored(result), stored(result, 1)


@pytest.mark.parametrize(
    ("filled", "expected"),
    [
        # One vector is the same registers as two.
        ("32x2 %1 = @load_const_ir3 (%0 (0x0)) (base=8)", "32 %9 = mov %1.y"),
        # Sources count registers.
        ("32 %1 = load_const (0x00000005)", "32 %9 = @load_const_ir3 (%1 (0x5)) (base=4)"),
        # Push constants are in the registers of their numbers, copied or not.
        ("32 %1 = load_const (0x00000024)", "32 %9 = @load_push_constant (%1 (0x24)) (base=0, range=64)"),
        ("32x2 %1 = vec2 %0, %0\n    @store_const_ir3 (%1) (base=8)", "32 %9 = mov %0"),
        # The register behind a copy stays.
        (
            "32 %1 = load_const (0x00000014)\n"
            "    @copy_push_const_to_uniform_ir3 (%1 (0x14)) (base=8, range=1)",
            "32 %9 = @load_push_constant (%0) (base=36, range=64)",
        ),
        (
            "32 %1 = load_const (0x00000001)\n"
            "    @copy_ubo_to_uniform_ir3 (%1 (0x1), %0 (0x0)) (base=9, range=1)",
            "32 %9 = @load_ubo (%1 (0x1), %0) (align_mul=4, align_offset=0, range_base=0, range=64)",
        ),
        (
            "32 %1 = load_const (0x00000010)\n"
            "    @copy_ubo_to_uniform_ir3 (%0 (0x0), %0 (0x0)) (base=5, range=2)",
            "32 %9 = @load_ubo (%0 (0x0), %1) (align_mul=4, align_offset=0, range_base=0, range=64)",
        ),
        (
            "32 %1 = load_const (0x00000008)\n"
            "    @copy_push_const_to_uniform_ir3 (%1 (0x8)) (base=20, range=2)",
            "32 %9 = @load_const_ir3 (%0 (0x0)) (base=21)",
        ),
    ],
)
def test_the_same_register(filled: str, expected: str) -> None:
    one, other = outputs(filled, "32 %8 = @load_const_ir3 (%0 (0x0)) (base=9)", expected)
    assert one == other


def test_registers_differ() -> None:
    one, other = outputs(
        "32 %8 = @load_const_ir3 (%0 (0x0)) (base=9)", "32 %9 = @load_const_ir3 (%0 (0x0)) (base=10)"
    )
    assert one != other


def test_the_preamble_fills_registers_for_all() -> None:
    text = f"""
    block b0:   // preds:
    {ZERO}
    1      %1 = @preamble_start_ir3
                // succs: b1 b2
    if %1 {{
        block b1:   // preds: b0
        32     %2 = load_const (0x00000002)
                    @copy_ubo_to_uniform_ir3 (%0 (0x0), %2 (0x2)) (base=4, range=1)
        32     %3 = load_const (0x12345678)
                    @store_const_ir3 (%3) (base=5)
                    @preamble_end_ir3
                    // succs: b3
    }} else {{
        block b2:   // preds: b0
                    // succs: b3
    }}
    block b3:   // preds: b1 b2
    32     %4 = load_const (0x00000028)
    32     %5 = @load_ubo (%0 (0x0), %4 (0x28)) (align_mul=4, align_offset=0, range_base=0, range=64)
    32     %6 = @load_const_ir3 (%0 (0x0)) (base=6)
    32     %7 = ixor %5, %6
    32     %8 = @load_const_ir3 (%0 (0x0)) (base=5)
{store("7", "0")}
{store("8", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(text))
    assert set(stored(result)) == {0}
    assert set(stored(result, 1)) == {0x12345678}
    assert not result.memory


def test_registers_read_as_uniforms_are_not_evaluated() -> None:
    with pytest.raises(Unsupported, match="load_uniform"):
        outputs(
            "@copy_ubo_to_uniform_ir3 (%0, %0) (base=0, range=16)",
            "32 %8 = @load_uniform (%0) (base=4, range=1, dest_type=float32)",
            "32 %9 = mov %8",
        )
