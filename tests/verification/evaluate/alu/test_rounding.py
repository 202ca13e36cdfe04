"""Error bounds hold against exact arithmetic, and jumps within them are fragile."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.alu.float_error import half_ulp
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane
from nirls.verification.evaluate.values.value import KEPT_ZERO, LEAST_ERROR
from tests.verification.evaluate.shader_text import VAR0, floats, run, shader_of, store

INPUTS = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_POS slots=1)
    32     %2 = @load_input (%0 (0x0)) (base=0, range=1, component=1, dest_type=float32, io location=VERT_ATTRIB_POS slots=1)
    32     %3 = load_const (0x3dcccccd = 0.100000)
"""  # noqa: E501


def body(*lines: str) -> str:
    return INPUTS + "\n".join(lines) + "\n                // succs: b99"


def test_the_bound_holds_for_a_sum_of_products() -> None:
    text = body(
        "    32     %4 = fmul %1, %3",
        "    32     %5 = fmul %2, %4",
        "    32     %6 = fadd %5, %1",
        *(store(number, "0", component=place) for place, number in enumerate(("1", "2", "6"))),
    )
    checked = 0
    for seed in range(20):
        result = run(shader_of(text), seed, track_error=True)
        errors = result.outputs[OutputKey(VAR0, 2)].error[:, 0]
        rows = zip(floats(result, 0), floats(result, 1), floats(result, 2), errors, strict=True)
        for first, second, computed, error in rows:
            if not np.isfinite([first, second, error]).all():
                continue
            tenth = Fraction(float(np.float32(0.1)))
            real = Fraction(first) * tenth * Fraction(second) + Fraction(first)
            assert abs(Fraction(computed) - real) <= Fraction(float(error))
            checked += 1
    assert checked > 100


def test_exact_operations_add_nothing() -> None:
    text = body("    32     %4 = fmul! %1, %3", store("4", "0"))
    result = run(shader_of(text), track_error=True)
    assert not result.outputs[OutputKey(VAR0, 0)].error.any()


def test_an_exact_dot_product_may_be_fused_or_not() -> None:
    lines = [
        "    32x2   %4 = vec2 %1, %2",
        "    32x2   %9 = vec2 %2, %3",
        "    32     %5 = fdot2! %4, %9",
        "    32     %6 = fmul! %2, %3",
        "    32     %10 = fmul! %1, %2",
        "    32     %7 = fadd! %10, %6",
        "    32     %8 = ffma! %1, %2, %6",
    ]
    stores = [store(number, "0", component=place) for place, number in enumerate(("5", "7", "8"))]
    seen = 0
    for seed in range(20):
        result = run(shader_of(body(*lines, *stores)), seed, track_error=True)
        errors = result.outputs[OutputKey(VAR0, 0)].error[:, 0]
        for dot, apart, fused, error in zip(
            *(floats(result, place) for place in range(3)), errors, strict=True
        ):
            if np.isfinite([dot, apart, fused, error]).all():
                assert max(abs(dot - apart), abs(dot - fused)) <= error
                seen += apart != fused
    assert seen


def test_an_exact_interpolation_may_be_fused_or_not_but_is_exact_at_its_ends() -> None:
    lines = [
        "    32     %4 = fneg! %1",
        "    32     %5 = ffma! %4, %3, %1",
        "    32     %6 = ffma! %2, %3, %5",
        "    32     %7 = flrp! %1, %2, %3",
        "    32     %8 = load_const (0x3f800000)",
        "    32     %9 = flrp! %1, %2, %8",
    ]
    stores = [store(number, "0", component=place) for place, number in enumerate(("6", "7", "9"))]
    seen = 0
    for seed in range(20):
        result = run(shader_of(body(*lines, *stores)), seed, track_error=True)
        errors = [result.outputs[OutputKey(VAR0, place)].error[:, 0] for place in (1, 2)]
        for fused, apart, error, at_end in zip(floats(result, 0), floats(result, 1), *errors, strict=True):
            if np.isfinite([fused, apart, error]).all():
                assert abs(fused - apart) <= error
                assert at_end <= LEAST_ERROR
                seen += fused != apart
    assert seen


@pytest.mark.parametrize(
    ("mode", "flag", "kept"),
    [("", "", ()), ("0x00000010", "", ("inf",)), ("0x00000080", "", ("nan",)), ("", "!", ("inf", "nan"))],
)
def test_preserved_infinities_and_nans_are_certain(mode: str, flag: str, kept: tuple[str, ...]) -> None:
    text = body(
        "    32     %4 = load_const (0x7f800000 = inf)",
        f"    32     %5 = fadd{flag} %4 (inf), %3",
        f"    32     %6 = fsub{flag} %4 (inf), %4 (inf)",
        store("5", "0"),
        store("6", "0", component=1),
    )
    shader = shader_of(text)
    if mode:
        field = f"float_controls_execution_mode: {mode}\n".encode()
        shader = parse_dump(shader.source.replace(b"decl_function", field + b"decl_function", 1))
    result = run(shader, track_error=True)
    certain = {
        name
        for component, name in enumerate(("inf", "nan"))
        if not result.outputs[OutputKey(VAR0, component)].error.any()
    }
    assert certain == set(kept)


def test_an_uncertain_infinity_stays_uncertain_in_exact_operations() -> None:
    text = body(
        "    32     %4 = load_const (0x7f800000 = inf)",
        "    32     %5 = load_const (0x3f800000 = 1.000000)",
        "    32     %6 = fadd %4 (inf), %3",
        "    32     %7 = ffma! %5 (1.000000), %6, %6",
        store("7", "0"),
    )
    result = run(shader_of(text), track_error=True)
    assert np.isinf(result.outputs[OutputKey(VAR0, 0)].error).all()


