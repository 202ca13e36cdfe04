"""A clone says the same and shares nothing that can change."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.clone import clone_body, clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src
from nirls.ir.text.parse import parse_dump

LOOP = b"""shader: MESA_SHADER_VERTEX
decl_var ubo INTERP_MODE_NONE none cb_t cb (~0, 0, 0)
decl_function main () (entrypoint)

impl main {
    decl_var  INTERP_MODE_NONE none vec4 r0
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    1     %9 = load_const (true)
    32x2  %5 = deref_var &cb (ubo cb_t)
    32x2  %6 = deref_array &(*%5)[0] (ubo vec4)  // &cb[0]
               // succs: b1
    loop {
        block b1:   // preds: b0 b4
        32    %1 = phi b0: %0 (0x0), b4: %2
                   // succs: b2 b3
        if %9 {
            block b2:// preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:   // preds: b3
        32    %2 = iadd! %1, %0 (0x0)
                   // succs: b1
    }
    block b5:  // preds: b2, succs: b6
    block b6:
}
"""

OLD = b"""shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tdecl_reg vec1 32 r1[8]
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
\tr0.xz = fadd.sat -ssa_0.xx, abs(r0.yw)
\tr1[2 + ssa_0] = imov r1[0 + ssa_0]
\t/* succs: block_1 */
\tblock block_1:
}
"""


def operand(src: Src) -> object:
    inner = None if src.reg_indirect is None else operand(src.reg_indirect)
    return (src.def_ and src.def_.index, src.reg and src.reg.index, src.reg_offset, inner)


def describe_instr(instr: Instr) -> tuple[object, ...]:
    facts: list[object] = [instr.kind, instr.span, instr.comment, [operand(src) for src in instr.all_srcs()]]
    if instr.def_ is not None:
        facts += [instr.def_.index, instr.def_.num_components, instr.def_.bit_size, instr.def_.divergent]
    if isinstance(instr, AluInstr):
        facts += [instr.op, instr.flags, [(src.swizzle, src.negate, src.abs) for src in instr.sources]]
    if isinstance(instr, IntrinsicInstr):
        facts += [instr.name, tuple(instr.indices.items())]
    if isinstance(instr, LoadConstInstr):
        facts += [instr.values]
    if isinstance(instr, PhiInstr):
        facts += [[src.pred.index for src in instr.sources]]
    if isinstance(instr, DerefInstr):
        facts += [instr.deref_kind, instr.mode, instr.type_name, instr.var and instr.var.name, instr.field]
        facts += [instr.const_index, instr.cast_info]
    return tuple(facts)


def describe(shader: Shader) -> list[object]:
    facts: list[object] = [shader.stage, shader.dialect, [(f.key, f.value) for f in shader.header]]
    for impl in shader.impls():
        facts += [(type(node).__name__, node.span, node.divergent) for node in impl.cf_nodes()]
        for block in (*impl.blocks(), impl.end_block):
            facts.append(
                (block.index, [b.index for b in block.successors], [b.index for b in block.predecessors])
            )
            facts += [describe_instr(instr) for instr in block]
    return facts


def check_no_sharing(shader: Shader, copy: Shader) -> None:
    def parts(impl: FunctionImpl) -> set[int]:
        found = {id(node) for node in impl.cf_nodes()}
        for instr in impl.instrs():
            found |= {id(instr), *(id(src) for src in instr.all_srcs()), id(instr.def_ or instr)}
            found |= {id(src.def_ or src.reg) for src in instr.all_srcs()}
        return found

    for original, twin in zip(shader.impls(), copy.impls(), strict=True):
        assert not parts(original) & parts(twin)
        for value in twin.defs():
            assert all(src.owner is not None and src.def_ is value for src in value.uses)


def check(text: bytes) -> None:
    shader = parse_dump(text)
    before = describe(shader)
    copy = clone_shader(shader)
    assert describe(copy) == before
    check_no_sharing(shader, copy)
    for instr in [instr for impl in copy.impls() for instr in impl.instrs()]:
        instr.remove()
    assert describe(shader) == before


def test_control_flow_and_phis() -> None:
    check(LOOP)


def test_registers() -> None:
    check(OLD)


def test_variables_are_those_of_the_copy() -> None:
    copy = clone_shader(parse_dump(LOOP))
    deref = next(i for impl in copy.impls() for i in impl.instrs() if isinstance(i, DerefInstr))
    assert deref.var is copy.variables[0]


@pytest.mark.sweep
def test_the_corpus(corpus: Path) -> None:
    for path in sorted((corpus / "pipelines").glob("hand_*/*/*.raw.nir")):
        check(path.read_bytes())


def test_a_body_copied_within_its_function_has_numbers_of_its_own() -> None:
    shader = parse_dump(LOOP)
    impl = shader.entrypoint
    assert impl is not None
    before = describe(shader)
    body, remap = clone_body(impl)
    assert describe(shader) == before
    originals, twins = list(impl.defs()), [remap.defs[value] for value in impl.defs()]
    assert {value.index for value in originals}.isdisjoint(value.index for value in twins)
    assert {block.index for block in impl.blocks()}.isdisjoint(block.index for block in remap.blocks.values())
    assert all(twin.instr is not None and twin.instr is not value.instr for value, twin in remap.defs.items())
    assert all(node.parent is None for node in body)
    assert len(body) == len(impl.body)


def test_the_indices_of_registers_have_the_owner_of_their_access() -> None:
    shader = parse_dump(OLD)
    for one in (shader, clone_shader(shader)):
        constant, add, move = one.instrs()
        assert constant.def_ is not None
        assert list(constant.def_.users()) == [add, move]
        assert [src.owner for src in move.all_srcs()] == [move] * 3
