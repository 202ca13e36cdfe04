"""What the IR of a dump holds, in all three dialects."""

from __future__ import annotations

import pytest

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump

HEADER = "shader: MESA_SHADER_FRAGMENT\nname: test\ndecl_function main () (entrypoint)\n\nimpl main {\n"


def parse(text: str) -> Shader:
    return parse_dump(text.encode())


def modern(*lines: str) -> Shader:
    body = "".join(f"    {line}\n" for line in ("block b0:  // preds:", *lines, "// succs: b1", "block b1:"))
    return parse(f"{HEADER}{body}}}\n")


def classic(*lines: str) -> Shader:
    body = "".join(
        f"\t{line}\n"
        for line in ("block block_0:", "/* preds: */", *lines, "/* succs: block_1 */", "block block_1:")
    )
    return parse(
        f"shader: MESA_SHADER_VERTEX\nname: test\ndecl_function main (0 params)\n\nimpl main {{\n{body}}}\n"
    )


def entry(shader: Shader) -> FunctionImpl:
    impl = shader.entrypoint
    assert impl is not None
    assert not shader.unreadable, shader.unreadable
    return impl


def instrs(shader: Shader) -> list[Instr]:
    return list(entry(shader).instrs())


def test_header_and_stage() -> None:
    shader = modern()
    assert shader.stage is Stage.FRAGMENT
    assert shader.name == "test"
    assert shader.dialect is Dialect.MODERN
    assert [function.is_entrypoint for function in shader.functions] == [True]


def test_alu_with_swizzles_constants_and_flags() -> None:
    shader = modern(
        "32x4  %0 = load_const (0x3f800000, 0x00000000, 0x40000000, 0xbf800000)",
        "32    %1 = fadd! %0 (1.000000, 0.000000, 2.000000, -1.000000).y, %0 (0x1).w",
        "32x2  %2 = vec2 %1, %1",
        "32x2  %3 = fmul %2, %0.zx",
    )
    const, add, vec, mul = instrs(shader)
    assert isinstance(const, LoadConstInstr)
    assert const.values == (0x3F800000, 0, 0x40000000, 0xBF800000)
    assert isinstance(add, AluInstr)
    assert add.exact
    assert [src.swizzle for src in add.sources] == [(1,), (3,)]
    assert isinstance(vec, AluInstr)
    assert [src.def_ for src in vec.sources] == [add.def_, add.def_]
    assert isinstance(mul, AluInstr)
    assert [src.swizzle for src in mul.sources] == [(0, 1), (2, 0)]
    assert const.def_ is not None
    assert (const.def_.num_components, const.def_.bit_size) == (4, 32)
    assert len(const.def_.uses) == 3


