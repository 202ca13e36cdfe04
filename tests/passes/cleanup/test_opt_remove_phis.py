from __future__ import annotations

from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from tests.passes.expectation import assert_becomes, assert_unchanged

BODY = """
block b0:
1     %0 = @load_front_face
32    %1 = load_const (0x00000000)
32x4  %2 = @load_frag_coord
{above}
if %0 {{
    block b1:
    {then}
}} else {{
    block b2:
    {other}
}}
block b3:
{phi}
@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)
block b4:
"""


def body(phi: str, value: str, then: str = "", other: str = "", above: str = "") -> str:
    return BODY.format(phi=phi, value=value, then=then, other=other, above=above)


def test_phi_of_one_value() -> None:
    assert_becomes(opt_remove_phis, body("32 %5 = phi b1: %1, b2: %1", "%5"), body("", "%1"))


def test_undefined_sources_do_not_count() -> None:
    undefined = "32 %4 = undefined"
    assert_becomes(
        opt_remove_phis,
        body("32 %5 = phi b1: %4, b2: %1", "%5", then=undefined),
        body("", "%1", then=undefined),
    )


def test_phi_of_nothing_is_undefined() -> None:
    undefined = "32 %4 = undefined"
    assert_becomes(
        opt_remove_phis,
        body("32 %5 = phi b1: %4, b2: %4", "%5", above=undefined),
        body("32 %5 = undefined", "%5", above=undefined),
    )


def test_same_computation_in_both_branches() -> None:
    assert_becomes(
        opt_remove_phis,
        body("32 %5 = phi b1: %3, b2: %4", "%5", then="32 %3 = mov %2.y", other="32 %4 = mov %2.y"),
        body("", "%6", then="32 %3 = mov %2.y", other="32 %4 = mov %2.y", above="32 %6 = mov %2.y"),
    )
    assert_becomes(
        opt_remove_phis,
        body(
            "32 %5 = phi b1: %3, b2: %4",
            "%5",
            then="32 %3 = load_const (0x00000001)",
            other="32 %4 = load_const (0x00000001)",
        ),
        body(
            "",
            "%6",
            then="32 %3 = load_const (0x00000001)",
            other="32 %4 = load_const (0x00000001)",
            above="32 %6 = load_const (0x00000001)",
        ),
    )


def test_what_differs_stays() -> None:
    for then, other in (
        ("32 %3 = mov %2.y", "32 %4 = mov %2.x"),
        ("32 %3 = fneg %2.y", "32 %4 = fneg! %2.y"),
        ("32 %3 = load_const (0x00000001)", "32 %4 = load_const (0x00000002)"),
        ("32 %3 = @load_sample_mask_in", "32 %4 = @load_sample_mask_in"),
    ):
        assert_unchanged(opt_remove_phis, body("32 %5 = phi b1: %3, b2: %4", "%5", then, other))


def test_value_of_one_branch_does_not_reach_the_other() -> None:
    """The undefined value would have to be computed before the branch, from what is not there yet."""
    assert_unchanged(
        opt_remove_phis,
        body(
            "32 %5 = phi b1: %3, b2: %4",
            "%5",
            then="32 %9 = fneg %2.x\n    32 %3 = fneg %9",
            other="32 %4 = undefined",
        ),
    )


def test_loop_that_does_not_change_a_value() -> None:
    loop = """
        block b0:
        1     %0 = @load_front_face
        32    %1 = load_const (0x00000000)
        loop {{
            block b1:
            {phi}
            @store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)
            if %0 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
        }}
        block b5:
        block b6:
        """
    assert_becomes(
        opt_remove_phis,
        loop.format(phi="32 %2 = phi b0: %1, b4: %2", value="%2"),
        loop.format(phi="", value="%1"),
    )
