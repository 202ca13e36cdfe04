from __future__ import annotations

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.parse import parse_dump
from nirls.passes.cleanup.opt_cse import opt_cse
from tests.passes.expectation import assert_becomes, assert_unchanged, parse_body

HEAD = """
block b0:
32x4  %0 = @load_frag_coord
32    %1 = load_const (0x3f800000)
"""
DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none float u (0, 0, 0)
decl_var uniform INTERP_MODE_NONE none sampler2D t (1, 0, 0)
decl_var shader_out INTERP_MODE_NONE none float o (FRAG_RESULT_DATA0.x, 0, 0)
"""


def use(*values: str) -> str:
    return "\n".join(
        f"@store_ssbo ({value}, %1, %1) (wrmask=x, access=none, align_mul=4, align_offset=0)"
        for value in values
    )


def merges(one: str, other: str) -> bool:
    """Whether two lines, the values %10 and %20, are found to be the same."""
    shader = parse_body(
        f"{HEAD}\n{one}\n{other}\n{use('%10', '%20')}\nblock b1:", declarations=DECLARATIONS, valid=False
    )
    progress = opt_cse(shader)
    numbers = {value.index for impl in shader.impls() for value in impl.defs()}
    assert progress is (20 not in numbers)
    return progress


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("32 %10 = fadd %0.x, %1", "32 %20 = fadd %0.x, %1", True),
        ("32 %10 = fadd %0.x, %1", "32 %20 = fadd %1, %0.x", True),
        ("32 %10 = fadd %0.x, %1", "32 %20 = fadd %0.y, %1", False),
        ("32 %10 = flt %0.x, %1", "32 %20 = flt %1, %0.x", False),
        ("32 %10 = ffma %0.x, %1, %0.y", "32 %20 = ffma %1, %0.x, %0.y", True),
        ("32 %10 = ffma %0.x, %1, %0.y", "32 %20 = ffma %0.x, %0.y, %1", False),
        ("32 %10 = ffma %0.x, %1, %0.y", "32 %20 = ffma %0.x, %1, %0.z", False),
        ("32x2 %10 = fneg %0.xy", "32x2 %20 = fneg %0.xy", True),
        ("32x2 %10 = fneg %0.xy", "32x2 %20 = fneg %0.xz", False),
        ("32 %10 = load_const (0x00000007)", "32 %20 = load_const (0x00000007)", True),
        ("32 %10 = load_const (0x00000007)", "16 %20 = load_const (0x0007)", False),
        ("32 %10 = undefined", "32 %20 = undefined", False),
        ("1 %10 = @load_front_face", "1 %20 = @load_front_face", True),
        ("32 %10 = @ddx (%1)", "32 %20 = @ddx (%1)", False),
        (
            "32 %10 = @load_ssbo (%1, %1) (access=none, align_mul=4, align_offset=0)",
            "32 %20 = @load_ssbo (%1, %1) (access=none, align_mul=4, align_offset=0)",
            False,
        ),
        (
            "32 %10 = @load_ssbo (%1, %1) (access=reorderable, align_mul=4, align_offset=0)",
            "32 %20 = @load_ssbo (%1, %1) (access=reorderable, align_mul=4, align_offset=0)",
            True,
        ),
        (
            "32 %10 = @load_ubo (%1, %1) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
            "32 %20 = @load_ubo (%1, %1) (access=none, align_mul=8, align_offset=0, range_base=0, range=4)",
            False,
        ),
    ],
)
def test_what_is_the_same(one: str, other: str, same: bool) -> None:
    assert merges(one, other) is same


def test_variables_that_are_never_written() -> None:
    lines = """
        32 %2 = deref_var &u (uniform float)
        32 %3 = @load_deref (%2) (access=none)
        32 %4 = deref_var &u (uniform float)
        32 %5 = @load_deref (%4) (access=none)
        32 %6 = deref_var &o (shader_out float)
        32 %7 = @load_deref (%6) (access=none)
        32 %8 = @load_deref (%6) (access=none)
    """
    shader = parse_body(
        f"{HEAD}\n{lines}\n{use('%3', '%5', '%7', '%8')}\nblock b1:", declarations=DECLARATIONS
    )
    assert opt_cse(shader)
    assert {value.index for impl in shader.impls() for value in impl.defs()} == {0, 1, 2, 3, 6, 7, 8}


def test_exactness_is_kept() -> None:
    for one, other in (("fadd", "fadd!"), ("fadd!", "fadd")):
        shader = parse_body(
            f"{HEAD}\n32 %2 = {one} %0.x, %1\n32 %3 = {other} %0.x, %1\n{use('%2', '%3')}\nblock b1:"
        )
        assert opt_cse(shader)
        (left,) = [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]
        assert left.exact


def test_only_what_dominates_takes_over() -> None:
    body = """
        {head}
        1 %2 = @load_front_face
        if %2 {{
            block b1:
            32 %3 = fneg %1
            {use_3}
        }} else {{
            block b2:
            32 %4 = fneg %1
            {use_4}
        }}
        block b3:
        32 %5 = fneg %1
        {use_5}
        {again}
        block b4:
        """
    uses = {"use_3": use("%3"), "use_4": use("%4"), "use_5": use("%5"), "head": HEAD}
    assert_unchanged(opt_cse, body.format(**uses, again=""))
    assert_becomes(
        opt_cse,
        body.format(**uses, again=f"32 %6 = fneg %1\n        {use('%6')}"),
        body.format(**uses, again=use("%5")),
    )


def test_chains_merge_to_their_end() -> None:
    lines = [HEAD]
    for start, number in ((2, 300), (1000, 300)):
        lines.append(f"32 %{start} = fneg %1")
        lines += [f"32 %{start + n} = fadd %{start + n - 1}, %0.x" for n in range(1, number)]
    shader = parse_body("\n".join([*lines, use("%301", "%1299"), "block b1:"]))
    assert opt_cse(shader)
    assert max(value.index for impl in shader.impls() for value in impl.defs()) == 301


def test_phis_of_one_block() -> None:
    body = """
        {head}
        1 %2 = @load_front_face
        if %2 {{
            block b1:
        }} else {{
            block b2:
            32 %3 = fneg %1
        }}
        block b3:
        32 %4 = phi b1: %1, b2: %3
        {second}
        {use_4}
        {use_5}
        block b4:
        """
    assert_becomes(
        opt_cse,
        body.format(head=HEAD, second="32 %5 = phi b2: %3, b1: %1", use_4=use("%4"), use_5=use("%5")),
        body.format(head=HEAD, second="", use_4=use("%4"), use_5=use("%4")),
    )


def test_textures() -> None:
    lines = """
        32 %2 = deref_var &t (uniform sampler2D)
        32x4 %3 = (float32)tex %2 (texture_deref), %2 (sampler_deref), %0.xy (coord)
    """
    first = lines.replace("%0.xy", "%9")
    again = "32x4 %4 = (float32){} %2 (texture_deref), %2 (sampler_deref), %9 (coord){}"
    head = f"{HEAD}\n32x2 %9 = mov %0.xy\n{first}"
    for op, more, same in (("tex", "", True), ("txl", ", %1 (lod)", False), ("txb", ", %1 (bias)", False)):
        shader = parse_body(
            f"{head}\n{again.format(op, more)}\n{use('%3', '%4')}\nblock b1:", declarations=DECLARATIONS
        )
        assert opt_cse(shader) is same


def test_registers_are_not_values() -> None:
    shader = parse_dump(
        b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	block block_0:
	/* preds: */
	vec4 32 ssa_0 = intrinsic load_frag_coord () ()
	r0 = mov ssa_0
	vec4 32 ssa_1 = fneg r0
	r0 = fneg ssa_1
	vec4 32 ssa_2 = fneg r0
	r0 = fneg ssa_1
	vec1 32 ssa_3 = fneg -ssa_0.x
	vec1 32 ssa_4 = fneg ssa_0.x
	/* succs: block_1 */
	block block_1:
}
"""
    )
    assert not opt_cse(shader)


def test_the_one_that_stays_keeps_what_either_must_keep() -> None:
    lines = ("32  %10 = fadd %0.x, %0.y // preserve:sz", "32  %11 = fadd %0.x, %0.y // exact, preserve:nan")
    shader = parse_body("\n".join((HEAD, *lines, use("%10", "%11"), "block b1:")), valid=False)
    assert opt_cse(shader)
    (stays,) = [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]
    assert stays.flags == {"exact", "preserve:sz", "preserve:nan"}
