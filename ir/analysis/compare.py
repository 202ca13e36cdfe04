"""Isomorphism of two shaders: equality up to numbering."""

from __future__ import annotations

from nirls.ir.analysis.correspondence import own_content
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    ParallelCopyInstr,
    PhiInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, RegDest, Register, Src, TexSrc
from nirls.ir.tables import opcode


def same_shader(first: Shader, second: Shader) -> bool:
    """Return whether the functions of two shaders are isomorphic; see `difference`."""
    return difference(first, second) is None


def difference(first: Shader, second: Shader, *, commutative: bool = False) -> str | None:
    """Describe the first difference between two shaders; None if they are isomorphic.

    Compared are the bodies of all functions, in order: control flow, instructions with all their
    fields, and the value of each source. Numbers of values, blocks and registers, comments,
    divergence marks, headers and variable declarations do not matter (derefs are compared by the name
    of the variable). With `commutative`, the first two sources of commutative operations may be
    exchanged. The order of phi sources never matters.
    """
    bodies = list(first.impls()), list(second.impls())
    names = [[impl.function.name for impl in impls] for impls in bodies]
    if names[0] != names[1]:
        return f"functions {names[0]} and {names[1]}"
    for one, other in zip(*bodies, strict=True):
        found = _Comparison(commutative).bodies(one, other)
        if found is not None:
            return f"{one.function.name}: {found}"
    return None


