"""The pass `opt_dead_cf`: removal of dead control flow (Mesa: nir_opt_dead_cf)."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects import can_eliminate, depends_on_when_it_runs
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.control_flow_edit import Replacement, replace_nodes
from nirls.ir.model.instructions import (
    JumpInstr,
    PhiInstr,
    is_undef,
    scalar_constant,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src
from nirls.passes.declaration import Pass


@dataclass(frozen=True)
class OptDeadCf(Pass):
    """Remove control flow that is unreachable, has no effect, or has a constant condition."""

    name = "opt_dead_cf"

    def apply(self, shader: Shader) -> bool:
        return opt_dead_cf(shader)


def opt_dead_cf(shader: Shader) -> bool:
    """Remove dead control flow.

    An if with a constant condition is replaced by the taken branch, with an undefined condition by the else
    branch. Ifs and loops without an effect and without values used outside are removed, and code after a
    jump or after an if whose branches both end in a jump.
    """
    changed = [impl for impl in shader.impls() if _DeadCf(impl).run()]
    return bool(changed)


@dataclass(slots=True)
class _Contents:
    """Summary of a part of a function: effects, jumps of the enclosing loop, and uses of its values.

    `first_use` and `last_use` are block positions.
    """

    has_effect: bool = False
    has_loop_jump: bool = False
    first_use: int = 1 << 60
    last_use: int = -1

    def add(self, other: _Contents) -> None:
        self.has_effect |= other.has_effect
        self.has_loop_jump |= other.has_loop_jump
        self.first_use = min(self.first_use, other.first_use)
        self.last_use = max(self.last_use, other.last_use)


class _DeadCf:
    """The pass over one function body."""

    def __init__(self, impl: FunctionImpl) -> None:
        self.impl = impl
        self.position: dict[Block, int] = {}
        self.block_ahead: dict[If, Block] = {}
        self.extent: dict[CfNode, tuple[int, int]] = {}
        self.contents: dict[CfNode, _Contents] = {}

    def run(self) -> bool:
        if any(not isinstance(node, Block) for node in self.impl.body):
            self._number()
        return replace_nodes(self.impl, self._decide, drop_after_jumps=True)

    def _number(self) -> None:
        previous: CfNode | None = None
        nodes = list(self.impl.cf_nodes())
        for node in nodes:
            if isinstance(node, Block):
                self.position[node] = len(self.position)
            elif isinstance(node, If) and isinstance(previous, Block):
                self.block_ahead[node] = previous
            previous = node
        for node in reversed(nodes):
            if not isinstance(node, Block):
                inner = [self._extent(child) for body in node.bodies() for child in body]
                self.extent[node] = (
                    min((low for low, _ in inner), default=0),
                    max((high for _, high in inner), default=-1),
                )

    def _extent(self, node: CfNode) -> tuple[int, int]:
        if isinstance(node, Block):
            return (self.position[node], self.position[node])
        return self.extent[node]

    def _decide(self, node: If | Loop, before: Block, after: Block) -> Replacement | None:
        if isinstance(node, If):
            condition = scalar_constant(node.condition.def_)
            if condition is None and is_undef(node.condition.def_):
                condition = 0
            if condition is not None:
                return node.then_body if condition else node.else_body
        contents = self._contents_of(node)
        if isinstance(node, Loop):
            contents.has_loop_jump = False
        self.contents[node] = contents
        return () if self._is_dead(node, contents, after) else None

    def _is_dead(self, node: If | Loop, contents: _Contents, after: Block) -> bool:
        if contents.has_effect or contents.has_loop_jump or isinstance(after.first, PhiInstr):
            return False
        if isinstance(node, Loop) and not after.predecessors:
            return False
        low, high = self.extent[node]
        return contents.last_use < 0 or (low <= contents.first_use and contents.last_use <= high)

    def _contents_of(self, node: If | Loop) -> _Contents:
        total = _Contents()
        for body in node.bodies():
            for child in body:
                if isinstance(child, Block):
                    total.add(self._contents_of_block(child))
                else:
                    total.add(self.contents.get(child) or _Contents(has_effect=True))
        return total

    def _contents_of_block(self, block: Block) -> _Contents:
        total = _Contents()
        for instr in block:
            if isinstance(instr, JumpInstr) and instr.jump_kind in ("break", "continue"):
                total.has_loop_jump = True
            elif not can_eliminate(instr) or depends_on_when_it_runs(instr):
                total.has_effect = True
                return total
            if instr.def_ is not None:
                for src in instr.def_.uses:
                    place = self._place_of_use(src)
                    total.first_use = min(total.first_use, place)
                    total.last_use = max(total.last_use, place)
        return total

    def _place_of_use(self, src: Src) -> int:
        owner = src.owner
        if isinstance(owner, If):
            block = self.block_ahead.get(owner)
        else:
            block = None if owner is None else owner.block
        # A use at an unknown position counts as outside.
        return self.position.get(block, 1 << 60) if block is not None else 1 << 60
