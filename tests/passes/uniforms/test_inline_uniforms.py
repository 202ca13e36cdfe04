from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Loop
from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.declaration import OptionError
from nirls.passes.registers.lower_regs_to_ssa import lower_regs_to_ssa
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import UniformWord
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body

UBO = "(access=none, align_mul=4, align_offset=0, range_base=0, range=256)"
HEAD = f"""
block b0:
32    %0 = load_const (0x00000000)
32    %1 = load_const (0x00000004)
32    %2 = @load_ubo (%0 (0x0), %1 (0x4)) {UBO}
"""


def store(value: str, width: int = 1) -> str:
    mask = "xyzw"[:width]
    return (
        f"@store_ssbo ({value}, %0 (0x0), %0 (0x0)) (wrmask={mask}, access=none, align_mul=4, align_offset=0)"
    )


BRANCH = f"""
{HEAD}
1     %3 = ieq %2, %0 (0x0)
if %3 {{
    block b1:
    32 %4 = @load_sample_id
    {store("%4")}
}} else {{
    block b2:
    {store("%1")}
}}
block b3:
block b4:
"""


def inlined(shader: Shader, values: str) -> Shader:
    """The shader with values inlined: valid, and the same where memory holds them, as text too."""
    result = clone_shader(shader)
    options = {"set": values}
    InlineUniforms.with_options(options).check([result])
    assert InlineUniforms.with_options(options).run([result]) == [result]
    assert_valid(result)
    assumed = InlineUniforms.with_options(options).assumptions([shader])
    assert isinstance(verify_shaders(shader, result, VerificationOptions(assumptions=assumed)), Equivalent)
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, result) is None
    return result


def constants_first(shader: Shader) -> Shader:
    """The same with constants sorted at the top, each once: where Mesa has them depends on its clean-up."""
    copy = clone_shader(shader)
    for impl in copy.impls():
        constants = [instr for instr in impl.instrs() if isinstance(instr, LoadConstInstr)]
        kept: dict[tuple[int, ...], LoadConstInstr] = {}
        for instr in sorted(constants, key=lambda instr: instr.values, reverse=True):
            first = kept.setdefault(instr.values, instr)
            assert instr.def_ is not None
            assert first.def_ is not None
            instr.unlink()
            if first is instr:
                impl.start_block.prepend(instr)
            else:
                instr.def_.replace_all_uses_with(first.def_)
    return copy


def test_the_shader_of_2020_ends_as_in_mesa(shared: Path) -> None:
    name = "ubo_array_{}_inlining.frag.nir"
    before = parse_dump((shared / "corpus" / "old" / name.format("before")).read_bytes())
    after = parse_dump((shared / "corpus" / "old" / name.format("after")).read_bytes())
    result = inlined(before, "1:0=0")
    assert difference(constants_first(result), constants_first(after)) is None


def test_what_a_branch_decides() -> None:
    taken, left = (inlined(parse_body(BRANCH), f"0:4={value}") for value in (0, 9))
    assert [instr.kind for impl in taken.impls() for instr in impl.instrs()] == [
        "load_const",
        "intrinsic",
        "intrinsic",
    ]
    assert not any("load_sample_id" in repr(instr) for impl in left.impls() for instr in impl.instrs())


def test_some_components_of_a_vector() -> None:
    load = f"32x4 %9 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}"
    shader = parse_body(
        f"{HEAD}{load}\n32 %10 = fadd %9.y, %9.z\n{store('%10')}\n{store('%9', 4)}\nblock b1:"
    )
    result = inlined(shader, "0:4=2.0")
    loads = [one for impl in result.impls() for one in impl.instrs() if "load_ubo" in repr(one)]
    assert len(loads) == 1
    whole = inlined(shader, "0:0=1,0:4=2,0:8=3,0:12=4")
    assert not any("load_ubo" in repr(one) for impl in whole.impls() for one in impl.instrs())


@pytest.mark.parametrize(("size", "values"), [(16, "0:0=0x12345678"), (64, "0:0=0x12345678,0:4=0x3ff00000")])
def test_other_sizes(size: int, values: str) -> None:
    load = f"{size}x2 %9 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}"
    inlined(parse_body(f"{HEAD}{load}\n{store('%9', 2)}\nblock b1:"), values)


def test_half_of_a_wide_value() -> None:
    load = f"64 %9 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}"
    shader = parse_body(f"{HEAD}{load}\n{store('%9')}\nblock b1:")
    with pytest.raises(OptionError, match="half of a value of 64 bits; 0:0 is needed"):
        InlineUniforms.with_options({"set": "0:4=1"}).check([shader])


def test_a_value_that_nothing_loads() -> None:
    with pytest.raises(OptionError, match=r"nothing loads uniform 0:8; there are loads of 0:4"):
        InlineUniforms.with_options({"set": "0:8=1"}).check([parse_body(BRANCH)])
    InlineUniforms.with_options({"set": "0:4=1"}).check(
        [parse_body(BRANCH), parse_body("block b0:\nblock b1:")]
    )


