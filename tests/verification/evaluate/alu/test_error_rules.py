"""Errors of sources, passed on by each operation, bound what other sources within them give."""

from __future__ import annotations

import numpy as np
import pytest

from nirls.verification.evaluate.alu.rounding import Rounding
from nirls.verification.evaluate.alu.run import plan_of
from nirls.verification.evaluate.values.value import LEAST_ERROR, Value

CONTINUOUS = {
    **dict.fromkeys(("fsat", "fsat_signed", "fclamp_pos", "fneg", "fabs", "fsin", "fcos"), (1,)),
    **dict.fromkeys(("fsin_amd", "fcos_mdg", "fsin_agx", "fexp2", "flog2", "fsqrt", "frsq", "frcp"), (1,)),
    **dict.fromkeys(("fmin", "fmax", "fmin_agx", "fadd", "fmul", "fdiv", "fpow"), (1, 1)),
    **dict.fromkeys(("ffma", "flrp"), (1, 1, 1)),
    **dict.fromkeys(("fsum3", "cube_amd", "cube_face_coord_amd", "cube_face_index_amd"), (3,)),
    "fdph": (3, 4),
    "fdot3": (3, 3),
    "fsum2": (2,),
    "fsum4": (4,),
    "pack_half_2x16_split": (1, 1),
    "pack_unorm_4x8": (4,),
    "pack_snorm_2x16": (2,),
    "f2unorm_16_v3d": (1,),
}
"""Opcodes, and the numbers of components of their sources."""

COMPONENTS = {"cube_amd": 4, "cube_face_coord_amd": 2}


def followed(opcode: str, numbers: list[np.ndarray], errors: list[np.ndarray]) -> Value:
    """The result of an inexact operation on float32 numbers with these error bounds."""
    plan = plan_of(opcode, COMPONENTS.get(opcode, 1), 32, (32,) * len(numbers))
    sources = [
        Value(each.view(np.uint32), 32, error=error if error.any() else None)
        for each, error in zip(numbers, errors, strict=True)
    ]
    decoded = plan.decoded([source.bits for source in sources])
    with np.errstate(all="ignore"):
        result = Value(plan.compute(decoded), 32)
        Rounding(plan, exact=False).follow(sources, decoded, result)
    return result


@pytest.mark.parametrize("opcode", CONTINUOUS)
def test_results_of_sources_within_their_bounds_are_within_the_bound(opcode: str) -> None:
    random = np.random.default_rng(7)
    lanes = 4000
    scale = random.choice((0.1, 1.0, 1.5, 30.0), lanes)
    numbers = [
        (random.uniform(-1, 1, (count, lanes)) * scale).astype(np.float32) for count in CONTINUOUS[opcode]
    ]
    errors = [
        random.choice((0.0, 1e-6, 1e-3, 0.3), each.shape) * np.maximum(np.abs(each), 0.5).astype(np.float64)
        for each in numbers
    ]
    moved = [
        np.clip(
            (each + random.uniform(-1, 1, each.shape) * error).astype(np.float32),
            each - error,
            each + error,
        ).astype(np.float32)
        for each, error in zip(numbers, errors, strict=True)
    ]
    certain = [np.zeros(each.shape) for each in numbers]
    result, other = followed(opcode, numbers, errors), followed(opcode, moved, certain)
    kept = np.ones(result.bits.shape, np.bool_) if result.fragile is None else ~result.fragile
    assert kept.mean() > 0.2
    if opcode.startswith(("pack", "f2unorm")):
        assert (result.bits == other.bits)[kept].all()
        assert (result.bits != other.bits)[~kept].any()
        return
    first, second = (value.bits.view(np.float32).astype(np.float64) for value in (result, other))
    bounds = sum(np.zeros(first.shape) if value.error is None else value.error for value in (result, other))
    kept &= np.isfinite(first) & np.isfinite(second) & np.isfinite(bounds)
    assert kept.mean() > 0.1
    # The conversion to float32 may have moved a source just past the end of its interval.
    slack = 1e-6 * np.maximum(np.abs(first), 1.0)
    assert (np.abs(first[kept] - second[kept]) <= (bounds + slack)[kept]).all()


def test_a_clamp_that_decides_is_certain() -> None:
    numbers, error = np.array([[-5.0, 0.5, 3.0, np.nan]], np.float32), np.array([[1.0, 0.25, 1.0, np.inf]])
    assert followed("fsat", [numbers], [error]).error.tolist() == [[LEAST_ERROR, 0.25, LEAST_ERROR, 1.0]]
    zero = np.zeros((1, 4), np.float32)
    bounds = followed("fmax", [numbers, zero], [error, np.zeros((1, 4))]).error
    assert bounds.tolist() == [[LEAST_ERROR, 0.25, 1.0, np.inf]]
