"""What a branch knows of its condition."""

from __future__ import annotations

from nirls.passes.loops.opt_if import opt_if
from tests.passes.expectation import assert_becomes, assert_unchanged

OUT = (
    "@store_output ({value}, %0) (base=0, range=1, wrmask=x, component=0, src_type=uint32,"
    " io location=FRAG_RESULT_DATA0 slots=1)"
)
HEAD = (
    "block b0:\n32 %0 = load_const (0x00000000)\n32 %1 = load_const (0x00000007)\n32 %2 = @load_sample_id\n"
)


def branch(condition: str, then: str, otherwise: str, after: str) -> str:
    return (
        f"{HEAD}1 %3 = {condition}\nif %3 {{\nblock b1:\n{then}\n}} else {{\nblock b2:\n{otherwise}\n}}\n"
        f"block b3:\n{after}\nblock b4:\n"
    )


def test_condition_is_known_in_its_branches() -> None:
    assert_becomes(
        opt_if,
        branch(
            "ult %2, %1",
            "32 %4 = b2i32 %3",
            "32 %5 = b2i32 %3",
            "32 %6 = phi b1: %4, b2: %5\n" + OUT.format(value="%6"),
        ),
        branch(
            "ult %2, %1",
            "1 %7 = load_const (true)\n32 %4 = b2i32 %7",
            "1 %8 = load_const (false)\n32 %5 = b2i32 %8",
            "32 %6 = phi b1: %4, b2: %5\n" + OUT.format(value="%6"),
        ),
    )


def test_integer_is_the_constant_that_it_equals() -> None:
    after = "32 %6 = phi b1: %4, b2: %5\n" + OUT.format(value="%6")
    assert_becomes(
        opt_if,
        branch("ieq %2, %1", "32 %4 = iadd %2, %0", "32 %5 = ineg %2", after),
        branch(
            "ieq %2, %1", "32 %7 = load_const (0x00000007)\n32 %4 = iadd %7, %0", "32 %5 = ineg %2", after
        ),
    )
    assert_becomes(
        opt_if,
        branch("ine %2, %1", "32 %4 = iadd %2, %0", "32 %5 = ineg %2", after),
        branch(
            "ine %2, %1", "32 %4 = iadd %2, %0", "32 %7 = load_const (0x00000007)\n32 %5 = ineg %7", after
        ),
    )


def test_one_equal_component_is_not_the_vector() -> None:
    vector = "32x2 %10 = @load_sample_pos\n1 %3 = "
    after = "32x2 %6 = phi b1: %4, b2: %5\n32 %7 = mov %6.x\n" + OUT.format(value="%7")
    text = branch("ieq %10.y, %1", "32x2 %4 = ineg %10", "32x2 %5 = mov %10", after).replace(
        "1 %3 = ", vector
    )
    assert_unchanged(opt_if, text)


def test_float_that_equals_zero_may_be_negative_zero() -> None:
    after = "32 %6 = phi b1: %4, b2: %5\n" + OUT.format(value="%6")
    assert_unchanged(opt_if, branch("feq %2, %0", "32 %4 = fadd %2, %0", "32 %5 = fneg %2", after))


def test_phi_of_booleans_is_the_condition() -> None:
    consts = f"{HEAD}1 %8 = load_const (true)\n1 %9 = load_const (false)\n1 %3 = ult %2, %1\n"
    for values, expected in (("b1: %8, b2: %9", "32 %7 = b2i32 %3"), ("b1: %9, b2: %8", "32 %7 = b2i32 %10")):
        inverse = "1 %10 = inot %3\n" if "%10" in expected else ""
        frame = "if %3 {{\nblock b1:\n{store}\n}} else {{\nblock b2:\n}}\nblock b3:\n"
        frame = frame.format(store=OUT.format(value="%1"))
        tail = OUT.format(value="%7") + "\nblock b4:\n"
        assert_becomes(
            opt_if,
            f"{consts}{frame}1 %6 = phi {values}\n32 %7 = b2i32 %6\n{tail}",
            f"{consts}{frame}{inverse}{expected}\n{tail}",
        )


def test_other_phis_stay() -> None:
    assert_unchanged(
        opt_if,
        branch("ult %2, %1", "32 %4 = ineg %2", "", "32 %6 = phi b1: %4, b2: %1\n" + OUT.format(value="%6")),
    )