def test_register_form_is_named_as_the_reason() -> None:
    text = CLASSIC.replace(b"impl main {\n", b"impl main {\n\tdecl_reg vec1 32 r0\n")
    text = text.replace(b"vec1 32 ssa_1 = intrinsic", b"r0 = intrinsic").replace(b"ssa_1", b"r0")
    shader = parse_dump(text)
    assert not shader.unreadable
    with pytest.raises(OptionError, match=r"nothing loads uniform 0:0.*run lower_regs_to_ssa first"):
        InlineUniforms.with_options({"set": "0:0=0"}).check([shader])
    assert lower_regs_to_ssa(shader)
    InlineUniforms.with_options({"set": "0:0=0"}).check([shader])


def test_registers_of_other_instructions_are_no_reason() -> None:
    text = CLASSIC.replace(b"impl main {\n", b"impl main {\n\tdecl_reg vec1 32 r0\n")
    text = text.replace(b"\tvec1 1 ssa_2", b"\tr0 = ineg ssa_1\n\tvec1 1 ssa_2")
    text = text.replace(b"store_ssbo (ssa_1", b"store_ssbo (r0")
    shader = parse_dump(text)
    assert not shader.unreadable
    with pytest.raises(OptionError) as error:
        InlineUniforms.with_options({"set": "7:0=0"}).check([shader])
    assert "lower_regs_to_ssa" not in str(error.value)


def test_without_values_nothing_happens() -> None:
    shader = parse_body(BRANCH)
    result = clone_shader(shader)
    assert InlineUniforms().run([result]) == []
    assert not inline_uniforms(result, {UniformWord("1", 4): 1})
    assert difference(shader, result) is None


CLASSIC = b"""shader: MESA_SHADER_FRAGMENT
inputs: 0
outputs: 0
uniforms: 0
shared: 0
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
\tvec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (access=0, align_mul=4, align_offset=0, range=4)
\tvec1 1 ssa_2 = ieq ssa_1, ssa_0
\t/* succs: block_1 block_2 */
\tif ssa_2 {
\t\tblock block_1:
\t\t/* preds: block_0 */
\t\tintrinsic store_ssbo (ssa_1, ssa_0, ssa_0) (wrmask=x /*1*/, access=0, align_mul=4, align_offset=0)
\t\t/* succs: block_3 */
\t} else {
\t\tblock block_2:
\t\t/* preds: block_0 */
\t\t/* succs: block_3 */
\t}
\tblock block_3:
\t/* preds: block_1 block_2 */
\t/* succs: block_4 */
\tblock block_4:
}
"""


def test_classic_dump() -> None:
    result = inlined(parse_dump(CLASSIC), "0:0=0")
    text = apply_edits(CLASSIC, text_edits(parse_dump(CLASSIC), result)).decode()
    assert "\tif" not in text
    assert "store_ssbo (ssa_1, ssa_" in text


def test_finding_says_what_it_saves() -> None:
    shader = parse_body(BRANCH)
    (finding,) = InlineUniforms().find([shader])
    assert (
        finding.message
        == "uniform 0:4 determines an if: inlining this value removes at least 1 branch and 1 load"
    )
    assert [fix.title for fix in finding.fixes] == [
        f"Inline a value of 0:4 (for example {value})" for value in (0, 1)
    ]
    assert finding.data["uniform"] == "0:4"
    (change,) = InlineUniforms().fix([shader], finding.fixes[0].request)
    options = VerificationOptions(assumptions=change.assumptions)
    assert isinstance(verify_shaders(change.before, change.after, options), Equivalent)


def test_finding_with_a_value_from_a_comment() -> None:
    shader = parse_body(f"// nirls: uniform 0:4 = 5\n{BRANCH}")
    (finding,) = InlineUniforms().find([shader])
    assert "inlining this value (0x5) removes 1 branch and 2 loads" in finding.message
    assert [fix.title for fix in finding.fixes] == ["Inline 0:4 = 0x5"]


def test_a_comment_that_cannot_be_read_does_not_hide_the_finding() -> None:
    (finding,) = InlineUniforms().find([parse_body(f"// nirls: uniform 0:4 = five\n{BRANCH}")])
    assert "its comment was not read" in finding.message


def test_uniforms_that_count_only_together() -> None:
    second = f"32 %9 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}\n1     %3 = ieq %2, %9\n"
    body = BRANCH.replace("1     %3 = ieq %2, %0 (0x0)\n", second)
    findings = list(InlineUniforms().find([parse_body(body)]))
    assert {finding.data["uniform"] for finding in findings} == {"0:0", "0:4"}
    assert all("together with" in finding.message for finding in findings)
    assert list(InlineUniforms.with_options({"limit": 1}).find([parse_body(body)])) == []


@pytest.mark.sweep
def test_the_corpus_is_the_same_with_values_inlined(corpus: Path) -> None:
    """Every load from a known place, some of its words inlined."""
    from nirls.passes.uniforms.deciders import uniform_loads

    tried = 0
    for path in sorted(corpus.glob("pipelines/*_vk/*/*.io.nir"))[::4]:
        shader = parse_dump(path.read_bytes())
        places = [load.place(0) for load in uniform_loads(shader) if load.value.bit_size == 32][::3]
        if places:
            inlined(
                shader,
                ",".join(f"{place}={number % 3}" for number, place in enumerate(dict.fromkeys(places))),
            )
            tried += 1
    assert tried > 5