def test_io_intrinsics() -> None:
    shader = modern(
        "32    %0 = load_const (0x00000000)",
        "32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        "32    %2 = @load_interpolated_input (%1, %0 (0x0)) (base=1, component=2, dest_type=float32, "
        "io location=VARYING_SLOT_VAR3 slots=1)  // color",
        "           @store_output (%2, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float32, "
        "io location=FRAG_RESULT_DATA0 slots=1 no_varying, xfb(), xfb2())",
    )
    *_, load, store = instrs(shader)
    assert isinstance(load, IntrinsicInstr)
    assert load.name == "load_interpolated_input"
    assert load.io_semantics == IoSemantics(35)
    assert load.comment == "// color"
    assert load.span is not None
    assert shader.source[load.span.start : load.span.end].endswith(b"slots=1)")
    assert isinstance(store, IntrinsicInstr)
    assert store.def_ is None
    assert store.write_mask == 1
    assert store.io_semantics == IoSemantics(4, 1, ("no_varying",))


def test_classic_forms() -> None:
    shader = classic(
        "vec1 32 con ssa_0 = load_const (0x00000000 = 0.000000)",
        "vec1 32 div ssa_1 = intrinsic load_input (ssa_0) (base=2, component=1, dest_type=float32 /*160*/, "
        "io location=15 slots=1 /*143*/)\t/* position */",
        "intrinsic store_output (ssa_1, ssa_0) (base=0, wrmask=x /*1*/, component=0, "
        "src_type=float32 /*160*/, io location=0 slots=1 /*128*/, xfb() /*0*/, xfb2() /*0*/)\t/* out */",
    )
    assert shader.dialect is Dialect.CLASSIC
    const, load, store = instrs(shader)
    assert const.def_ is not None
    assert const.def_.divergent is False
    assert isinstance(load, IntrinsicInstr)
    assert load.indices == {
        "base": 2,
        "component": 1,
        "dest_type": "float32",
        "io_semantics": IoSemantics(15),
    }
    assert load.comment == "/* position */"
    assert isinstance(store, IntrinsicInstr)
    assert store.write_mask == 1


def test_old_positional_indices_take_names_from_their_comments() -> None:
    shader = classic(
        "vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)",
        "vec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (0, 4, 8, 0, -1) /* access=0 */ /* align_mul=4 */ "
        "/* align_offset=8 */ /* range_base=0 */ /* range=-1 */",
    )
    assert shader.dialect is Dialect.OLD
    load = instrs(shader)[1]
    assert isinstance(load, IntrinsicInstr)
    assert load.indices == {"access": 0, "align_mul": 4, "align_offset": 8, "range_base": 0, "range": -1}


def test_old_positional_indices_without_comments_take_names_from_the_tables() -> None:
    shader = classic(
        "vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)",
        "vec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (0, 4, 8, 0, -1)",
    )
    load = instrs(shader)[1]
    assert isinstance(load, IntrinsicInstr)
    assert list(load.indices) == ["access", "align_mul", "align_offset", "range_base", "range"]


def test_old_registers_masks_and_modifiers() -> None:
    shader = parse(
        "shader: MESA_SHADER_VERTEX\ndecl_function main returning void\n\nimpl main {\n"
        "\tdecl_reg vec4 32 r0\n"
        "\tdecl_reg vec1 32 r1[8]\n\tblock block_0:\n\t/* preds: */\n"
        "\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)\n"
        "\tr0.xz = fadd.sat -ssa_0.xx, abs(r0.yw)\n"
        "\tr1[2 + ssa_0] = imov ssa_0\n"
        "\t/* succs: block_1 */\n\tblock block_1:\n}\n"
    )
    assert shader.dialect is Dialect.OLD
    _, add, mov = instrs(shader)
    assert isinstance(add, AluInstr)
    assert add.flags == {"sat"}
    assert add.reg_dest is not None
    assert add.reg_dest.write_mask == 0b101
    first, second = add.sources
    assert (first.negate, first.abs, second.negate, second.abs) == (True, False, False, True)
    assert second.reg is add.reg_dest.reg
    assert mov.reg_dest is not None
    assert mov.reg_dest.offset == 2
    assert mov.reg_dest.indirect is not None


def test_deref_chain_binds_constant_indices() -> None:
    shader = parse(
        "shader: MESA_SHADER_VERTEX\ndecl_var ubo INTERP_MODE_NONE none cb_t cb (~0, 0, 0)\n"
        "decl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n"
        "    32     %5 = load_const (0x00000001)\n"
        "    32x2   %0 = deref_var &cb (ubo cb_t)\n"
        "    32x2   %1 = deref_struct &%0->m (ubo vec4[16])  // &cb.m\n"
        "    32x2   %2 = deref_array &(*%1)[1] (ubo vec4)  // &cb.m[1]\n"
        "    32x2   %3 = deref_array &(*%1)[7] (ubo vec4)  // &cb.m[7]\n"
        "    32x2   %4 = deref_array &(*%1)[%5 (0x1)] (ubo vec4)  // &cb.m[%5 (0x1)]\n"
        "               // succs: b1\n    block b1:\n}\n"
    )
    const, var, struct, bound, unbound, explicit = instrs(shader)
    assert isinstance(var, DerefInstr)
    assert var.var is shader.variables[0]
    assert isinstance(struct, DerefInstr)
    assert (struct.deref_kind, struct.field, struct.type_name) == ("struct", "m", "vec4[16]")
    assert isinstance(bound, DerefInstr)
    assert bound.index is not None
    assert (bound.index.def_, bound.const_index) == (const.def_, 1)
    assert isinstance(unbound, DerefInstr)
    assert (unbound.index, unbound.const_index) == (None, 7)
    assert isinstance(explicit, DerefInstr)
    assert explicit.index is not None
    assert explicit.index.def_ is const.def_


def test_texture() -> None:
    shader = modern(
        "32x2  %0 = undefined",
        "32x4  %1 = (float32)txl %0 (coord), %0.x (lod), 2 (texture), 3 (sampler), texture non-uniform",
    )
    tex = instrs(shader)[1]
    assert isinstance(tex, TexInstr)
    assert (tex.op, tex.dest_type, tex.texture_index, tex.sampler_index) == ("txl", "float32", 2, 3)
    assert [src.kind for src in tex.sources] == ["coord", "lod"]
    assert tex.flags == {"texture non-uniform"}


LOOP = HEADER + (
    "    block b0:  // preds:\n"
    "    32    %0 = load_const (0x00000000)\n"
    "    1     %9 = load_const (true)\n"
    "               // succs: b1\n"
    "    loop {\n"
    "        block b1:   // preds: b0 b4\n"
    "        32    %1 = phi b0: %0 (0x0), b4: %2\n"
    "                   // succs: b2 b3\n"
    "        if %9 {\n"
    "            block b2:// preds: b1\n"
    "            break\n"
    "            // succs: b5\n"
    "        } else {\n"
    "            block b3:  // preds: b1, succs: b4\n"
    "        }\n"
    "        block b4:   // preds: b3\n"
    "        32    %2 = iadd %1, %0 (0x0)\n"
    "                   // succs: b1\n"
    "    }\n"
    "    block b5:  // preds: b2, succs: b6\n"
    "    block b6:\n"
    "}\n"
)


def test_structured_control_flow() -> None:
    impl = entry(parse(LOOP))
    first, loop, last = impl.body
    assert isinstance(first, Block)
    assert isinstance(loop, Loop)
    assert isinstance(last, Block)
    assert [type(node) for node in loop.body] == [Block, If, Block]
    assert impl.end_block.index == 6
    assert [block.index for block in impl.blocks()] == [0, 1, 2, 3, 4, 5]
    for block in impl.blocks():
        assert [pred.index for pred in sorted(block.predecessors, key=lambda b: b.index)] == list(
            block.stated_preds or ()
        )
        assert [succ.index for succ in block.successors] == list(block.stated_succs or ())


def test_phi_of_a_loop_reads_a_value_defined_below() -> None:
    impl = entry(parse(LOOP))
    phi = next(instr for instr in impl.instrs() if isinstance(instr, PhiInstr))
    add = next(instr for instr in impl.instrs() if isinstance(instr, AluInstr))
    assert [(src.pred.index, src.def_) for src in phi.sources][1] == (4, add.def_)
    assert not impl.undefined_references
    jump = next(instr for instr in impl.instrs() if isinstance(instr, JumpInstr))
    assert jump.jump_kind == "break"


def test_an_undefined_number_is_a_placeholder() -> None:
    shader = modern("32    %1 = fneg %7")
    impl = entry(shader)
    assert [value.index for value in impl.undefined_references] == [7]
    assert impl.undefined_references[0].instr is None


def test_constants_of_a_branch_do_not_reach_behind_it() -> None:
    shader = parse(
        HEADER + "    block b0:  // preds:\n    1     %0 = load_const (true)\n"
        "    32    %1 = undefined\n               // succs: b1 b2\n    if %0 {\n"
        "        block b1:  // preds: b0\n        32    %2 = load_const (0x00000003)\n"
        "                   // succs: b3\n    } else {\n        block b2:  // preds: b0, succs: b3\n    }\n"
        "    block b3:  // preds: b1 b2\n    32    %3 = deref_array &(*%1)[3] (ubo vec4)  // x\n"
        "               // succs: b4\n    block b4:\n}\n"
    )
    deref = instrs(shader)[-1]
    assert isinstance(deref, DerefInstr)
    assert (deref.index, deref.const_index) == (None, 3)


def test_an_unreadable_line_costs_that_line() -> None:
    shader = parse(LOOP.replace("32    %2 = iadd %1, %0 (0x0)", "32    %2 = iadd %1, ((%0"))
    assert [line.text for line in shader.unreadable] == ["32    %2 = iadd %1, ((%0"]
    impl = shader.entrypoint
    assert impl is not None
    assert len(impl.blocks()) == 6
    assert [value.index for value in impl.undefined_references] == [2]


def test_a_preamble_belongs_to_the_function() -> None:
    shader = parse(LOOP.replace("    loop {\n", "    loop {\n        preamble pre\n", 1))
    assert [line.text for line in shader.unreadable] == ["preamble pre"]
    assert [impl.preamble for impl in shader.impls()] == [None]
    assert print_shader(shader) == shader.source


@pytest.mark.parametrize(
    ("line", "broken"),
    [
        ("        if %9 {\n", "        if %9 {{\n"),
        ("    loop {\n", "    lop {\n"),
        ("impl main {\n", "imp main {\n"),
        ("        }\n        block b4", "        )\n        block b4"),
        ("        } else {\n", "        } els {\n"),
    ],
)
def test_a_broken_brace_line_loses_no_instruction(line: str, broken: str) -> None:
    text = LOOP.replace(line, broken, 1)
    assert text != LOOP
    shader = parse(text)
    assert len(shader.unreadable) == 1
    found = [instr.kind for impl in shader.impls() for instr in impl.instrs()]
    assert found == [instr.kind for instr in entry(parse(LOOP)).instrs()]


@pytest.mark.parametrize(
    "line",
    [
        "32    %2 = @load_ubo (%1, block_4) (access=none, align_mul=4)",
        "32    %2 = @load_ubo (%1, access=none)",
        "32    %2 = @load_ubo (%1) (access=none, %1)",
    ],
)
def test_an_operand_that_is_no_value_is_not_dropped(line: str) -> None:
    shader = modern("32    %1 = load_const (0x00000000)", line)
    assert [unread.text for unread in shader.unreadable] == [line]
    assert print_shader(shader) == shader.source


def test_code_behind_a_brace_too_many_is_kept() -> None:
    extra = LOOP.replace("    block b5", "    }\n    block b5", 1)
    shader = parse(extra)
    assert sum(1 for impl in shader.impls() for _ in impl.instrs()) == 5


def test_validator_output_names_the_instruction_above() -> None:
    shader = modern(
        "32    %0 = load_const (0x00000000)",
        "32    %1 = fneg %0 (0x0)",
        "error: src->ssa != NULL (../src/compiler/nir/nir_validate.c:150)",
        "",
    )
    (annotation,) = shader.annotations
    assert annotation.message == "src->ssa != NULL (../src/compiler/nir/nir_validate.c:150)"
    assert annotation.instr_span == list(entry(shader).instrs())[1].span


def test_empty_and_binary_input() -> None:
    for text in (b"", b"\x00\xff\xfe" * 50, b"shader:", b"shader: MESA_SHADER_VERTEX", b"impl main {\n"):
        shader = parse_dump(text)
        assert shader.source == text


@pytest.mark.sweep
def test_deep_nesting() -> None:
    depth = 20_000
    text = HEADER + "    block b0:  // preds:\n    1 %0 = load_const (true)\n" + "if %0 {\n" * depth
    shader = parse(text + "}\n" * depth + "}\n")
    assert sum(isinstance(node, If) for impl in shader.impls() for node in impl.cf_nodes()) == depth


def test_a_call_may_name_a_function_declared_below() -> None:
    shader = parse(
        "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n"
        "    block b0:  // preds:\n    call f \n    // succs: b1\n    block b1:\n}\n\n"
        "decl_function f ()\n\nimpl f {\n    block b0:  // preds:, succs: b1\n    block b1:\n}\n"
    )
    call = instrs(shader)[0]
    assert isinstance(call, CallInstr)
    assert call.callee is shader.functions[1]
    assert [function.impl is not None for function in shader.functions] == [True, True]


def test_spans_of_braces() -> None:
    shader = parse(LOOP)
    impl = entry(shader)
    loop = next(node for node in impl.cf_nodes() if isinstance(node, Loop))
    branch = next(node for node in impl.cf_nodes() if isinstance(node, If))
    spans = (
        impl.span,
        impl.end_span,
        loop.span,
        loop.end_span,
        branch.span,
        branch.else_span,
        branch.end_span,
    )
    lines = LOOP.splitlines()
    found = []
    for span in spans:
        assert span is not None
        text = LOOP[span.start : span.end]
        assert lines[span.line].strip() == text
        found.append(text)
    assert found == ["impl main {", "}", "loop {", "}", "if %9 {", "} else {", "}"]


@pytest.mark.parametrize(
    ("line", "indices"),
    [
        # 13.0 to 19.1; the form of today has more.
        ("intrinsic store_output (ssa_0, ssa_0) (2, 15, 1)", {"base": 2, "write_mask": 15, "component": 1}),
        ("vec1 32 ssa_1 = intrinsic load_input (ssa_0) (3, 1)", {"base": 3, "component": 1}),
        ("vec1 32 ssa_1 = intrinsic load_input (ssa_0) (3)", {"base": 3}),
        # 21.1 to 21.3
        (
            "vec1 32 ssa_1 = intrinsic load_buffer_amd (ssa_0, ssa_0, ssa_0) (8, 0, 0, 0) /* base=8 */",
            {"base": 8, "is_swizzled": 0, "slc_amd": 0, "memory_modes": ()},
        ),
        # 20.2 has `access` at this place, 19.0 has no such index.
        (
            "vec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (0, 4, 0) /* access=0 */",
            {"access": 0, "align_mul": 4, "align_offset": 0},
        ),
        ("vec1 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) (4, 0)", {"align_mul": 4, "align_offset": 0}),
        ("vec1 32 ssa_1 = intrinsic load_quux (ssa_0) (4, 0)", {"index0": 4, "index1": 0}),
    ],
)
def test_positional_indices_have_the_names_of_the_form_with_as_many(
    line: str, indices: dict[str, object]
) -> None:
    text = f"""shader: MESA_SHADER_FRAGMENT
decl_function main returning void

impl main {{
	block block_0:
	/* preds: */
	vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
	{line}
	/* succs: block_1 */
	block block_1:
}}
"""
    instr = list(parse_dump(text.encode()).instrs())[1]
    assert isinstance(instr, IntrinsicInstr)
    assert list(instr.indices) == list(indices)
    assert instr.indices == indices
