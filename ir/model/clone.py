"""Deep copies of shaders, so that passes leave the original unmodified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop, nodes_of
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.values import AluSrc, Def, PhiSrc, RegDest, Register, Src, TexSrc

SrcT = TypeVar("SrcT", bound=Src)


@dataclass(slots=True)
class CloneMap:
    """Map from objects of the original to their copies (Mesa: the remap table of nir_clone.c)."""

    defs: dict[Def, Def] = field(default_factory=dict)
    blocks: dict[Block, Block] = field(default_factory=dict)
    registers: dict[Register, Register] = field(default_factory=dict)
    variables: dict[int, Variable] = field(default_factory=dict)
    functions: dict[int, Function] = field(default_factory=dict)

    def def_of(self, value: Def) -> Def:
        """Return the copy of a value; a value defined outside of the cloned code maps to itself."""
        return self.defs.get(value, value)

    def variable_of(self, variable: Variable | None) -> Variable | None:
        return None if variable is None else self.variables.get(id(variable), variable)


def clone_shader(shader: Shader) -> Shader:
    """Return a deep copy that shares nothing mutable with `shader` (Mesa: `nir_shader_clone`).

    Spans and the source text are kept, so that edits of the copy can be made against the original.
    """
    remap = CloneMap()
    copy = Shader(
        stage=shader.stage,
        dialect=shader.dialect,
        header=[replace(item) for item in shader.header],
        variables=[_clone_variable(variable, remap) for variable in shader.variables],
        annotations=list(shader.annotations),
        unreadable=list(shader.unreadable),
        damage=shader.damage,
        omitted=shader.omitted,
        attribute_numbers=shader.attribute_numbers,
        has_early_reads=shader.has_early_reads,
        defect=shader.defect,
        source=shader.source,
    )
    for function in shader.functions:
        twin = replace(function, impl=None)
        remap.functions[id(function)] = twin
        copy.functions.append(twin)
    for function, twin in zip(shader.functions, copy.functions, strict=True):
        if function.impl is not None:
            twin.impl = _clone_impl(function.impl, twin, remap)
    return copy


def clone_instr(instr: Instr, remap: CloneMap) -> Instr:
    """Copy an instruction; operands are looked up in `remap`, and its def is added there.

    The copy is not in a block and keeps the number, span and comment of the original. Phi sources from
    blocks that `remap` does not know keep their block.
    """
    copy = _clone_bare(instr, remap)
    copy.span = instr.span
    copy.comment = instr.comment
    if instr.def_ is not None:
        value = instr.def_
        remap.defs[value] = copy.make_def(value.index, value.num_components, value.bit_size, value.divergent)
    if instr.reg_dest is not None:
        copy.reg_dest = _clone_reg_dest(instr.reg_dest, copy, remap)
    return copy


def clone_body(impl: FunctionImpl) -> tuple[list[CfNode], CloneMap]:
    """Copy a whole function body, for use within the same function (Mesa: `nir_cf_list_clone`).

    Values and blocks get fresh numbers; spans are kept. The nodes have no parent yet, and edges are not
    linked. The map has the copy of each value and block.
    """
    clone = NumberedClone(impl)
    remap = CloneMap()
    return clone.nodes(impl.body, remap), remap


class NumberedClone:
    """Copies of parts of a function for use within it, with fresh numbers for values and blocks."""

    __slots__ = ("block_number", "impl", "value_number")

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.block_number = max((block.index for block in (*impl.blocks(), impl.end_block)), default=0)
        self.value_number = impl.next_index() - 1

    def next_value(self) -> int:
        """Return an unused value number."""
        self.value_number += 1
        return self.value_number

    def empty_block(self) -> Block:
        """Return a new block without a parent."""
        self.block_number += 1
        return Block(self.block_number)

    def nodes(self, nodes: Sequence[CfNode], remap: CloneMap) -> list[CfNode]:
        """Copy whole nodes; `remap` gets their values and blocks, and has those that they use.

        Spans are kept. The copies have no parent yet, and edges are not linked.
        """
        blocks = [node for node in nodes_of(nodes) if isinstance(node, Block)]
        for block in blocks:
            remap.blocks[block] = self.empty_block()
        for block in blocks:
            for instr in block:
                for value in instr.defs():
                    remap.defs[value] = _clone_def(value, self.next_value())
        part, holder = FunctionImpl(self.impl.function), FunctionImpl(self.impl.function)
        part.body = list(nodes)
        numbers = [(twin, twin.index) for block in blocks for twin in (remap.blocks[block],)]
        _clone_body(part, holder, remap)
        for block, index in numbers:
            block.index = index
        for node in holder.body:
            node.parent = None
        return holder.body

    def append(self, node: CfNode, remap: CloneMap, out: list[CfNode]) -> None:
        """Append a copy of a node to a list that ends with a block, which takes the instructions of a block.

        Jumps at the end of a block are left out. A phi with a single source becomes that source.
        """
        last = out[-1]
        if not isinstance(node, Block):
            copies = self.nodes([node], remap)
            for copy in nodes_of(copies):
                if not isinstance(copy, Block):
                    copy.span = copy.end_span = None
                    continue
                copy.span = copy.end_span = copy.stated_preds = copy.stated_succs = None
                for instr in copy:
                    instr.span = None
            out += [*copies, self.empty_block()]
            return
        if not isinstance(last, Block):
            raise ValueError("the list does not end with a block")
        remap.blocks[node] = last
        for instr in node:
            if isinstance(instr, JumpInstr):
                continue
            if isinstance(instr, PhiInstr) and instr.def_ is not None:
                if instr.def_ in remap.defs:
                    continue
                arriving = [src for src in instr.sources if src.pred in remap.blocks]
                if len(arriving) == 1:
                    remap.defs[instr.def_] = remap.def_of(arriving[0].ssa)
                    continue
            twin = clone_instr(instr, remap)
            for value in twin.defs():
                value.index = self.next_value()
            twin.span = None
            last.append(twin)


def _clone_variable(variable: Variable, remap: CloneMap) -> Variable:
    copy = replace(variable)
    remap.variables[id(variable)] = copy
    return copy


def _clone_impl(impl: FunctionImpl, function: Function, remap: CloneMap) -> FunctionImpl:
    copy = FunctionImpl(function)
    copy.preamble = impl.preamble
    copy.span, copy.end_span = impl.span, impl.end_span
    copy.locals = [_clone_variable(variable, remap) for variable in impl.locals]
    for reg in impl.registers:
        twin = Register(reg.index, reg.num_components, reg.bit_size, reg.num_array_elems, reg.name)
        twin.span = reg.span
        remap.registers[reg] = twin
        copy.registers.append(twin)
    for value in impl.undefined_references:
        placeholder = Def(value.index, value.num_components, value.bit_size)
        remap.defs[value] = placeholder
        copy.undefined_references.append(placeholder)
    _copy_block_facts(impl.end_block, copy.end_block)
    remap.blocks[impl.end_block] = copy.end_block
    for block in impl.blocks():
        remap.blocks[block] = Block(block.index)
    # Back edges and broken dumps use values before their definition: copy all defs first.
    for instr in impl.instrs():
        for value in instr.defs():
            remap.defs[value] = _clone_def(value, value.index)
    _clone_body(impl, copy, remap)
    copy.link_blocks()
    return copy


def _clone_body(impl: FunctionImpl, copy: FunctionImpl, remap: CloneMap) -> None:
    work: list[tuple[list[CfNode], list[CfNode], CfParent]] = [(impl.body, copy.body, copy)]
    while work:
        nodes, target, parent = work.pop()
        for node in nodes:
            if isinstance(node, Block):
                twin = remap.blocks[node]
                _copy_block_facts(node, twin)
                for instr in node:
                    twin.append(_clone_into(instr, remap))
                twin.parent = parent
                target.append(twin)
                continue
            nested: If | Loop
            if isinstance(node, If):
                nested = If(_clone_src(node.condition, remap))
                nested.else_span = node.else_span
                work += [
                    (node.then_body, nested.then_body, nested),
                    (node.else_body, nested.else_body, nested),
                ]
            else:
                nested = Loop()
                nested.continue_span = node.continue_span
                work += [
                    (node.body, nested.body, nested),
                    (node.continue_body, nested.continue_body, nested),
                ]
            nested.divergent, nested.comment = node.divergent, node.comment
            nested.span, nested.end_span = node.span, node.end_span
            nested.parent = parent
            target.append(nested)


def _clone_into(instr: Instr, remap: CloneMap) -> Instr:
    copy = _clone_bare(instr, remap)
    copy.span = instr.span
    copy.comment = instr.comment
    if instr.def_ is not None:
        copy.def_ = remap.defs[instr.def_]
        copy.def_.instr = copy
    if instr.reg_dest is not None:
        copy.reg_dest = _clone_reg_dest(instr.reg_dest, copy, remap)
    return copy


def _copy_block_facts(block: Block, copy: Block) -> None:
    copy.index = block.index
    copy.stated_preds, copy.stated_succs = block.stated_preds, block.stated_succs
    copy.divergent = block.divergent
    copy.span, copy.end_span = block.span, block.end_span


def _clone_bare(instr: Instr, remap: CloneMap) -> Instr:
    match instr:
        case AluInstr():
            sources = [
                _fill(AluSrc(None, src.swizzle, negate=src.negate, absolute=src.abs), src, remap)
                for src in instr.sources
            ]
            return AluInstr(instr.op, sources, instr.flags)
        case LoadConstInstr():
            return LoadConstInstr(instr.values)
        case UndefInstr():
            return UndefInstr()
        case IntrinsicInstr():
            return IntrinsicInstr(instr.name, _clone_srcs(instr.sources, remap), instr.indices)
        case TexInstr():
            return TexInstr(
                instr.op,
                instr.dest_type,
                [_fill(TexSrc(src.kind), src, remap) for src in instr.sources],
                texture_index=instr.texture_index,
                sampler_index=instr.sampler_index,
                component=instr.component,
                offsets=instr.offsets,
                flags=instr.flags,
            )
        case DerefInstr():
            return DerefInstr(
                instr.deref_kind,
                instr.mode,
                instr.type_name,
                var=remap.variable_of(instr.var),
                var_name=instr.var_name,
                parent=None if instr.parent is None else _clone_src(instr.parent, remap),
                index=None if instr.index is None else _clone_src(instr.index, remap),
                const_index=instr.const_index,
                field=instr.field,
                cast_info=instr.cast_info,
            )
        case PhiInstr():
            return PhiInstr(
                [_fill(PhiSrc(remap.blocks.get(src.pred, src.pred)), src, remap) for src in instr.sources]
            )
        case JumpInstr():
            return JumpInstr(instr.jump_kind, _clone_srcs(instr.sources, remap), instr.targets)
        case CallInstr():
            callee = None if instr.callee is None else remap.functions.get(id(instr.callee), instr.callee)
            passed = _clone_srcs(instr.sources, remap)
            return CallInstr(instr.callee_name, passed, callee, op=instr.op, is_indirect=instr.is_indirect)
        case ParallelCopyInstr():
            copy = ParallelCopyInstr([], _clone_srcs(instr.sources, remap))
            for dest in instr.dests:
                if isinstance(dest, Def):
                    twin = remap.defs.setdefault(dest, _clone_def(dest, dest.index))
                    twin.instr = copy
                    copy.dests.append(twin)
                else:
                    copy.dests.append(_clone_reg_dest(dest, copy, remap))
            return copy
    raise TypeError(f"unknown instruction class {type(instr).__name__}")


def _clone_def(value: Def, index: int) -> Def:
    return Def(index, value.num_components, value.bit_size, None, value.divergent, value.name)


def _clone_srcs(srcs: list[Src], remap: CloneMap) -> list[Src]:
    return [_clone_src(src, remap) for src in srcs]


def _clone_src(src: Src, remap: CloneMap) -> Src:
    return _fill(Src(), src, remap)


def _fill(copy: SrcT, src: Src, remap: CloneMap) -> SrcT:
    if src.def_ is not None:
        copy.set_def(remap.def_of(src.def_))
    elif src.reg is not None:
        indirect = None if src.reg_indirect is None else _clone_src(src.reg_indirect, remap)
        copy.set_reg(remap.registers.get(src.reg, src.reg), src.reg_offset, indirect)
    return copy


def _clone_reg_dest(dest: RegDest, copy: Instr, remap: CloneMap) -> RegDest:
    indirect = None if dest.indirect is None else _clone_src(dest.indirect, remap)
    return RegDest(remap.registers.get(dest.reg, dest.reg), dest.write_mask, dest.offset, indirect, copy)
