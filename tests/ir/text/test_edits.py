"""Text edits from two shaders: what they change, what they leave alone, and that they are enough."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If
from nirls.ir.model.control_flow_edit import replace_nodes
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, JumpInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Register
from nirls.ir.text.edits import TextEdit, apply_edits, print_shader, text_edits
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import PrintStyle, fresh
from nirls.ir.text.printing.io_header import updated_header

TEXT = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    con block b0:       // preds:
    div 32x4   %0 = @load_frag_coord
    con 32     %1 = load_const (0x3f800000 = 1.000000)
                    // succs: b1
    block b1:
}
"""


def test_new_values_say_what_follows_from_their_operands() -> None:
    shader = clone_shader(parse_dump(TEXT))
    impl = shader.entrypoint
    assert impl is not None
    coord, one = impl.defs()
    builder = Builder(impl, impl.start_block)
    builder.next_index = 12
    builder.alu("fneg", [coord], 4, 32)
    builder.alu("fneg", [one], 1, 32)
    loaded = builder.intrinsic("load_sample_id", [], {}, 1).def_
    assert loaded is not None
    builder.alu("ineg", [loaded], 1, 32)
    text = print_shader(shader).decode()
    assert "    div 32x4  %12 = fneg %0\n" in text
    assert "    con 32    %13 = fneg %1 (1.000000)\n" in text
    assert "        32    %14 = @load_sample_id\n" in text
    assert "        32    %15 = ineg %14\n" in text


def test_values_that_have_no_word_in_the_dump_keep_their_lines() -> None:
    text = TEXT.replace(b"con 32     %1", b"    32     %1")
    assert print_shader(parse_dump(text)) == text
    assert print_shader(clone_shader(parse_dump(text))) == text


MODERN = (Path(__file__).resolve().parents[2] / "data" / "edited.frag.nir").read_bytes()


def instr_of(shader: Shader, index: int) -> Instr:
    impl = shader.entrypoint
    assert impl is not None
    return next(value for value in impl.defs() if value.index == index).instr  # type: ignore[return-value]


def value_of(shader: Shader, index: int) -> Def:
    value = instr_of(shader, index).def_
    assert value is not None
    return value


def edited(before: Shader, after: Shader) -> list[str]:
    """The text after the edits, as lines; checks that the edits are sorted and apart."""
    edits = text_edits(before, after)
    for one, other in pairwise(edits):
        assert one.end < other.start or (one.end == other.start and one.start < one.end)
    return apply_edits(before.source, edits).decode().splitlines()


