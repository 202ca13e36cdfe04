"""The pass `opt_if`: simplification of ifs by what their condition says (part of Mesa's nir_opt_if)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, node_of_use, nodes_of
from nirls.ir.model.control_flow_edit import phi_source_from
from nirls.ir.model.instructions import AluInstr, LoadConstInstr, PhiInstr, scalar_constant
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.passes.booleans import is_boolean
from nirls.passes.declaration import Pass

_EQUAL = {"ieq": 0, "ieq8": 0, "ieq16": 0, "ieq32": 0, "ine": 1, "ine8": 1, "ine16": 1, "ine32": 1}
"""Comparisons that settle an integer, and the branch in which the operands are equal."""


@dataclass(frozen=True)
class OptIf(Pass):
    """Use what the condition of an if says in its branches, and replace phis of booleans by the condition."""

    name = "opt_if"

    def apply(self, shader: Shader) -> bool:
        return opt_if(shader)


def opt_if(shader: Shader) -> bool:
    """Simplify ifs.

    In the branches, the condition is true or false (Mesa: `opt_if_evaluate_condition_use`), and an integer
    that it compares with a constant is that constant (`opt_if_rewrite_uniform_uses`; here for divergent
    values too). A phi of true and false after the if is the condition, or its inverse
    (`opt_if_phi_is_condition`). An inverted condition swaps nothing: branches stay where they are printed.
    """
    changed = [impl for impl in shader.impls() if _ImplPass(impl).run()]
    return bool(changed)


class _ImplPass:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl

    @cached_property
    def builder(self) -> Builder:
        return Builder(self.impl, self.impl.start_block)

    def run(self) -> bool:
        progress = False
        for _, nodes in self.impl.node_lists():
            for position, node in enumerate(nodes):
                if not isinstance(node, If) or not _has_boolean(node):
                    continue
                for body, is_then in ((node.then_body, True), (node.else_body, False)):
                    progress |= self._settle(node.condition.ssa, is_then, body)
                after = nodes[position + 1] if position + 1 < len(nodes) else None
                if isinstance(after, Block):
                    progress |= self._booleans(node, after)
        return progress

    def _settle(self, condition: Def, is_then: bool, body: list[CfNode]) -> bool:
        """Replace the uses of known values in a branch by constants."""
        first = body[0] if body else None
        if not isinstance(first, Block) or isinstance(first.first, PhiInstr):
            return False
        inside = set(nodes_of(body))
        progress = False
        for value, bits in _settled(condition, is_then):
            uses = [src for src in value.uses if node_of_use(src) in inside]
            if uses:
                constant = self.builder.at_start_of(first).load_const([bits], value.bit_size)
                for src in uses:
                    src.set_def(constant)
                progress = True
        return progress

    def _booleans(self, node: If, after: Block) -> bool:
        """Replace phis of true and false by the condition or its inverse."""
        condition = node.condition.ssa
        progress = False
        for phi in list(after.phis()):
            values = [_boolean_from(phi, body, condition.bit_size) for body in node.bodies()]
            if phi.def_ is None or len(phi.sources) != 2 or set(values) != {True, False}:
                continue
            if phi.def_.bit_size != condition.bit_size or phi.def_.num_components != 1:
                continue
            value = condition
            if values[0] is False:
                value = self.builder.at_start_of(after).alu("inot", [condition], 1, condition.bit_size)
            phi.def_.replace_all_uses_with(value)
            phi.remove()
            progress = True
        return progress


def _has_boolean(node: If) -> bool:
    """Whether the condition of an if is false or all ones."""
    condition = node.condition.def_
    return condition is not None and condition.num_components == 1 and is_boolean(condition)


def _settled(condition: Def, is_then: bool) -> Iterator[tuple[Def, int]]:
    """Yield the scalars that a branch determines, with their bits."""
    maker = condition.instr
    if isinstance(maker, LoadConstInstr):
        return
    yield condition, ((1 << condition.bit_size) - 1) if is_then else 0
    if not isinstance(maker, AluInstr) or maker.op not in _EQUAL or len(maker.sources) != 2:
        return
    if (_EQUAL[maker.op] == 0) is not is_then:
        return
    for src, other in (maker.sources, reversed(maker.sources)):
        bits = scalar_constant(other.def_)
        if bits is None or src.def_ is None or not _is_plain(src) or not _is_plain(other):
            continue
        if src.def_.num_components == 1 and not isinstance(src.def_instr, LoadConstInstr):
            yield src.def_, bits


def _is_plain(src: AluSrc) -> bool:
    return not src.negate and not src.abs


def _boolean_from(phi: PhiInstr, body: list[CfNode], bit_size: int) -> bool | None:
    src = phi_source_from(phi, body)
    bits = None if src is None else scalar_constant(src.def_)
    if bits is None or bits not in (0, (1 << bit_size) - 1):
        return None
    return bool(bits)
