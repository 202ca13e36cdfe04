from __future__ import annotations

import os
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.buffers.lower_dynamic_bo_access import LowerDynamicBoAccess, lower_dynamic_bo_access
from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import UniformWord
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body

UBO = "(access=none, align_mul=16, align_offset=4, range_base=16, range=32)"
SSBO = "(access=none, align_mul=4, align_offset=0)"
HEAD = f"""
block b0:
32    %0 = load_const (0x00000000)
32    %1 = load_const (0x00000014)
32    %2 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}
32    %3 = load_const (0x00000007)
32    %90 = @load_local_invocation_index
32    %91 = load_const (0x00000002)
32    %92 = ishl %90, %91
32    %93 = load_const (0x00000400)
32    %94 = iadd %92, %93
"""
"""Each invocation has a word of its own at %94, beyond what atomics change."""


def lowered(shader: Shader) -> Shader:
    """The shader after the pass: valid, the same program, and the same again through text."""
    result = clone_shader(shader)
    LowerDynamicBoAccess().check([result])
    assert lower_dynamic_bo_access(result)
    assert_valid(result)
    verdict = verify_shaders(shader, result, VerificationOptions(runs=6))
    assert isinstance(verdict, Equivalent), verdict
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, result) is None
    assert_valid(edited)
    assert not lower_dynamic_bo_access(result), "the pass makes progress on its own result"
    return result


def names(shader: Shader) -> Counter[str]:
    return Counter(
        instr.name if isinstance(instr, IntrinsicInstr) else instr.op
        for impl in shader.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr | AluInstr)
    )


def store(value: str, buffer: str = "%0 (0x0)") -> str:
    return f"@store_ssbo ({value}, {buffer}, %94) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def compute(*lines: str, header: str = "num_ubos: 4\nnum_ssbos: 3\nfirst_ubo_is_default_ubo: true") -> Shader:
    return parse_body(
        HEAD + "\n".join(lines) + "\nblock b1:", "COMPUTE", f"workgroup_size: 8, 1, 1\n{header}"
    )


@pytest.mark.parametrize(
    ("load", "count"),
    [
        (f"32x4 %9 = @load_ubo (%2, %1 (0x14)) {UBO}", 4),
        ("32x4 %9 = @load_ubo_vec4 (%2, %0 (0x0)) (access=none, base=1, component=0)", 4),
        (f"32x4 %9 = @load_ssbo (%2, %1 (0x14)) {SSBO}", 3),
        ("32 %9 = @get_ssbo_size (%2) (access=none)", 3),
    ],
)
def test_loads_become_selections(load: str, count: int) -> None:
    vector = "32x4" in load
    result = lowered(
        compute(
            load,
            store("%10" if vector else "%9"),
        )
        if not vector
        else compute(load, "32 %10 = mov %9.y", store("%10"))
    )
    found = names(result)
    name = load.partition("@")[2].partition(" ")[0]
    assert found[name] == count + (name == "load_ubo")
    assert found["bcsel"] == found["ilt"] == count - 1


def test_indices_are_carried_over() -> None:
    result = lowered(compute(f"32 %9 = @load_ubo (%2, %1 (0x14)) {UBO}", store("%9")))
    (impl,) = result.impls()
    loads = [one for one in impl.instrs() if isinstance(one, IntrinsicInstr) and one.name == "load_ubo"]
    assert len({tuple(one.indices.items()) for one in loads}) == 1


def test_stores_and_atomics_stand_in_a_tree_of_ifs() -> None:
    atomic = "32 %9 = @ssbo_atomic (%95, %0 (0x0), %3 (0x7)) (access=none, atomic_op=iadd)"
    swap = "32 %10 = @ssbo_atomic_swap (%95, %1 (0x14), %3 (0x7), %1) (access=none, atomic_op=cmpxchg)"
    result = lowered(
        compute("32 %95 = umin %2, %91", atomic, swap, "32 %11 = iadd %9, %10", store("%11", "%95"))
    )
    found = names(result)
    assert found["ssbo_atomic"] == found["ssbo_atomic_swap"] == found["store_ssbo"] == 3
    assert found["bcsel"] == 0


def test_volatile_loads_run_for_one_block_only() -> None:
    load = f"32 %9 = @load_ssbo (%2, %1 (0x14)) {SSBO.replace('none', 'volatile')}"
    result = lowered(compute(load, store("%9")))
    assert names(result)["bcsel"] == 0


