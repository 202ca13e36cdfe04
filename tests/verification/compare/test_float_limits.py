"""Operations keep `exact`, the special values that they preserve, and the float controls of the header."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.float_limits import lost_precision
from nirls.verification.verdict import Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.barriers.bodies import compute
from tests.passes.shader_text import ZERO, shader, store


@pytest.mark.parametrize(
    ("before", "after", "is_seen"),
    [
        ("fmul! %2, %3", "fmul %2, %3", False),
        ("fmul %2, %3", "fmul! %2, %3", True),
        ("fmul! %2, %3", "fmul! %3, %2", True),
        ("fdiv! %2, %3", "fmul %2, %3", False),
        ("fdiv! %2, %3", "fmul! %2, %3", True),
    ],
)
def test_exact_operations_stay_exact(before: str, after: str, is_seen: bool) -> None:
    first, second = (compute(f"32 %8 = {line}\ngst %8") for line in (before, after))
    assert (lost_precision([first], [second]) is None) is is_seen
    # What is precise may be in another stage now.
    assert lost_precision([first, second], [second, first]) is None


@pytest.mark.parametrize(
    ("before", "after", "is_seen"),
    [
        ("fmulz %2, %3", "fmul %2, %3", False),
        ("ffmaz %2, %3, %2", "ffma %2, %3, %2", False),
        ("fmulz %2, %1", "fmul %2, %1", True),
        ("fmulz %2, %0", "fmul %2, %0", False),
        ("fmul %2, %3", "fmulz %2, %3", True),
        ("fmulz %2, %3", "fmulz %3, %2", True),
    ],
)
def test_a_product_with_zero_stays_zero(before: str, after: str, is_seen: bool) -> None:
    """No run shows this: inexact products are free where they give NaN. A constant 4 meets no such case."""
    first, second = (compute(f"32 %8 = {line}\ngst %8") for line in (before, after))
    assert (lost_precision([first], [second]) is None) is is_seen
    assert isinstance(verify_shaders(first, second), Equivalent if is_seen else Unchecked)


def test_outputs_do_not_become_mediump() -> None:
    line = store("VAR0", "%0")
    plain, mediump = (
        shader("VERTEX", ZERO, one) for one in (line, line.replace("slots=1", "slots=1 mediump"))
    )
    assert "store_output may round" in str(lost_precision([plain], [mediump]))
    assert isinstance(verify_shaders(plain, mediump), Unchecked)
    assert lost_precision([mediump], [plain]) is None


INPUTS = [
    f"32 %{number} = @load_input (%0) (base=0, range=1, component=0, dest_type=float32,"
    f" io location=VERT_ATTRIB_GENERIC{number} slots=1)"
    for number in (1, 2)
]
FIRST, SECOND = "32 %3 = fadd %1, %2", "32 %4 = fadd %1, %2"


def sums(*lines: str, second: str = "%4") -> Shader:
    return shader("VERTEX", ZERO, *INPUTS, *lines, store("VAR0", "%3"), store("VAR1", second))


@pytest.mark.parametrize(
    "limit", ["exact", "preserve:sz", "preserve:inf", "preserve:nan", "exact, preserve:nan"]
)
def test_two_equal_operations_become_one_with_the_limits_of_both(limit: str) -> None:
    comment = f" // {limit}"
    both = sums(FIRST + comment, SECOND)
    merged, kept = sums(FIRST, second="%3"), sums(FIRST + comment, second="%3")
    verdict = verify_shaders(both, merged)
    assert isinstance(verdict, Unchecked)
    assert "fadd" in verdict.reason
    assert isinstance(verify_shaders(both, kept), Equivalent)
    assert isinstance(
        verify_shaders(both, sums(SECOND.replace("%4", "%5"), FIRST + comment, SECOND)), Equivalent
    )
    # A limit of what nothing uses is no loss.
    unused = sums("32 %5 = fadd %1, %2" + comment, FIRST, SECOND)
    assert isinstance(verify_shaders(unused, sums(FIRST, SECOND)), Equivalent)


@pytest.mark.parametrize(
    ("mode", "lost"),
    [("0x00000010", "infinities"), ("0x00000080", "NaNs"), ("0x00002000", "flushed denormals")],
)
def test_float_controls_of_the_header_are_kept(mode: str, lost: str) -> None:
    field = f"float_controls_execution_mode: {mode}"
    with_controls, without = (
        shader("VERTEX", ZERO, *INPUTS, FIRST, store("VAR0", "%3"), header=header) for header in ([field], [])
    )
    reason = lost_precision([with_controls], [without])
    assert reason is not None, lost
    assert "float controls" in reason
    assert isinstance(verify_shaders(with_controls, without), Unchecked)
    assert lost_precision([without], [with_controls]) is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (["fsub! %1, %2"], ["fneg %2", "fadd %1, %7"]),
        (["fmul! %1, %2", "fadd %7, %1"], ["ffma %1, %2, %1"]),
        (["load_const (0x40000000)", "fmul! %1, %7"], ["fadd %1, %1"]),
        (["load_const (0x3f800000)", "flrp! %1, %7, %2"], ["fsub %1, %2", "fadd %7, %2"]),
    ],
)
def test_another_operation_is_as_exact(before: list[str], after: list[str]) -> None:
    def body(*lines: str) -> Shader:
        return sums(
            *(f"32 %{number} = {line}" for number, line in zip((7, 3)[-len(lines) :], lines, strict=True)),
            second="%3",
        )

    reason = lost_precision([body(*before)], [body(*after)])
    assert reason is not None
    assert "stands for it" in reason
    exact = [line.replace(" ", "! ", 1) if line.startswith("f") else line for line in after]
    assert lost_precision([body(*before)], [body(*exact)]) is None
    plain = [line.replace("!", "") for line in before]
    assert lost_precision([body(*plain)], [body(*after)]) is None


def test_what_does_not_round_is_as_good_as_exact() -> None:
    one = "32 %7 = load_const (0x3f800000)"
    clamp = ("32 %8 = fmax %1, %0", "32 %3 = fmin %8, %7")
    before, after = sums(one, "32 %3 = fsat! %1", second="%3"), sums(one, *clamp, second="%3")
    assert lost_precision([before], [after]) is None
