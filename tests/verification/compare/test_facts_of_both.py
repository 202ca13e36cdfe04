"""Comparisons of dumps that print vertex attributes by name, and by a number of their release."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.compare.facts_of_both import with_facts_of_both
from nirls.verification.compare.language import UNNAMED_INPUTS, words_of
from nirls.verification.options import VerificationOptions
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, shader

OUT = "decl_var shader_out INTERP_MODE_NONE none"
HEAD = "shader: MESA_SHADER_VERTEX\ninputs: 2\noutputs: 1\nuniforms: 0\nshared: 0\n"
INPUTS = tuple(
    f"decl_var shader_in INTERP_MODE_NONE vec4 in{number} (VERT_ATTRIB_GENERIC{number}.xyzw, 0, 0)\n"
    for number in range(2)
)
OUTPUT = "decl_var shader_out INTERP_MODE_NONE vec4 gl_Position (VARYING_SLOT_POS.xyzw, 0, 0)\n"
STORE = (
    "intrinsic store_output (ssa_4, ssa_0) (0, 15, 0, 160, 128)"
    " /* base=0 */ /* wrmask=xyzw */ /* component=0 */ /* src_type=float32 */ /* location=0 slots=1 */"
)


def dump(*lines: str, declared: str) -> bytes:
    body = "".join(
        f"\t{line}\n" for line in ("vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)", *lines)
    )
    return (
        f"{HEAD}{declared}{OUTPUT}decl_function main (0 params)\n\nimpl main {{\n\tblock block_0:\n"
        f"\t/* preds: */\n{body}\t/* succs: block_1 */\n\tblock block_1:\n}}\n"
    ).encode()


def by_number(first: int, second: int, declared: str = "", operation: str = "fadd") -> bytes:
    loads = [
        f"vec4 32 ssa_{value} = intrinsic load_input (ssa_0) ({base}, 0, 160, {128 + location})"
        f" /* base={base} */ /* component=0 */ /* dest_type=float32 */ /* location={location} slots=1 */"
        for value, base, location in ((2, 0, first), (3, 1, second))
    ]
    return dump(*loads, f"vec4 32 ssa_4 = {operation} ssa_2, ssa_3", STORE, declared=declared)


BY_VARIABLE = dump(
    "vec1 32 ssa_1 = deref_var &in0 (shader_in vec4)",
    "vec4 32 ssa_2 = intrinsic load_deref (ssa_1) (0) /* access=0 */",
    "vec1 32 ssa_5 = deref_var &in1 (shader_in vec4)",
    "vec4 32 ssa_3 = intrinsic load_deref (ssa_5) (0) /* access=0 */",
    "vec4 32 ssa_4 = fsub ssa_2, ssa_3",
    STORE,
    declared="".join(INPUTS),
)


@pytest.mark.parametrize(
    ("after", "verdict"),
    [
        (by_number(16, 17, operation="fsub"), Equivalent),
        (by_number(15, 16, operation="fsub"), Equivalent),
        (by_number(17, 16, operation="fsub"), Different),
        (by_number(16, 17, operation="fadd"), Different),
    ],
)
def test_the_declarations_of_the_other_side_tell(after: bytes, verdict: type) -> None:
    # nir_lower_io, and nir_remove_dead_variables behind it.
    shaders = parse_dump(BY_VARIABLE), parse_dump(after)
    assert isinstance(verify_shaders(*shaders), verdict)
    snapshots = [RunnableSnapshot(shader) for shader in shaders]
    assert isinstance(compare_snapshots(*snapshots, "nir_lower_io").verdict, verdict)


def test_a_side_that_lost_its_declarations() -> None:
    before, after = by_number(16, 17, "".join(INPUTS)), by_number(16, 17)
    assert isinstance(verify_shaders(parse_dump(before), parse_dump(after)), Equivalent)
    swapped = by_number(17, 16, operation="fsub")
    before = by_number(16, 17, "".join(INPUTS), operation="fsub")
    assert isinstance(verify_shaders(parse_dump(before), parse_dump(swapped)), Different)


def test_numbers_that_nothing_explains() -> None:
    shaders = [parse_dump(by_number(16, 17)), parse_dump(by_number(16, 17))]
    assert isinstance(verify_shaders(*shaders), Equivalent)
    assert UNNAMED_INPUTS in words_of(shaders[0])
    # One of the two loads is gone, and the other fits both numberings.
    only = BY_VARIABLE.replace(b"fsub ssa_2, ssa_3", b"fadd ssa_2, ssa_2")
    one_left = by_number(16, 16, operation="fadd")
    snapshots = [RunnableSnapshot(parse_dump(text)) for text in (only, one_left)]
    verdict = compare_snapshots(*snapshots, "nir_lower_io").verdict
    assert isinstance(verdict, Unchecked)
    assert UNNAMED_INPUTS in verdict.reason


def test_known_numberings_are_left_alone() -> None:
    shader = parse_dump(by_number(16, 17, "".join(INPUTS)))
    assert with_facts_of_both([shader], [shader]) == ([shader], [shader])


COMPUTE = """\
shader: MESA_SHADER_COMPUTE
workgroup_size: SIZE
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32x3  %0 = @load_local_invocation_id
    32    %1 = load_const (0x00000000)
    32    %2 = load_const (0x00000002)
    32    %3 = ishl %0.x, %2
    32    %4 = VALUE
               @store_ssbo (%4, %1, %3) (wrmask=x, access=none, align_mul=4, align_offset=0)
               // succs: b1
    block b1:
}
"""


def computed(size: str, value: str = "iadd %0.x, %2") -> Shader:
    return parse_dump(COMPUTE.replace("SIZE", size).replace("VALUE", value).encode())


def test_a_workgroup_has_the_size_that_the_other_side_tells() -> None:
    unset, told = computed("0, 0, 0"), computed("8, 1, 1")
    (first,), (second,) = with_facts_of_both([unset], [told])
    assert (first.workgroup_size, second) == ((8, 1, 1), told)
    assert unset.workgroup_size == (0, 0, 0)
    (first,), (second,) = with_facts_of_both([told], [unset])
    assert (first, second.workgroup_size) == (told, (8, 1, 1))
    assert with_facts_of_both([unset], [unset]) == ([unset], [unset])


@pytest.mark.parametrize(
    ("before", "after", "value", "expected"),
    [
        ("0, 0, 0", "8, 1, 1", "iadd %2, %0.x", Equivalent),
        ("0, 0, 0", "8, 1, 1", "isub %0.x, %2", Different),
        ("4, 1, 1", "8, 1, 1", "iadd %2, %0.x", Unchecked),
    ],
)
def test_shaders_run_in_workgroups_of_one_size(
    before: str, after: str, value: str, expected: type[Verdict]
) -> None:
    options = VerificationOptions(proves=False)
    verdict = verify_shaders(computed(before), computed(after, value), options)
    assert isinstance(verdict, expected), verdict


@pytest.mark.parametrize(
    ("declared", "value", "verdict"),
    [
        (f"{OUT} vec4 v (VARYING_SLOT_VAR3.xyzw, 0, 0)", "%1", Equivalent),
        (f"{OUT} vec4 v (VARYING_SLOT_VAR3.xyzw, 0, 0)", "%0", Different),
        (f"{OUT} vec3 v (VARYING_SLOT_VAR3.xyz, 0, 0)", "%1", Unchecked),
        (f"{OUT} vec4 w (VARYING_SLOT_VAR3.xyzw, 0, 0)", "%1", Unchecked),
    ],
)
def test_an_output_that_is_not_declared_is_that_of_the_other_side(
    declared: str, value: str, verdict: type
) -> None:
    name, type_name = declared.split(" ")[5], declared.split(" ")[4]
    before = shader(
        "VERTEX",
        ZERO,
        ONE,
        "32 %2 = deref_var &v (shader_out vec4)",
        "32x4 %3 = vec4 %1, %1, %1, %1",
        "@store_deref (%2, %3) (wrmask=x, access=none)",
    )
    after = shader(
        "VERTEX",
        ZERO,
        ONE,
        f"32 %2 = deref_var &{name} (shader_out {type_name})",
        f"32x4 %3 = vec4 {value}, %0, %0, %0",
        "@store_deref (%2, %3) (wrmask=x, access=none)",
        header=[declared],
    )
    found = compare_snapshots(RunnableSnapshot(before), RunnableSnapshot(after), "nir_lower_vars_to_ssa")
    assert isinstance(found.verdict, verdict)