def test_inside_of_control_flow() -> None:
    body = f"""
    {HEAD}
    32 %95 = umin %2, %91
    1 %4 = ilt %2, %3
    if %4 {{
        block b1:
        32 %5 = @ssbo_atomic (%95, %0 (0x0), %3 (0x7)) (access=none, atomic_op=iadd)
        32 %6 = @load_ubo (%2, %1 (0x14)) {UBO}
        32 %7 = iadd %5, %6
    }} else {{
        block b2:
    }}
    block b3:
    32 %8 = phi b1: %7, b2: %0 (0x0)
    {store("%8")}
    block b4:
    """
    lowered(parse_body(body, "COMPUTE", "workgroup_size: 8, 1, 1\nnum_ubos: 3\nnum_ssbos: 4"))


def test_what_is_known_of_the_index_narrows_the_blocks() -> None:
    index = "32 %4 = load_const (0x00000001)\n32 %5 = iand %2, %4\n32 %6 = iadd %5, %4"
    result = lowered(compute(index, f"32 %9 = @load_ubo (%6, %1 (0x14)) {UBO}", store("%9")))
    assert names(result)["bcsel"] == 1
    (finding,) = LowerDynamicBoAccess().find(
        [compute(index, f"32 %9 = @load_ubo (%6, %1 (0x14)) {UBO}", store("%9"))]
    )
    assert (finding.data["first"], finding.data["last"]) == (1, 2)


CLASSIC = b"""shader: MESA_SHADER_FRAGMENT
inputs: 0
outputs: 0
uniforms: 0
ubos: 2
shared: 0
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
\tvec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (access=0, align_mul=4, align_offset=0, range=4)
\tvec4 32 ssa_2 = intrinsic load_ubo (ssa_1, ssa_0) (access=0, align_mul=4, align_offset=0, range=16)
\tvec1 32 ssa_3 = fadd ssa_2.x, ssa_2.w
\tintrinsic store_ssbo (ssa_3, ssa_0, ssa_0) (wrmask=x /*1*/, access=0, align_mul=4, align_offset=0)
\t/* succs: block_1 */
\tblock block_1:
}
"""


def test_classic_dump() -> None:
    assert names(lowered(parse_dump(CLASSIC)))["bcsel"] == 2


OLD = b"""shader: MESA_SHADER_FRAGMENT
inputs: 0
outputs: 0
uniforms: 8
ubos: 5
shared: 0
decl_var shader_out INTERP_MODE_NONE vec4 color (FRAG_RESULT_DATA0.xyzw, 8, 0)
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
\tvec1 32 ssa_1 = load_const (0x00000001 /* 0.000000 */)
\tvec1 32 ssa_2 = load_const (0x00000003 /* 0.000000 */)
\tvec1 32 ssa_3 = intrinsic load_ubo (ssa_1, ssa_0) UBO_INDICES
\tvec1 32 ssa_4 = umin ssa_3, ssa_2
\tvec1 32 ssa_5 = iadd ssa_4, ssa_1
\tvec1 32 ssa_6 = ilt32 ssa_3, ssa_2
\tvec4 32 ssa_7 = intrinsic load_ubo (ssa_5, ssa_0) UBO_INDICES
\tintrinsic store_output (ssa_7, ssa_0) (8, 15, 0, 160, 132) /* base=8 */
\t/* succs: block_1 */
\tblock block_1:
}
""".replace(
    b"UBO_INDICES",
    b"(0, 4, 0, 0, -1) /* access=0 */ /* align_mul=4 */ /* align_offset=0 */ /* range_base=0 */",
)


def test_old_dump_and_back_with_the_uniform_inlined() -> None:
    """The pair of the reference: the tree of selections, and what is left of it when the index is known."""
    shader = parse_dump(OLD)
    result = lowered(shader)
    assert names(result)["b32csel"] == 3
    known = {UniformWord("1", 0): 1}
    inlined = clone_shader(result)
    assert inline_uniforms(inlined, known)
    assert names(inlined) == {"load_ubo": 1, "store_output": 1}
    options = VerificationOptions(assumptions=InlineUniforms(set="1:0=1").assumptions([shader]))
    assert isinstance(verify_shaders(shader, inlined, options), Equivalent)


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("num_ubos: 0", "the shader has no UBO"),
        ("num_ubos: 2", "the index is at least 7, and the last UBO of the shader is 2"),
        ("num_ubos: 100000", "more than the limit"),
    ],
)
def test_no_possible_block(header: str, message: str) -> None:
    index = "32 %6 = umax %2, %3"
    shader = compute(index, f"32 %9 = @load_ubo (%6, %1 (0x14)) {UBO}", store("%9"), header=header)
    with pytest.raises(OptionError, match=message):
        LowerDynamicBoAccess().check([shader])
    result = clone_shader(shader)
    assert not lower_dynamic_bo_access(result)
    assert difference(shader, result) is None
    (finding,) = LowerDynamicBoAccess().find([shader])
    assert message in finding.message
    assert finding.code == "no-possible-block"