def test_small_integers_are_added_without_error() -> None:
    text = body(
        "    32     %4 = load_const (0x40400000 = 3.000000)",
        "    32     %5 = fadd %4 (3.000000), %4 (3.000000)",
        "    32     %6 = fmul %5, %4 (3.000000)",
        store("6", "0"),
    )
    result = run(shader_of(text), track_error=True)
    assert floats(result) == [18.0] * 8
    assert not result.outputs[OutputKey(VAR0, 0)].error.any()


def test_a_comparison_within_the_bound_is_fragile_and_a_clear_one_is_not() -> None:
    text = body(
        "    32     %4 = load_const (0x40400000 = 3.000000)",
        "    32     %5 = fdiv %4 (3.000000), %3 (0.100000)",
        "    32     %6 = fmul %5, %3 (0.100000)",
        "    1      %7 = flt %6, %4 (3.000000)",
        "    1      %8 = flt %6, %5",
        "    32     %9 = b2i32 %7",
        "    32     %10 = b2i32 %8",
        store("9", "0"),
        store("10", "0", component=1),
    )
    result = run(shader_of(text), track_error=True)
    assert result.outputs[OutputKey(VAR0, 0)].fragile.all()
    assert not result.outputs[OutputKey(VAR0, 1)].fragile.any()


def test_half_an_ulp_of_one() -> None:
    assert half_ulp(np.array([1.0]), 32)[0] == 2.0**-24
    assert half_ulp(np.array([0.0]), 16)[0] == 2.0**-24


def masked(operation: str, mask: str, *more: str) -> OutputPlane:
    """The float `0.1 * x`, in doubt by its last bit, with a mask on its bits."""
    text = body(
        f"    32     %4 = load_const ({mask})",
        "    32     %5 = fmul %1, %3",
        f"    32     %6 = {operation} %5, %4",
        *more,
        store("6", "0"),
    )
    return run(shader_of(text), track_error=True).outputs[OutputKey(VAR0, 0)]


@pytest.mark.parametrize(
    ("operation", "mask"),
    [
        ("iand", "0xffffffff"),
        ("iand", "0x7fffffff"),
        ("ior", "0x00000000"),
        ("ior", "0x80000000"),
        ("ixor", "0x00000000"),
        ("ixor", "0x80000000"),
    ],
)
def test_masks_that_keep_the_magnitude_keep_the_bound(operation: str, mask: str) -> None:
    plane = masked(operation, mask)
    plain = masked("ior", "0x00000000")
    assert plain.error.any()
    assert (plane.error == plain.error).all()
    assert not plane.fragile.any()


@pytest.mark.parametrize(("operation", "mask"), [("iand", "0x00000000"), ("ior", "0xffffffff")])
def test_masks_that_leave_nothing_are_exact(operation: str, mask: str) -> None:
    plane = masked(operation, mask)
    assert not plane.error.any()
    assert not plane.fragile.any()


def test_a_sign_is_only_in_doubt_near_zero_and_other_bits_always() -> None:
    sign, low = masked("iand", "0x80000000"), masked("iand", "0x00000001")
    moved = masked("ior", "0x00000000").error[:, 0] > 0
    value = masked("ior", "0x00000000").bits[:, 0].astype(np.uint32).view(np.float32)
    clear = np.abs(value) > 1e-3
    assert (moved & clear & np.isfinite(value)).any()
    assert not sign.fragile[clear & np.isfinite(value), 0].any()
    assert low.fragile[moved, 0].all()


def test_an_exact_operation_passes_on_that_the_sign_of_a_zero_is_uncertain() -> None:
    text = body(
        "    32     %4 = load_const (0x00000000 = 0.000000)",
        "    32     %5 = fmul %1, %4 (0.0)",
        "    32     %6 = fmul! %5, %3",
        store("6", "0"),
    )
    output = run(shader_of(text), track_error=True).outputs[OutputKey(VAR0, 0)]
    assert (output.error[output.bits << 1 == 0] > 0).all()


def test_an_exact_operation_on_uncertain_sources_may_round_to_the_neighbour() -> None:
    text = body(
        "    32     %4 = fmul %1, %3",
        "    32     %5 = fadd! %4, %2",
        store("4", "0"),
        store("5", "0", component=1),
    )
    result = run(shader_of(text), track_error=True)
    passed, found = (result.outputs[OutputKey(VAR0, number)].error[:, 0] for number in (0, 1))
    finite = np.isfinite(found) & (passed > 0)
    assert finite.any()
    assert (found[finite] >= passed[finite] + half_ulp(np.array(floats(result, 1)), 32)[finite]).all()


def test_nan_of_an_exact_operation_on_an_uncertain_infinity_is_uncertain() -> None:
    text = body(
        "    32     %4 = load_const (0x7f800000 = inf)",
        "    32     %5 = fadd %4 (inf), %3",
        "    32     %6 = fsin! %5",
        store("6", "0"),
    )
    assert np.isinf(run(shader_of(text), track_error=True).outputs[OutputKey(VAR0, 0)].error).all()


def test_the_preserved_sign_of_a_zero_is_certain() -> None:
    zero = "    32     %5 = load_const (0x00000000)"
    for comment, expected in (("", LEAST_ERROR), (" // preserve:sz", KEPT_ZERO)):
        text = body(zero, f"    32     %4 = fadd %5, %5{comment}", store("4", "0"))
        result = run(shader_of(text), track_error=True)
        assert set(result.outputs[OutputKey(VAR0, 0)].error[:, 0].tolist()) == {expected}