def changes(before: Shader, lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines that went and those that came."""
    old = before.source.decode().splitlines()
    return [line for line in old if line not in lines], [line for line in lines if line not in old]


@pytest.fixture
def before() -> Shader:
    return parse_dump(MODERN)


def test_an_unchanged_clone_needs_no_edit(before: Shader) -> None:
    assert text_edits(before, clone_shader(before)) == []


def test_a_changed_source_changes_its_line_and_keeps_the_remark(before: Shader) -> None:
    after = clone_shader(before)
    add = instr_of(after, 4)
    assert isinstance(add, AluInstr)
    add.sources[0].set_def(value_of(after, 2))
    gone, came = changes(before, edited(before, after))
    assert gone == ["    32     %4 = fadd %1, %3 (1.000000)   // mine"]
    assert came == ["    32     %4 = fadd %2, %3 (1.000000)  // mine"]


def test_a_removed_load_takes_its_line_and_its_slot_in_the_header(before: Shader) -> None:
    after = clone_shader(before)
    value_of(after, 2).replace_all_uses_with(value_of(after, 3))
    instr_of(after, 2).remove()
    after.variables = [variable for variable in after.variables if variable.name != "k"]
    gone, came = changes(before, edited(before, after))
    assert [line.split("=")[0].strip() for line in gone] == [
        "inputs_read: 32-33",
        "inputs: 2",
        "decl_var shader_in INTERP_MODE_FLAT none float k (VARYING_SLOT_VAR1.x, 1, 0)",
        "32     %2",
        "32     %9",
    ]
    assert came == ["inputs_read: 32", "inputs: 1", "    32     %9 = fmul %4, %3 (1.000000)"]


def test_a_constant_that_takes_the_place_of_a_value_is_inlined_behind_its_users(before: Shader) -> None:
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    load = instr_of(after, 1)
    assert load.block is not None
    assert load.def_ is not None
    constant = Builder(impl, load.block, load).load_const([0x40000000], 32)
    load.def_.replace_all_uses_with(constant)
    load.remove()
    lines = edited(before, after)
    assert "    32    %10 = load_const (0x40000000 = 2.000000)" in lines
    assert "    32     %4 = fadd %10 (2.000000), %3 (1.000000)  // mine" in lines
    assert "inputs_read: 33" in lines


def test_new_values_keep_the_columns_of_the_dump(before: Shader) -> None:
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    multiply = instr_of(after, 9)
    assert multiply.block is not None
    builder = Builder(impl, multiply.block, multiply)
    builder.next_index = 12345
    builder.alu("fneg", [value_of(after, 1)], 1, 32)
    gone, came = changes(before, edited(before, after))
    assert gone == []
    assert came == ["    32    %12345 = fneg %1"]


def test_a_moved_line_keeps_its_odd_spacing(before: Shader) -> None:
    after = clone_shader(before)
    load, first = instr_of(after, 2), instr_of(after, 1)
    block = load.block
    assert block is not None
    load.unlink()
    block.insert_before(first, load)
    lines = edited(before, after)
    assert sorted(lines) == sorted(MODERN.decode().splitlines())
    assert [line.split("=")[0].strip() for line in lines[14:17]] == ["32     %0", "32     %2", "32     %1"]


def test_an_error_below_a_removed_instruction_goes_with_it() -> None:
    text = MODERN.replace(b"   // mine\n", b"\nerror: src->ssa != NULL (../nir_validate.c:88)\n\n")
    before = parse_dump(text)
    assert len(before.annotations) == 1
    after = clone_shader(before)
    value_of(after, 4).replace_all_uses_with(value_of(after, 1))
    instr_of(after, 4).remove()
    lines = edited(before, after)
    assert not any("error:" in line for line in lines)


def test_line_ends_are_those_of_the_dump() -> None:
    before = parse_dump(MODERN.replace(b"\n", b"\r\n"))
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    multiply = instr_of(after, 9)
    assert multiply.block is not None
    Builder(impl, multiply.block, multiply).load_const([7], 32)
    instr_of(after, 4).comment = None
    result = apply_edits(before.source, text_edits(before, after))
    assert result.count(b"\r\n") == result.count(b"\n") == before.source.count(b"\n") + 1


def test_a_block_that_becomes_empty_says_its_successors_in_one_line() -> None:
    text = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    1     %0 = load_const (true)
               // succs: b1 b2
    if %0 (true) {
        block b1:// preds: b0
        @terminate
        // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    block b4:
}
"""
    before = parse_dump(text)
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    next(instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)).remove()
    gone, came = changes(before, edited(before, after))
    assert [line.strip() for line in gone] == ["block b1:// preds: b0", "@terminate", "// succs: b3"]
    assert came == ["        block b1:  // preds: b0, succs: b3"]


def test_remarks_on_blocks_and_ifs_stay_on_their_lines() -> None:
    text = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    1     %0 = load_const (true)
    1     %1 = load_const (false)
               // succs: b1 b2
    if %0 (true) {   // hot
        block b1:  // preds: b0, succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2   // joined
    1     %2 = inot %0 (true)
               // succs: b4
    block b4:
}
"""
    before = parse_dump(text)
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    branch = next(node for node in impl.cf_nodes() if isinstance(node, If))
    branch.condition.set_def(value_of(after, 1))
    branch.else_body[0].append(JumpInstr("return"))  # type: ignore[union-attr]
    _, came = changes(before, edited(before, after))
    assert "    if %1 (false) {  // hot" in came
    assert "    block b3:  // preds: b1  // joined" in came


NESTED = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    1     %0 = load_const (true)
               // succs: b1 b2
    if %0 (true) {
        block b1:  // preds: b0
        @terminate
               // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    loop {
        block b4:  // preds: b3 b5
        break
               // succs: b6
    } continue {
        block b5:  // preds: , succs: b4
    }
    block b6:  // preds: b4, succs: b7
    block b7:
}
"""