LOOP = f"""
block b0:
32 %0 = load_const (0x00000000)
32 %1 = load_const (0x00000004)
32 %2 = @load_ubo (%0 (0x0), %1 (0x4)) {UBO}
32 %3 = load_const (0x00000001)
32 %4 = @load_sample_id
loop {{
    block b1:
    32 %5 = phi b0: %0, b4: %9
    32 %6 = phi b0: %0, b4: %8
    1 %7 = ige %5, %2
    if %7 {{
        block b2:
        break
    }} else {{
        block b3:
    }}
    block b4:
    32 %8 = ixor %6, %4
    32 %9 = iadd %5, %3
}}
block b5:
{store("%6")}
block b6:
"""


@pytest.mark.parametrize("bound", [0, 1, 5, 32])
def test_uniform_that_bounds_a_loop_unrolls_it(bound: int) -> None:
    result = inlined(parse_body(LOOP), f"0:4={bound}")
    assert not any(isinstance(node, Loop) for impl in result.impls() for node in impl.cf_nodes())
    kinds = [getattr(one, "op", "") for impl in result.impls() for one in impl.instrs()]
    assert kinds.count("ixor") == bound
    assert "iadd" not in kinds, "the counter is folded"


def test_loop_of_more_iterations_stays() -> None:
    result = inlined(parse_body(LOOP), "0:4=33")
    assert any(isinstance(node, Loop) for impl in result.impls() for node in impl.cf_nodes())


def test_other_loops_are_not_unrolled() -> None:
    constant = LOOP.replace("ige %5, %2", "ige %5, %3")
    shader = parse_body(constant.replace(store("%6"), f"{store('%6')}\n{store('%2')}"))
    result = inlined(shader, "0:4=1")
    assert any(isinstance(node, Loop) for impl in result.impls() for node in impl.cf_nodes())


def test_finding_counts_what_unrolling_does() -> None:
    (finding,) = InlineUniforms(set="0:4=5").find([parse_body(LOOP)])
    assert finding.message == (
        "uniform 0:4 determines a loop: inlining this value (0x5) removes 1 branch, 1 loop and 1 load"
    )
    (finding,) = InlineUniforms(set="0:4=20").find([parse_body(LOOP)])
    assert finding.message.endswith("removes 1 branch, 1 loop and 1 load and adds 11 instructions")
    (finding,) = InlineUniforms().find([parse_body(LOOP)])
    assert finding.message.endswith("removes at least 1 branch, 1 loop and 1 load")


WIDE = f"""
block b0:
32    %0 = load_const (0x00000000)
32    %1 = load_const (0x00000004)
64    %5 = load_const (0x0000000000000000)
64    %2 = @load_ubo (%0 (0x0), %0 (0x0)) {UBO}
1     %3 = ieq %2, %5
if %3 {{
    block b1:
    {store("%1")}
}} else {{
    block b2:
    {store("%0")}
}}
block b3:
block b4:
"""


def test_uniform_of_64_bits_is_one_finding_with_whole_fixes() -> None:
    shader = parse_body(WIDE)
    (finding,) = InlineUniforms().find([shader])
    assert finding.message.startswith("64-bit uniform 0:0 determines an if: inlining this value removes")
    assert [fix.title for fix in finding.fixes] == [
        f"Inline a value of 0:0 (for example {value})" for value in (0, 1)
    ]
    for fix, stored in zip(finding.fixes, (b"store_ssbo (%1", b"store_ssbo (%0"), strict=True):
        (change,) = InlineUniforms().fix([shader], fix.request)
        text = apply_edits(shader.source, text_edits(change.before, change.after))
        assert stored in text
        assert b"if %" not in text
    (finding,) = InlineUniforms(set="0:0=0,0:4=0x10").find([shader])
    assert finding.data["value"] == 0x10_0000_0000
    assert finding.fixes[0].title == "Inline 0:0 = 0x1000000000"


def test_default_buffer_is_the_second_if_the_driver_keeps_the_first() -> None:
    shifted = BRANCH.replace("@load_ubo (%0 (0x0),", "@load_ubo (%9,").replace(
        "32    %1 =", "32 %9 = load_const (0x00000001)\n32    %1 ="
    )
    (finding,) = InlineUniforms().find([parse_body(shifted)])
    assert finding.data["uniform"] == "1:4"
    both = shifted.replace("block b3:", f"block b3:\n32 %8 = @load_ubo (%0, %0) {UBO}\n{store('%8')}")
    assert not list(InlineUniforms().find([parse_body(both)]))


def test_the_shader_of_2020_is_found_without_options(shared: Path) -> None:
    name = "ubo_array_before_inlining.frag.nir"
    shader = parse_dump((shared / "corpus" / "old" / name).read_bytes())
    assert "1:0" in {finding.data["uniform"] for finding in InlineUniforms().find([shader])}