def test_register_form_is_refused() -> None:
    text = OLD.replace(b"\tvec1 32 ssa_5 = ", b"\tr0 = ").replace(b"(ssa_5, ", b"(r0, ")
    text = text.replace(b"impl main {\n", b"impl main {\n\tdecl_reg vec1 32 r0\n")
    with pytest.raises(OptionError, match="in a register"):
        LowerDynamicBoAccess().check([parse_dump(text)])


def test_without_counts_nothing_is_guessed() -> None:
    shader = compute(f"32 %9 = @load_ubo (%2, %1 (0x14)) {UBO}", store("%9"), header="name: x")
    assert not lower_dynamic_bo_access(shader)
    assert list(LowerDynamicBoAccess().find([shader])) == []


def test_fixes_one_and_all() -> None:
    loads = f"32 %9 = @load_ubo (%2, %1 (0x14)) {UBO}", f"32 %10 = @load_ssbo (%2, %0 (0x0)) {SSBO}"
    shader = compute(*loads, "32 %11 = iadd %9, %10", store("%11"))
    one, other = LowerDynamicBoAccess().find([shader])
    (change,) = LowerDynamicBoAccess().fix([shader], other.fixes[0].request)
    assert (names(change.after)["load_ubo"], names(change.after)["load_ssbo"]) == (2, 3)
    (change,) = LowerDynamicBoAccess().fix([shader], one.fixes[1].request)
    assert (names(change.after)["load_ubo"], names(change.after)["load_ssbo"]) == (5, 3)


ACCESSES = st.lists(
    st.tuples(
        st.sampled_from(("load_ubo", "load_ssbo", "store_ssbo", "ssbo_atomic", "get_ssbo_size")),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=int(os.environ.get("NIRLS_EXAMPLES", "60")), deadline=None)
@given(ACCESSES, st.integers(1, 9), st.integers(1, 9))
@pytest.mark.sweep
def test_generated_shaders_stay_the_same(accesses: list[tuple[str, int]], ubos: int, ssbos: int) -> None:
    lines = ["32 %4 = load_const (0x00000000)"]
    last, number = "%4", 5
    for name, shift in accesses:
        lines += [f"32 %{number} = load_const ({shift:#010x})", f"32 %{number + 1} = iadd %2, %{number}"]
        index, value = f"%{number + 1}", f"%{number + 2}"
        if name == "store_ssbo":
            lines.append(store(last, index))
        elif name == "load_ubo":
            lines.append(f"32 {value} = @load_ubo ({index}, %1 (0x14)) {UBO}")
        elif name == "load_ssbo":
            lines.append(f"32 {value} = @load_ssbo ({index}, %0 (0x0)) {SSBO}")
        elif name == "get_ssbo_size":
            lines.append(f"32 {value} = @get_ssbo_size ({index}) (access=none)")
        else:
            lines.append(
                f"32 {value} = @ssbo_atomic ({index}, %1 (0x14), {last}) (access=none, atomic_op=iadd)"
            )
        last = last if name == "store_ssbo" else value
        number += 3
    shader = compute(*lines, store(last), header=f"num_ubos: {ubos}\nnum_ssbos: {ssbos}")
    result = clone_shader(shader)
    assert lower_dynamic_bo_access(result)
    assert_valid(result)
    verdict = verify_shaders(shader, result, VerificationOptions(runs=3, most_runs=3, least_lanes=1))
    assert "different" not in type(verdict).__name__.lower(), verdict


def test_an_atomic_whose_index_no_operation_bounds_is_not_called_different() -> None:
    """Invocations that read what one with an index beyond the buffers may have changed say nothing."""
    text = """shader: MESA_SHADER_FRAGMENT
num_ssbos: 3
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32, io location=VARYING_SLOT_VAR0 slots=1)
    32    %2 = load_const (0x00000007)
    32    %3 = @ssbo_atomic (%1, %0, %2) (access=none, atomic_op=iadd)
               @store_output (%3, %0) (base=0, range=1, wrmask=x, component=0, src_type=uint32, io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())
               // succs: b1
    block b1:
}
"""  # noqa: E501
    shader = parse_dump(text.encode())
    after = clone_shader(shader)
    assert lower_dynamic_bo_access(after)
    assert not isinstance(verify_shaders(shader, after), Different)