@pytest.mark.parametrize("number", range(NESTED.count(b"\n")))
def test_a_removed_if_or_loop_goes_whole_wherever_a_blank_line_stands(number: int) -> None:
    lines = NESTED.splitlines(keepends=True)
    before = parse_dump(b"".join([*lines[: number + 1], b"\n", *lines[number + 1 :]]))
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    replace_nodes(impl, lambda *_: ())
    result = [line for line in apply_edits(before.source, text_edits(before, after)).splitlines() if line]
    assert b"".join(result).count(b"}") == 1
    assert not any(word in b"".join(result) for word in (b"else", b"continue", b"if", b"loop"))


def test_a_dump_cut_in_the_middle_of_a_line_is_edited() -> None:
    before = parse_dump(MODERN[: MODERN.index(b"   // mine")])
    after = clone_shader(before)
    instr_of(after, 2).remove()
    result = apply_edits(before.source, text_edits(before, after))
    assert b"%2 =" not in result
    assert result.endswith(b"32     %4 = fadd %1, %3 (1.000000)")


def test_print_shader_of_a_shader_without_a_source_is_fresh(before: Shader) -> None:
    by_hand = clone_shader(before)
    by_hand.source = b""
    assert print_shader(by_hand) == fresh(by_hand)


def test_print_shader_keeps_the_bytes_of_what_did_not_change(before: Shader) -> None:
    after = clone_shader(before)
    assert print_shader(after) == MODERN
    instr_of(after, 4).comment = "// yours"
    assert print_shader(after) == MODERN


@pytest.mark.sweep
def test_ten_thousand_moved_lines_are_found_quickly() -> None:
    body = b"".join(b"    32     %%%d = load_const (0x%08x)\n" % (i, i) for i in range(10_000))
    head = b"shader: MESA_SHADER_COMPUTE\ndecl_function main () (entrypoint)\n\nimpl main {\n"
    before = parse_dump(
        head + b"    block b0:  // preds:\n" + body + b"               // succs: b1\n    block b1:\n}\n"
    )
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    block = impl.start_block
    for instr in list(block):
        instr.unlink()
        block.prepend(instr)
    lines = edited(before, after)
    numbers = [line.split("%")[1].split()[0] for line in lines if "load_const" in line]
    assert numbers == [str(i) for i in reversed(range(10_000))]


SAMPLES = (
    "pipelines/hand_discard_nested/modern/frag.io.nir",
    "pipelines/hand_discard_nested/modern/frag.div.nir",
    "pipelines/hand_discard_nested/classic/frag.ssa.nir",
    "pipelines/hand_tess_patch_array/modern/tesc.io.nir",
    "pipelines/hand_geom_billboard/classic/geom.io.nir",
    "pipelines/hand_comp_reduce/modern/comp.ssa.nir",
    "old/registers.old.nir",
)