class _Comparison:
    """Parallel walk over two function bodies. A value read before its definition is checked at the end."""

    def __init__(self, commutative: bool) -> None:
        self.commutative = commutative
        self.twin: dict[Def, Def] = {}
        self.registers: dict[Register, Register] = {}
        self.registers_back: dict[Register, Register] = {}
        self.placeholders: set[Def] = set()
        self.blocks: dict[Block, Block] = {}
        self.pending: list[tuple[Instr, Def, Def]] = []
        self.phis: list[tuple[PhiInstr, PhiInstr]] = []

    def bodies(self, one: FunctionImpl, other: FunctionImpl) -> str | None:
        shape = self._match_blocks(one, other)
        if shape is not None:
            return shape
        nodes = zip(one.cf_nodes(), other.cf_nodes(), strict=True)
        for node, twin in nodes:
            found = self._nodes(node, twin)
            if found is not None:
                return found
        for instr, value, expected in self.pending:
            if self.twin.get(value) is not expected:
                return f"{instr!r} reads %{value.index} and %{expected.index}"
        for phi, phi_twin in self.phis:
            if not self._same_phi(phi, phi_twin):
                return f"{phi!r} and {phi_twin!r} merge other values"
        return None

    def _match_blocks(self, one: FunctionImpl, other: FunctionImpl) -> str | None:
        work: list[tuple[list[CfNode], list[CfNode]]] = [(one.body, other.body)]
        while work:
            nodes, twins = work.pop()
            kinds = [type(node) for node in nodes]
            if kinds != [type(node) for node in twins]:
                return f"control flow at {_where(nodes)} and {_where(twins)}"
            for node, twin in zip(nodes, twins, strict=True):
                if isinstance(node, Block) and isinstance(twin, Block):
                    self.blocks[node] = twin
                elif not isinstance(node, Block) and not isinstance(twin, Block):
                    inner, inner_twins = node.bodies(), twin.bodies()
                    if len(inner) != len(inner_twins):
                        return f"continue construct at {_where(nodes)} and {_where(twins)}"
                    work += zip(inner, inner_twins, strict=True)
        self.blocks[one.end_block] = other.end_block
        return None

    def _nodes(self, node: CfNode, twin: CfNode) -> str | None:
        if isinstance(node, If) and isinstance(twin, If):
            if not self._same_src(node.condition, twin.condition, None):
                return f"if conditions {node.condition.def_!r} and {twin.condition.def_!r}"
        elif isinstance(node, Block) and isinstance(twin, Block):
            return self._instrs(node, twin)
        return None

    def _instrs(self, block: Block, twin: Block) -> str | None:
        instr, other = block.first, twin.first
        while instr is not None and other is not None:
            if not self._same_instr(instr, other):
                return f"b{block.index} and b{twin.index}: {instr!r} and {other!r}"
            instr, other = instr.next, other.next
        if instr is not None or other is not None:
            return f"b{block.index} and b{twin.index}: {instr!r} and {other!r}"
        return None

    def _same_instr(self, instr: Instr, other: Instr) -> bool:
        if type(instr) is not type(other) or not self._same_content(instr, other):
            return False
        if not self._same_srcs(instr, other) or not self._same_reg_dest(instr.reg_dest, other.reg_dest):
            return False
        return self._define(instr.def_, other.def_)

    def _define(self, value: Def | None, other: Def | None) -> bool:
        if value is None or other is None:
            return value is other
        if (value.bit_size, value.num_components) != (other.bit_size, other.num_components):
            return False
        self.twin[value] = other
        return True

    def _same_content(self, instr: Instr, other: Instr) -> bool:
        match instr, other:
            case IntrinsicInstr(), IntrinsicInstr():
                return instr.name == other.name and instr.indices == other.indices
            case DerefInstr(), DerefInstr():
                return _deref_content(instr) == _deref_content(other)
            case ParallelCopyInstr(), ParallelCopyInstr():
                return self._same_dests(instr, other)
        return own_content(instr) == own_content(other)

    def _same_dests(self, instr: ParallelCopyInstr, other: ParallelCopyInstr) -> bool:
        if len(instr.dests) != len(other.dests):
            return False
        for dest, twin in zip(instr.dests, other.dests, strict=True):
            if isinstance(dest, Def) and isinstance(twin, Def):
                if not self._define(dest, twin):
                    return False
            elif not (
                isinstance(dest, RegDest) and isinstance(twin, RegDest) and self._same_reg_dest(dest, twin)
            ):
                return False
        return True

    def _same_srcs(self, instr: Instr, other: Instr) -> bool:
        if isinstance(instr, PhiInstr) and isinstance(other, PhiInstr):
            self.phis.append((instr, other))
            return True
        srcs, twins = list(instr.srcs()), list(other.srcs())
        if (
            isinstance(instr, DerefInstr)
            and isinstance(other, DerefInstr)
            and instr.constant_index is not None
        ):
            # The constant is not printed, so any of several equal ones may be the index.
            srcs, twins = _parents(instr), _parents(other)
        if len(srcs) != len(twins):
            return False
        if all(self._same_src(src, twin, instr) for src, twin in zip(srcs, twins, strict=True)):
            return True
        if not self.commutative or not isinstance(instr, AluInstr) or not _is_commutative(instr):
            return False
        twins[0], twins[1] = twins[1], twins[0]
        return all(self._same_src(src, twin, instr) for src, twin in zip(srcs, twins, strict=True))

    def _same_src(self, src: Src, twin: Src, owner: Instr | None) -> bool:
        if isinstance(src, AluSrc) and isinstance(twin, AluSrc):
            if (src.swizzle, src.negate, src.abs) != (twin.swizzle, twin.negate, twin.abs):
                return False
        elif isinstance(src, TexSrc) and isinstance(twin, TexSrc) and src.kind != twin.kind:
            return False
        if src.reg is not None or twin.reg is not None:
            return self._same_register_source(src, twin, owner)
        return self._same_value(src.def_, twin.def_, owner)

    def _same_value(self, value: Def | None, other: Def | None, owner: Instr | None) -> bool:
        if value is None or other is None:
            return value is other
        known = self.twin.get(value)
        if known is not None:
            return known is other
        if value.instr is None or other.instr is None:
            if value.instr is not other.instr or other in self.placeholders:
                return False
            self.placeholders.add(other)
            self.twin[value] = other
            return True
        if owner is None:
            return False
        self.pending.append((owner, value, other))
        return True

    def _same_register_source(self, src: Src, twin: Src, owner: Instr | None) -> bool:
        if src.reg is None or twin.reg is None or src.reg_offset != twin.reg_offset:
            return False
        if not self._same_register(src.reg, twin.reg):
            return False
        return self._same_indirect(src.reg_indirect, twin.reg_indirect, owner)

    def _same_indirect(self, indirect: Src | None, twin: Src | None, owner: Instr | None) -> bool:
        if indirect is None or twin is None:
            return indirect is twin
        return self._same_src(indirect, twin, owner)

    def _same_reg_dest(self, dest: RegDest | None, twin: RegDest | None) -> bool:
        if dest is None or twin is None:
            return dest is twin
        if (dest.write_mask, dest.offset) != (twin.write_mask, twin.offset):
            return False
        if not self._same_register(dest.reg, twin.reg):
            return False
        return self._same_indirect(dest.indirect, twin.indirect, dest.instr)

    def _same_register(self, reg: Register, twin: Register) -> bool:
        sizes = (reg.bit_size, reg.num_components, reg.num_array_elems)
        if sizes != (twin.bit_size, twin.num_components, twin.num_array_elems):
            return False
        # In both directions: two registers must not map to one.
        forth = self.registers.setdefault(reg, twin)
        return forth is twin and self.registers_back.setdefault(twin, reg) is reg

    def _same_phi(self, phi: PhiInstr, twin: PhiInstr) -> bool:
        arriving = {src.pred: src for src in twin.sources}
        if len(phi.sources) != len(arriving):
            return False
        for src in phi.sources:
            other = arriving.get(self.blocks.get(src.pred, src.pred))
            if other is None:
                return False
            if src.def_ is None or other.def_ is None:
                if src.def_ is not other.def_ or not self._same_register_source(src, other, phi):
                    return False
            elif src.def_.instr is not None and self.twin.get(src.def_) is not other.def_:
                return False
        return True


def _deref_content(deref: DerefInstr) -> tuple[object, ...]:
    name = deref.var.name if deref.var is not None else deref.var_name
    kind = (deref.deref_kind, deref.mode, deref.type_name)
    return (*kind, name, deref.field, deref.constant_index, deref.cast_info)


def _parents(deref: DerefInstr) -> list[Src]:
    return [] if deref.parent is None else [deref.parent]


def _is_commutative(instr: AluInstr) -> bool:
    entry = opcode(instr.op)
    return entry is not None and entry.is_commutative and len(instr.sources) >= 2


def _where(nodes: list[CfNode]) -> str:
    block = next((node for node in nodes if isinstance(node, Block)), None)
    kinds = ", ".join(_kind(node) for node in nodes)
    return f"{block!r} ({kinds})"


def _kind(node: CfNode) -> str:
    if isinstance(node, If):
        return "if"
    return "loop" if isinstance(node, Loop) else "block"
