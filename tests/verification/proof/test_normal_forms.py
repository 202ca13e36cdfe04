"""Random operations: those with the same number have the same value."""

from __future__ import annotations

import random
from functools import partial

import numpy as np
import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.verification.evaluate.alu.run import evaluate_alu
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.proof.algebra import Algebra
from nirls.verification.proof.body_proof import BodyProof
from nirls.verification.proof.context import Context
from tests.passes import shader_text

WORDS = {
    "iadd": "www", "isub": "www", "imul": "www", "ineg": "ww", "ishl": "wwc", "iabs": "ww",
    "iand": "www", "ior": "www", "ixor": "www", "inot": "ww", "ushr": "wwc",
    "imin": "www", "imax": "www", "umin": "www", "umax": "www",
    "ilt": "bww", "ige": "bww", "ult": "bww", "uge": "bww", "ieq": "bww", "ine": "bww",
    "bcsel": "wbww", "b2i32": "wb",
}  # fmt: skip
BOOLEANS = {"iand": "bbb", "ior": "bbb", "inot": "bb", "bcsel": "bbbb", "ixor": "bbb"}
FLOATS = {
    "fadd": "www", "fsub": "www", "fmul": "www", "fneg": "ww", "fabs": "ww", "ffma": "wwww", "flrp": "wwww",
    "fdiv": "www", "frcp": "ww", "fsqrt": "ww", "frsq": "ww", "fmin": "www", "fmax": "www", "fsat": "ww",
    "ffract": "ww", "flt": "bww", "fge": "bww", "bcsel": "wbww", "b2f32": "wb",
}  # fmt: skip
"""Types of the result and the operands: a word of 32 bits, a boolean, a constant."""

LOADS = tuple(
    f"32 %{number} = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset={number})"
    for number in (4, 5, 6)
)
LANES = 64


def program(seed: int, operations: dict[str, str], constants: tuple[str, ...]) -> Shader:
    """A block of random operations on three loads."""
    rng = random.Random(seed)
    lines = [shader_text.ZERO]
    pools: dict[str, list[str]] = {"w": ["%4", "%5", "%6"], "b": ["%20", "%21"], "c": []}
    for number, bits in enumerate(constants, 10):
        lines.append(f"32 %{number} = load_const ({bits})")
        pools["c"].append(f"%{number}")
    pools["w"] += pools["c"]
    lines += [*LOADS, "1 %20 = load_const (true)", "1 %21 = ilt %4, %5"]
    kinds = [*operations.items(), *((op, kind) for op, kind in BOOLEANS.items())]
    for number in range(30, 230):
        op, (result, *operands) = rng.choice(kinds)
        sources = ", ".join(rng.choice(pools[one][-12:]) for one in operands)
        lines.append(f"{1 if result == 'b' else 32} %{number} = {op} {sources}")
        pools[result].append(f"%{number}")
    return shader_text.shader("FRAGMENT", *lines)


def values_of(shader: Shader, inputs: list[np.ndarray]) -> dict[Def, np.ndarray]:
    """Evaluate each def on all lanes."""
    found: dict[Def, np.ndarray] = {}
    loads = iter(inputs)
    for instr in shader.instrs():
        if isinstance(instr, LoadConstInstr):
            found[instr.def_] = np.full((1, LANES), instr.values[0], container_type(instr.def_.bit_size))
        elif isinstance(instr, IntrinsicInstr):
            found[instr.def_] = next(loads)
        elif isinstance(instr, AluInstr):
            found[instr.def_] = evaluate_alu(
                instr.op,
                [found[src.def_] for src in instr.sources],
                dest_components=1,
                dest_bit_size=instr.def_.bit_size,
                source_bit_sizes=[src.bit_size for src in instr.sources],
            )
    return found


def special_lanes(shader: Shader, values: dict[Def, np.ndarray]) -> dict[Def, np.ndarray]:
    """Lanes on which a def, or what it is computed of, is infinite or NaN."""
    found: dict[Def, np.ndarray] = {}
    for value, bits in values.items():
        special = np.zeros((1, LANES), np.bool_)
        if isinstance(value.instr, AluInstr):
            for src in value.instr.sources:
                special |= found[src.def_]
        if value.bit_size == 32:
            special |= ~np.isfinite(bits.view(np.float32))
        found[value] = special
    return found


def groups_of(shader: Shader) -> list[list[Def]]:
    """Group the ALU results by number, where anything may cancel."""
    context = Context.of(shader, clone_shader(shader), new_outputs_count=True)
    assert context is not None
    algebra = partial(Algebra, cancels=lambda _: True, reduces=True)
    proof = BodyProof(context, context.bodies[0], algebra=algebra)
    proof.holds()
    groups: dict[int, list[Def]] = {}
    for instr in shader.instrs():
        if isinstance(instr, AluInstr):
            groups.setdefault(proof.values.now[instr.def_][0], []).append(instr.def_)
    return list(groups.values())


@pytest.mark.parametrize("seed", range(12))
def test_integers_are_equal_bit_for_bit(seed: int) -> None:
    shader = program(seed, WORDS, ("0x00000000", "0x00000001", "0xffffffff", "0x00000003", "0x80000000"))
    rng = np.random.default_rng(seed)
    special = np.array([0, 1, 2, 31, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF], np.uint32)
    inputs = []
    for _ in LOADS:
        usual = rng.integers(0, 1 << 32, (1, LANES))
        is_special = rng.random((1, LANES)) < 0.5
        inputs.append(np.where(is_special, rng.choice(special, (1, LANES)), usual).astype(np.uint32))
    found = values_of(shader, inputs)
    groups = groups_of(shader)
    assert any(len(group) > 1 for group in groups)
    for first, *others in groups:
        for other in others:
            assert found[first].dtype == found[other].dtype
            assert np.array_equal(found[first], found[other]), (first.instr.op, other.instr.op, other.index)


@pytest.mark.parametrize("seed", range(12))
def test_floats_are_the_same_function(seed: int) -> None:
    shader = program(seed, FLOATS, ("0x00000000", "0x3f800000", "0x40000000", "0x3f000000"))
    rng = np.random.default_rng(seed)
    inputs = [rng.uniform(0.3, 1.7, (1, LANES)).astype(np.float32).view(np.uint32) for _ in LOADS]
    found = values_of(shader, inputs)
    special = special_lanes(shader, found)
    groups = groups_of(shader)
    assert any(len(group) > 1 for group in groups)
    for first, *others in groups:
        for other in others:
            one, two = found[first], found[other]
            assert first.bit_size == other.bit_size
            known = ~special[first] & ~special[other]
            if first.bit_size == 1:
                wrong = one != two
            else:
                numbers = [side.view(np.float32).astype(np.float64) for side in (one, two)]
                with np.errstate(all="ignore"):
                    wrong = np.abs(numbers[0] - numbers[1]) > 1e-3 * (1 + np.abs(numbers[0]))
            # A few lanes may be near a tie, or near the end of a range.
            assert np.count_nonzero(known & wrong) <= LANES // 8, (first.index, other.index)