def mutate(shader: Shader, data: st.DataObject) -> None:
    """One random change that leaves a shader that can be printed."""
    impl = shader.entrypoint
    assert impl is not None
    instrs = list(impl.instrs())
    if not instrs:
        return
    instr = data.draw(st.sampled_from(instrs))
    block = instr.block
    assert block is not None
    match data.draw(st.sampled_from(["remove", "swap", "add", "move", "constant"])):
        case "remove":
            if instr.def_ is not None and instr.def_.uses:
                same = [
                    value
                    for value in impl.defs()
                    if value is not instr.def_
                    and (value.num_components, value.bit_size)
                    == (instr.def_.num_components, instr.def_.bit_size)
                ]
                if not same:
                    return
                instr.def_.replace_all_uses_with(data.draw(st.sampled_from(same)))
            instr.remove()
        case "swap":
            if isinstance(instr, AluInstr) and len(instr.sources) > 1:
                first, second = instr.sources[0].def_, instr.sources[1].def_
                if first is not None and second is not None:
                    instr.sources[0].set_def(second)
                    instr.sources[1].set_def(first)
        case "add":
            builder = Builder(impl, block).at_start_of(block)
            value = builder.load_const([data.draw(st.integers(0, 2**32 - 1))], 32)
            builder.alu(data.draw(st.sampled_from(["fneg", "ineg", "mov"])), [value], 1, 32)
        case "move":
            target = data.draw(st.sampled_from(instrs))
            if target is not instr and target.block is not None and not isinstance(instr, PhiInstr):
                instr.unlink()
                target.block.insert_after(target, instr)
        case "constant":
            if isinstance(instr, LoadConstInstr) and instr.def_ is not None:
                bits = data.draw(st.integers(0, (1 << instr.def_.bit_size) - 1))
                instr.values = (bits, *instr.values[1:])


@pytest.mark.parametrize("name", SAMPLES)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.sweep
def test_the_edited_text_says_what_the_changed_shader_says(
    corpus: Path, name: str, data: st.DataObject
) -> None:
    before = parse_shaders((corpus / name).read_bytes())[0]
    after = clone_shader(before)
    for _ in range(data.draw(st.integers(1, 6))):
        mutate(after, data)
    text = apply_edits(before.source, text_edits(before, after))
    style = replace(PrintStyle.of(before), raw_values={})
    expected = replace(after, header=updated_header(before, after))
    assert fresh(parse_dump(text), style) == fresh(expected, style)


def test_edits_of_the_corpus_without_a_change_are_empty(corpus: Path) -> None:
    for name in SAMPLES:
        for shader in parse_shaders((corpus / name).read_bytes()):
            assert text_edits(shader, clone_shader(shader)) == []


def test_applying_edits_takes_byte_offsets() -> None:
    assert apply_edits("é=1\n".encode(), [TextEdit(3, 4, "2")]) == "é=2\n".encode()


def test_an_unchanged_dump_comes_out_byte_for_byte(corpus: Path) -> None:
    for pattern in ("pipelines/*/*/*.io.nir", "varyings/*.txt", "old/*.nir"):
        for path in sorted(corpus.glob(pattern))[::80]:
            for shader in parse_shaders(path.read_bytes()):
                assert print_shader(shader) == shader.source


def test_odd_text_is_kept_where_nothing_changed() -> None:
    text = (
        b"shader:  MESA_SHADER_FRAGMENT\r\n\r\nimpl main {\r\n"
        b"  block b0:\r\n\t32 %0  =   load_const (0x1)  // one\r\n"
        b"??\r\n  32 %1 = ineg   %0\r\n  32 %2 = ineg  %1 // two\r\n}\r\n"
    )
    shader = parse_dump(text)
    assert print_shader(shader) == text
    impl = shader.entrypoint
    assert impl is not None
    last = list(impl.instrs())[-1]
    assert isinstance(last, AluInstr)
    last.op = "inot"
    assert print_shader(shader).count(b"\r\n") == text.count(b"\r\n")
    assert b"= inot %1  // two\r\n" in print_shader(shader)
    assert b"ineg   %0\r\n" in print_shader(shader)


def test_a_shader_made_by_hand_is_printed_fresh(data: Path) -> None:
    shader = parse_dump((data / "edited.frag.nir").read_bytes())
    shader.source = b""
    assert print_shader(shader) == fresh(shader)


def test_registers_are_not_declared_behind_a_variable_that_stands_among_instructions() -> None:
    text = b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
	decl_var INTERP_MODE_NONE float late
	vec1 32 ssa_1 = mov ssa_0
	/* succs: block_1 */
	block block_1:
}
"""
    before = parse_dump(text)
    after = clone_shader(before)
    impl = after.entrypoint
    assert impl is not None
    impl.registers.append(Register(0, 1, 32))
    result = apply_edits(text, text_edits(before, after)).decode()
    assert result.index("decl_reg") < result.index("block block_0")
