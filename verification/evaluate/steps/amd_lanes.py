"""AMD's operations across the lanes of a wave, and on the bytes of a word."""

from __future__ import annotations

import re

import numpy as np

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.alu.operation import encode
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.state.subgroup_lanes import lane_with, subgroup_invocation
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.quads import take_lanes
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, lane_index, select

_MASKED = re.compile(r"\(\(id & (-?\d+)\) \| (-?\d+)\) \^ (-?\d+)")
_LANES_TO_SWIZZLE = 32
_ROW = 16


def _masks(instr: IntrinsicInstr) -> tuple[int, int, int]:
    """Parse the masks: `((id & 31) | 0) ^ 1`, or in older dumps a number with five bits for each mask."""
    value = instr.indices.get("swizzle_mask", 0)
    if isinstance(value, int):
        return value & 31, value >> 5 & 31, value >> 10 & 31
    match = _MASKED.match(str(value))
    if match is None:
        raise Unsupported(f"{instr.name} with the mask {value}")
    keep, force, flip = (int(number) & 31 for number in match.groups())
    return keep, force, flip


def _masked_swizzle(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    keep, force, flip = _masks(instr)
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)

    def step(state: State) -> None:
        own = subgroup_invocation(state)
        within = (own & keep | force) ^ flip
        source = own // _LANES_TO_SWIZZLE * _LANES_TO_SWIZZLE + within
        write(state, take_lanes(state, read(state), lane_with(state, source)))

    return step


def _quad_swizzle(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """The mask is printed as four digits: the quad lane that each lane reads."""
    digits = f"{instr.int_index('swizzle_mask'):04d}"
    if len(digits) != 4 or not set(digits) <= set("0123"):
        raise Unsupported(f"{instr.name} with the mask {digits}")
    table = np.array([int(digit) for digit in digits])
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)

    def step(state: State) -> None:
        lanes = state.lane_numbers
        write(state, take_lanes(state, read(state), (lanes & ~np.int64(3)) + table[lanes & 3]))

    return step


def _is_below(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Return whether the subgroup invocation is less than an 8-bit field of the source."""
    read, write = compiler.operand(instr, 0), compiler.write(instr)
    shift = instr.int_index("base")
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        count = read(state)
        limit = lane_index(count) >> shift & 0xFF
        truth = (subgroup_invocation(state) < limit)[None]
        write(state, Marks.of(count).marked(Value(encode(truth, "bool", bit_size), bit_size)))

    return step


def _count_bits_below(state: State, mask: Value, add: Value) -> Value:
    """Count the mask bits below the subgroup invocation, and add a number."""
    below = (np.uint64(1) << np.minimum(subgroup_invocation(state), 63).astype(np.uint64)) - np.uint64(1)
    counted = mask.bits[0].astype(np.uint64) & below
    bits = np.array([int(number).bit_count() for number in counted], np.uint32) + add.bits[0]
    return Marks.of(mask, add).marked(Value(bits.astype(np.uint32)[None], 32))


def _permute_row(state: State, value: Value, low: Value, high: Value) -> Value:
    """Read from a lane of the row of 16, by four bits of two words (`v_permlane16_b32`)."""
    chosen = low.bits[0].astype(np.uint64) | high.bits[0].astype(np.uint64) << np.uint64(32)
    own = subgroup_invocation(state)
    within = (chosen >> (own % _ROW * 4).astype(np.uint64)) & np.uint64(15)
    source = own // _ROW * _ROW + within.astype(np.int64)
    return Marks.of(low, high).marked(take_lanes(state, value, lane_with(state, source)))


def _write_invocation(state: State, value: Value, other: Value, which: Value) -> Value:
    """Return the first source, but the second on the lane given by the third."""
    return Marks.of(which, other).marked(
        select(subgroup_invocation(state) == lane_index(which), other, value)
    )


def _permute_bytes(state: State, *words: Value) -> Value:
    """Select four bytes of eight by the bytes of a selector (`v_perm_b32`).

    0 to 3 select the bytes of the second word, 4 to 7 those of the first, 8 to 11 replicate the sign bits of
    both words' halves, 12 is zero, and all above is 0xff.
    """
    high, low, selector = (word.bits[0].astype(np.uint64) for word in words)
    both = high << np.uint64(32) | low
    result = np.zeros(state.lanes, np.uint64)
    for place in range(4):
        choice = selector >> np.uint64(8 * place) & np.uint64(0xFF)
        byte = both >> (np.minimum(choice, 7) * 8).astype(np.uint64) & np.uint64(0xFF)
        sign = both >> ((choice - np.uint64(8)) % np.uint64(4) * np.uint64(16) + np.uint64(15))
        byte = np.where(choice >= 8, (sign & np.uint64(1)) * np.uint64(0xFF), byte)
        byte = np.where(choice == 12, np.uint64(0), byte)
        byte = np.where(choice > 12, np.uint64(0xFF), byte)
        result |= byte << np.uint64(8 * place)
    return Marks.of(*words).marked(Value(result.astype(np.uint32)[None], 32))


def _copy(state: State, value: Value) -> Value:
    """Copy a value; the intrinsic is an optimization barrier."""
    return value


STEPS: dict[str, StepMaker] = {
    "masked_swizzle_amd": _masked_swizzle,
    "quad_swizzle_amd": _quad_swizzle,
    "is_subgroup_invocation_lt_amd": _is_below,
    "mbcnt_amd": step_of(_count_bits_below),
    "lane_permute_16_amd": step_of(_permute_row),
    "write_invocation_amd": step_of(_write_invocation),
    "byte_permute_amd": step_of(_permute_bytes),
    "optimization_barrier_vgpr_amd": step_of(_copy),
    "optimization_barrier_sgpr_amd": step_of(_copy),
}
