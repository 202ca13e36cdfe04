from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.cleanup.opt_undef import opt_undef
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x00000000)
1     %2 = @load_front_face
"""


def use(value: str, mask: str = "x") -> str:
    return f"@store_ssbo ({value}, %1, %1) (wrmask={mask}, access=none, align_mul=4, align_offset=0)"


def test_selection_takes_the_defined_branch() -> None:
    for sources in ("%2, %3, %0.y", "%2, %0.y, %3"):
        assert_becomes(
            opt_undef,
            f"{HEAD}\n32 %3 = undefined\n32 %4 = bcsel {sources}\n{use('%4')}\nblock b1:",
            f"{HEAD}\n32 %3 = undefined\n32 %4 = mov %0.y\n{use('%4')}\nblock b1:",
        )


@pytest.mark.parametrize(
    "selection", ["bcsel %2, -%0.y, %3", "bcsel %2, %3, abs(%0.y)", "fcsel.sat %0.z, %3, %0.y"]
)
def test_selection_that_modifies_the_defined_branch_stays(selection: str) -> None:
    assert_unchanged(opt_undef, f"{HEAD}\n32 %3 = undefined\n32 %4 = {selection}\n{use('%4')}\nblock b1:")


def test_undefined_condition_of_a_selection_is_false() -> None:
    reader = f"32 %4 = bcsel %3, %0.x, %0.y\n{use('%4')}\nblock b1:"
    assert_becomes(
        opt_undef,
        f"{HEAD}\n1 %3 = undefined\n{reader}",
        f"{HEAD}\n1 %3 = load_const (false)\n{reader}",
    )


def test_vector_of_undefined_values() -> None:
    body = """
        {head}
        {vector}
        if %2 {{
            block b1:
        }} else {{
            block b2:
            32x2 %6 = fneg %0.xy
        }}
        block b3:
        32x2 %5 = phi b1: %4, b2: %6
        {use}
        block b4:
        """
    assert_becomes(
        opt_undef,
        body.format(
            head=HEAD,
            vector="32 %3 = undefined\n        32x2 %4 = vec2 %3, %3",
            use=use("%5", "xy"),
        ),
        body.format(head=HEAD, vector="32 %3 = undefined\n        32x2 %4 = undefined", use=use("%5", "xy")),
    )


def test_store_leaves_out_undefined_components() -> None:
    assert_becomes(
        opt_undef,
        f"{HEAD}\n32 %3 = undefined\n32x3 %4 = vec3 %0.x, %3, %0.y\n{use('%4', 'xyz')}\nblock b1:",
        f"{HEAD}\n32 %3 = undefined\n32x3 %4 = vec3 %0.x, %3, %0.y\n{use('%4', 'xz')}\nblock b1:",
    )
    assert_becomes(
        opt_undef,
        f"{HEAD}\n32x2 %3 = undefined\n{use('%3', 'xy')}\nblock b1:",
        f"{HEAD}\n32x2 %3 = undefined\nblock b1:",
    )


@pytest.mark.parametrize(
    "store",
    [
        "@store_deref (%7, %4) (wrmask={}, access=none)",
        "@store_global ({v}, %8) (wrmask={}, access=none, align_mul=4, align_offset=0)",
        "@store_output ({v}, %1) (base=0, wrmask={}, component=0, io location=VARYING_SLOT_VAR0 slots=1)",
        "@store_per_vertex_output"
        " ({v}, %1, %1) (base=0, wrmask={}, component=0, io location=VARYING_SLOT_VAR0 slots=1)",
        "@store_per_primitive_output"
        " ({v}, %1, %1) (base=0, wrmask={}, component=0, io location=VARYING_SLOT_VAR0 slots=1)",
        "@store_scratch ({v}, %1) (base=0, align_mul=4, align_offset=0, wrmask={})",
        "@store_shared ({v}, %1) (base=0, access=none, wrmask={}, align_mul=4, align_offset=0)",
        "@store_ssbo ({v}, %1, %1) (wrmask={}, access=none, align_mul=4, align_offset=0)",
    ],
)
def test_every_kind_of_store_leaves_out_undefined_components(store: str) -> None:
    def body(mask: str) -> str:
        lines = (
            "32 %7 = deref_var &v (function_temp vec2)",
            "64 %8 = @load_global_base_ptr",
            "32 %3 = undefined",
            "32x2 %4 = vec2 %3, %0.y",
            store.format(mask, v="%4"),
        )
        return "\n".join((HEAD, *lines, "block b1:"))

    shader = parse_body(body("xy"), valid=False)
    assert opt_undef(shader)
    (stored,) = [one for one in shader.instrs() if one.def_ is None and isinstance(one, IntrinsicInstr)]
    assert stored.indices["write_mask"] == 0b10


def test_arithmetic_gets_nan_or_zero() -> None:
    for op, size, bits in (
        ("fadd", 32, "0x7fc00000"),
        ("iadd", 32, "0x00000000"),
        ("fadd", 16, "0x7e00"),
        ("fadd", 64, "0x7ff8000000000000"),
    ):
        kind = op[0]
        other = f"{size} %4 = u2{kind}{size} %1" if kind == "f" else "32 %4 = ineg %1"
        back = "f2u32" if kind == "f" else "inot"
        reader = f"{size} %5 = {op} %3, %4\n32 %6 = {back} %5\n{use('%6')}\nblock b1:"
        assert_becomes(
            opt_undef,
            f"{HEAD}\n{size} %3 = undefined\n{other}\n{reader}",
            f"{HEAD}\n{size} %3 = load_const ({bits})\n{other}\n{reader}",
        )


def test_readers_behind_a_vector_count() -> None:
    reader = f"32x2 %4 = vec2 %3, %0.x\n32x2 %5 = fmul %4, %0.yz\n{use('%5', 'xy')}\nblock b1:"
    assert_becomes(
        opt_undef,
        f"{HEAD}\n32 %3 = undefined\n{reader}",
        f"{HEAD}\n32 %3 = load_const (0x7fc00000)\n{reader}",
    )


def test_other_readers_keep_it_undefined() -> None:
    assert_unchanged(
        opt_undef,
        f"""
        {HEAD}
        32 %3 = undefined
        32 %4 = fadd %3, %0.x
        if %2 {{
            block b1:
        }} else {{
            block b2:
        }}
        block b3:
        32 %5 = phi b1: %3, b2: %4
        {use("%5")}
        block b4:
        """,
    )


def test_a_store_that_transform_feedback_captures_stays() -> None:
    indices = (
        "base=0, range=0, wrmask=x, component=0, src_type=float32, io location=FRAG_RESULT_DATA0 slots=1"
    )
    store = f"@store_output (%3, %1) ({indices}, xfb(component=0 buffer=0 offset=4), xfb2())"
    assert_unchanged(opt_undef, f"{HEAD}\n32 %3 = undefined\n{store}\nblock b1:")
    plain = f"@store_output (%3, %1) ({indices}, xfb(), xfb2())"
    assert_becomes(
        opt_undef,
        f"{HEAD}\n32 %3 = undefined\n{plain}\nblock b1:",
        f"{HEAD}\n32 %3 = undefined\nblock b1:",
    )
