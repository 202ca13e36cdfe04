"""Per-primitive outputs of mesh shaders: the steps that remove varyings do the same for them."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packings import packings
from nirls.passes.varyings.values.expression_text import expression_text
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader

DECLARED = ("decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",)


def put(slot: str, value: str, component: int = 0, kind: str = "primitive") -> str:
    return (
        f"           @store_per_{kind}_output ({value}, %2, %0) (base=0, range=1, wrmask=x,"
        f" component={component}, src_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def get(number: int, slot: str, component: int = 0) -> str:
    return (
        f"32    %{number} = @load_per_primitive_input (%0) (base=0, range=1, component={component},"
        f" dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def use(value: str) -> str:
    return f"           @store_ssbo ({value}, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def pair(stores: list[str], reads: list[str]) -> list[Shader]:
    """A mesh shader with the constant %1, the primitive %2 as a float in %3, and the uniform %6."""
    mesh = shader(
        "MESH",
        ZERO,
        "32    %1 = load_const (0x3f800000 = 1.000000)",
        "32    %2 = @load_local_invocation_index",
        "32    %3 = u2f32 %2",
        "32    %4 = deref_var &u (uniform vec4)",
        "32x4  %5 = @load_deref (%4) (access=none)",
        "32    %6 = mov %5.x",
        "32    %7 = fsin %3",
        *stores,
        header=("workgroup_size: 8, 1, 1", *DECLARED),
    )
    return [mesh, shader("FRAGMENT", ZERO, *reads, header=DECLARED)]


def summary(made: Shader) -> str:
    """The slots of the varyings, and the values that are used."""
    words = []
    for instr in made.instrs():
        if not isinstance(instr, IntrinsicInstr):
            continue
        if instr.name == "store_ssbo":
            words.append(expression_text(instr.sources[0].ssa, made.stage))
        elif instr.io_semantics is not None:
            component = "xyzw"[instr.int_index("component")]
            words.append(f"{instr.name.split('_')[2]} {instr.io_semantics.location - 32}.{component}")
    return ", ".join(words)


def check(before: list[Shader], after: str, why: str, **options: bool) -> None:
    """Compare the varyings that are left after the pass, verify it, and find a reason in the ledger."""
    given = OptVaryings.with_options(options)
    result = [clone_shader(one) for one in before]
    given.run(result)
    assert " | ".join(map(summary, result)) == after
    assert isinstance(verify_shaders(before, result), Equivalent)
    (packed,) = packings(before, given)
    assert why in "\n".join(line.text for line in packed.ledger.lines)


BOTH = [get(4, "VAR3"), get(5, "VAR4"), "32    %6 = fadd %4, %5", use("%6")]


@pytest.mark.parametrize(
    ("stores", "reads", "after", "why"),
    [
        (
            [put("VAR3", "%1"), put("VAR4", "%3")],
            BOTH,
            "primitive 0.x | primitive 0.x, 1 + VAR0.x",
            "VAR3.x propagated: the constant 1 is used in the FS",
        ),
        (
            [put("VAR3", "%6"), put("VAR4", "%3")],
            BOTH,
            "primitive 0.x | primitive 0.x, u.x + VAR0.x",
            "VAR3.x propagated: the FS computes u.x",
        ),
        (
            [put("VAR3", "%3"), put("VAR4", "%3")],
            BOTH,
            "primitive 0.x | primitive 0.x, VAR0.x + VAR0.x",
            "VAR4.x deduplicated: VAR3.x has the same value",
        ),
        (
            [put("VAR3", "%7"), put("VAR4", "%3")],
            [get(5, "VAR4"), use("%5")],
            "primitive 0.x | primitive 0.x, VAR0.x",
            "VAR3.x removed: never read by the FS",
        ),
        (
            [put("VAR4", "%3")],
            [
                "32    %8 = load_const (0x00000004)",
                *BOTH[:2],
                use("%5"),
                use("%4").replace("%0, %0)", "%0, %8)"),
            ],
            "primitive 0.x | primitive 0.x, VAR0.x, undefined",
            "VAR3.x unwritten: never written by the MS, so it reads as undefined",
        ),
        (
            [put("VAR3", "%3"), put("VAR4", "%7", kind="vertex")],
            [get(4, "VAR3"), use("%4")],
            "primitive 0.x | primitive 0.x, VAR0.x",
            "VAR4.x removed: never read by the FS",
        ),
    ],
)
def test_steps(stores: list[str], reads: list[str], after: str, why: str) -> None:
    check(pair(stores, reads), after, why)


def test_output_per_vertex_is_no_duplicate_of_one_per_primitive() -> None:
    per_vertex = get(5, "VAR4").replace("load_per_primitive_input", "load_input")
    reads = [get(4, "VAR3"), per_vertex, "32    %6 = fadd %4, %5", use("%6")]
    before = pair([put("VAR3", "%3"), put("VAR4", "%3", kind="vertex")], reads)
    result = [clone_shader(one) for one in before]
    OptVaryings().run(result)
    assert summary(result[0]).count("primitive") == summary(result[0]).count("vertex") == 1
    assert isinstance(verify_shaders(before, result), Equivalent)
