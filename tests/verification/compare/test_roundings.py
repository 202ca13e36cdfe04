"""What of the rounding excuses a difference: nothing of a narrower format, nothing that was exact."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.roundings import changes_only_exact, uncounted_roundings
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store


def inputs(size: int) -> list[str]:
    """The loads of the inputs %1 and %2."""
    return [
        f"{size} %{number} = @load_input (%0) (base=0, range=1, component=0, dest_type=float{size},"
        f" io location=VERT_ATTRIB_GENERIC{number} slots=1)"
        for number in (1, 2)
    ]


def computed(size: int, *lines: str) -> Shader:
    """A vertex shader that computes %9 of the inputs %1 and %2, all of this size."""
    return shader(
        "VERTEX", ZERO, *inputs(size), *lines, store("VAR0", "%9").replace("float32", f"float{size}")
    )


NARROWED = {
    64: ("32 %3 = f2f32 %1", "32 %4 = f2f32 %2", "64 %9 = f2f64 %8"),
    32: ("16 %3 = f2f16 %1", "16 %4 = f2f16 %2", "32 %9 = f2f32 %8"),
}
OPERATIONS = ["fadd {a}, {b}", "fmul {a}, {b}", "fdiv {a}, {b}", "ffma {a}, {a}, {b}", "fmax {a}, {b}"]
OPERATIONS += [f"{op} {{a}}" for op in ("frcp", "fsqrt", "frsq", "fexp2", "flog2", "fsin", "fcos", "ffract")]


@pytest.mark.parametrize("size", [64, 32])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_no_result_of_a_narrower_format(size: int, operation: str) -> None:
    first, second, widened = NARROWED[size]
    before = computed(size, f"{size} %9 = {operation.format(a='%1', b='%2')}")
    narrow = f"{size // 2} %8 = {operation.format(a='%3', b='%4')}"
    verdict = verify_shaders(before, computed(size, first, second, narrow, widened))
    assert isinstance(verdict, Different)


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_wider_format_is_as_exact(size: int, operation: str) -> None:
    wide = 2 * size
    widened = (f"{wide} %3 = f2f{wide} %1", f"{wide} %4 = f2f{wide} %2")
    before = computed(size, f"{size} %9 = {operation.format(a='%1', b='%2')}")
    lines = (f"{wide} %8 = {operation.format(a='%3', b='%4')}", f"{size} %9 = f2f{size} %8")
    verdict = verify_shaders(before, computed(size, *widened, *lines))
    assert not isinstance(verdict, Different), verdict


REASSOCIATED = (
    ("{n} %5 = fadd %1, %2", "{n} %9 = fadd %5, %1"),
    ("{n} %5 = fadd %1, %1", "{n} %9 = fadd %5, %2"),
)


@pytest.mark.parametrize("size", [16, 32, 64])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        REASSOCIATED,
        (("{n} %5 = fmul %1, %2", "{n} %9 = fadd %5, %2"), ("{n} %9 = ffma %1, %2, %2",)),
        (("{n} %9 = fdiv %1, %2",), ("{n} %5 = frcp %2", "{n} %9 = fmul %1, %5")),
        (("{n} %9 = fsqrt %1",), ("{n} %5 = frsq %1", "{n} %9 = frcp %5")),
        (("{n} %9 = frsq %1",), ("{n} %5 = fsqrt %1", "{n} %9 = frcp %5")),
        (("{n} %9 = ffma %1, %2, %1",), ("{n} %5 = fmul %1, %2", "{n} %9 = fadd %5, %1")),
        (
            ("{n} %9 = flrp %1, %2, %1",),
            ("{n} %5 = fsub %2, %1", "{n} %9 = ffma %1, %5, %1"),
        ),
    ],
)
def test_inexact_operations_are_replaced_by_what_is_as_exact(
    size: int, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    shaders = (computed(size, *(line.format(n=size) for line in lines)) for lines in (before, after))
    assert not isinstance(verify_shaders(*shaders), Different)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("32 %9 = fmul! %1, %2",), ("32 %5 = frcp %2", "32 %9 = fdiv %1, %5")),
        (("32 %9 = ffma! %1, %2, %1",), ("32 %5 = fmul %1, %2", "32 %9 = fadd %5, %1")),
        (("32 %5 = fadd! %1, %2", "32 %9 = fadd! %5, %1"), ("32 %5 = fadd! %1, %1", "32 %9 = fadd! %5, %2")),
        (("32 %5 = i2f32! %1", "32 %9 = fmul %5, %2"), ("32 %5 = u2f32! %1", "32 %9 = fmul %5, %2")),
        (
            ("32 %5 = fadd! %1, %2", "32 %9 = fexp2 %5"),
            (
                "32 %4 = load_const (0x33800000)",
                "32 %6 = fadd! %1, %2",
                "32 %5 = fadd %6, %4",
                "32 %9 = fexp2 %5",
            ),
        ),
        (("32 %9 = mov %1",), ("32 %5 = fadd %1, %2", "32 %9 = fsub %5, %2")),
        (("32 %9 = mov %1",), ("32 %5 = fadd %1, %0", "32 %9 = mov %5")),
        (("32 %9 = fneg %1",), ("32 %9 = fsub %0, %1",)),
    ],
)
def test_an_exact_result_stays_exact(before: tuple[str, ...], after: tuple[str, ...]) -> None:
    assert isinstance(verify_shaders(computed(32, *before), computed(32, *after)), Different)


def test_an_integer_made_a_float_by_rounding_steps_is_not_that_float() -> None:
    """Both halves are exact, and their sum rounds once: but the factor is one unit off."""
    use = "32 %9 = fmul %8, %2"
    steps = ("32 %3 = load_const (0x00000010)", "32 %4 = ushr %1, %3", "32 %5 = u2f32 %4")
    for factor, expected in ((0x47800000, Equivalent), (0x47800001, Different)):
        low = (
            f"32 %6 = load_const (0x{factor:08x})",
            "32 %7 = load_const (0x0000ffff)",
            "32 %10 = iand %1, %7",
            "32 %11 = u2f32! %10",
            "32 %8 = ffma! %5, %6, %11",
        )
        verdict = verify_shaders(computed(32, "32 %8 = u2f32! %1", use), computed(32, *steps, *low, use))
        assert isinstance(verdict, expected)


def test_what_counts_of_two_shaders() -> None:
    wide = computed(64, "64 %9 = fadd %1, %2")
    narrow = computed(64, *NARROWED[64][:2], "32 %8 = fadd %3, %4", NARROWED[64][2])
    nothing = (frozenset[object](), frozenset[object]())
    uncounted = uncounted_roundings([wide], [narrow], nothing)  # type: ignore[arg-type]
    assert sorted(getattr(instr, "op", "") for instr in uncounted) == ["f2f32", "f2f32", "fadd"]
    assert not uncounted_roundings([narrow], [narrow], nothing)  # type: ignore[arg-type]
    assert not changes_only_exact([wide], ())
    assert changes_only_exact([computed(64, "64 %9 = fadd! %1, %2")], ())


FLUSH = ["float_controls_execution_mode: 0x00002000"]


def flushing(*lines: str) -> Shader:
    """The shader of `computed` in a mode that flushes denormals of 32 bits."""
    one = "32 %3 = load_const (0x3f800000)"
    return shader("VERTEX", ZERO, *inputs(32), one, *lines, store("VAR0", "%9"), header=FLUSH)


@pytest.mark.parametrize(
    ("before", "after", "is_right"),
    [
        (("32 %9 = fmul! %1, %3",), ("32 %9 = mov %1",), True),
        (("32 %9 = mov %1",), ("32 %9 = fmul! %1, %3",), True),
        (("32 %9 = fmax! %1, %1",), ("32 %9 = mov %1",), True),
        (
            ("1 %4 = fneu! %1, %0", "32 %9 = bcsel %4, %3, %0"),
            ("1 %4 = ine %1, %0", "32 %9 = bcsel %4, %3, %0"),
            False,
        ),
        (("32 %9 = fmul! %1, %3",), ("32 %9 = fadd! %1, %3",), False),
        (("32 %9 = fmul! %1, %3",), ("32 %9 = mov %2",), False),
        (("32 %9 = fmul! %1, %2",), ("32 %9 = fmul! %2, %1",), True),
    ],
)
def test_denormals_where_the_mode_flushes_them(
    before: tuple[str, ...], after: tuple[str, ...], is_right: bool
) -> None:
    """Both a flushed and a kept one are right; -0 is another integer than 0."""
    verdict = verify_shaders(flushing(*before), flushing(*after))
    assert isinstance(verdict, Different) is not is_right, verdict


@pytest.mark.parametrize(
    ("before", "after", "is_right"),
    [
        ("fneg %1", "fneg %1", True),
        ("fadd! %1, %2", "fadd! %2, %1", True),
        ("fneg %5", "fmul! %5, %4", True),
        ("fabs %5", "fmax! %5, %6", True),
        ("fneg %5", "mov %5", False),
    ],
)
def test_the_sign_of_a_nan_is_free(before: str, after: str, is_right: bool) -> None:
    lines = ("32 %4 = load_const (0xbf800000)", "32 %5 = fadd! %1, %2", "32 %6 = fneg %5")
    shaders = (computed(32, *lines, f"32 %9 = {line}") for line in (before, after))
    verdict = verify_shaders(*shaders)
    assert isinstance(verdict, Different) is not is_right, verdict


TURNS = "32 %3 = load_const (0x3e22f983)"
"""1 / (2 * pi)"""
PARABOLA = (
    *(TURNS, "32 %4 = load_const (0x3f000000)", "32 %5 = ffma %1, %3, %4", "32 %6 = ffract %5"),
    *("32 %7 = load_const (0x40000000)", "32 %8 = load_const (0xbf800000)", "32 %10 = ffma %6, %7, %8"),
    *("32 %11 = fabs %10", "32 %12 = load_const (0x40800000)", "32 %13 = fmul %10, %12"),
    *("32 %14 = fmul %13, %11", "32 %15 = fsub %13, %14", "32 %16 = fabs %15", "32 %17 = fmul %15, %16"),
    *("32 %18 = fsub %17, %15", "32 %19 = load_const (0x3e6635bd)", "32 %9 = ffma %18, %19, %15"),
)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((TURNS, "32 %4 = fmul %1, %3", "32 %9 = fsin_amd %4"), Equivalent),
        ((TURNS, "32 %4 = fmul %1, %3", "32 %5 = ffract %4", "32 %9 = fsin_amd %5"), Equivalent),
        ((TURNS.replace("22f983", "a2f983"), "32 %4 = fmul %1, %3", "32 %9 = fsin_mdg %4"), Equivalent),
        ((TURNS.replace("22f983", "a2f983"), "32 %4 = fmul %1, %3", "32 %9 = fsin_amd %4"), Different),
        ((TURNS, "32 %4 = fmul %1, %3", "32 %9 = fcos_amd %4"), Different),
        (PARABOLA, Unchecked),
        ((*PARABOLA[:-1], "32 %9 = fsub %18, %15"), Different),
        (("32 %9 = mov %0",), Different),
    ],
)
def test_a_sine_in_other_forms(after: tuple[str, ...], expected: type) -> None:
    assert isinstance(verify_shaders(computed(32, "32 %9 = fsin %1"), computed(32, *after)), expected)


HALF = store("VAR0", "%10").replace("float32", "float16")
FUSED = ("32 %8 = ffma %1, %2, %1",)
SUMMED = ("32 %3 = fmul %1, %2", "32 %8 = fadd %3, %1")


def in_half(*lines: str) -> Shader:
    """Compute %8 of inputs of 32 bits, and store it as %10 in 16 bits."""
    return shader("VERTEX", ZERO, *inputs(32), *lines, HALF)


def test_another_number_is_rounded_to_the_same_format() -> None:
    before, after = in_half(*SUMMED, "16 %10 = f2fmp %8"), in_half(*FUSED, "16 %10 = f2f16 %8")
    assert isinstance(verify_shaders(before, after), Equivalent)
    twice = ("16 %4 = f2f16 %8", "32 %5 = f2f32 %4", "32 %6 = fadd %5, %1", "16 %10 = f2f16 %6")
    once = ("32 %6 = fadd %8, %1", "16 %10 = f2f16 %6")
    verdict = verify_shaders(in_half(*SUMMED, *once), in_half(*FUSED, *twice))
    assert isinstance(verdict, Different)
