"""Control flow of a function as chains of blocks, for a proof that compares two functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nirls.ir.effects import can_eliminate, can_reorder, effects_of
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop, loops_around, nodes_of
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.values import Def, Src
from nirls.verification.proof.private_variables import PrivateVariables
from nirls.verification.proof.values import UnprovedError

DISCARDS = frozenset(("demote", "discard", "terminate"))

Chain = tuple[Block, ...]
"""Blocks that run one after the other, each the only successor of the one before."""


class Selection(NamedTuple):
    """The condition of a flattened if, and the last blocks of its branches."""

    condition: Src
    then: Block
    otherwise: Block


class ChainFlow:
    """The control flow of a function: chains of blocks, without branches that are decided.

    With `flattens`, ifs without an effect are left out, and those that only compute values or discard are
    flattened: both branches run one after the other, and phis select. Constants stored to `private` variables
    decide branches too.
    """

    def __init__(self, impl: FunctionImpl, private: PrivateVariables, flattens: bool) -> None:
        self.private = private
        self.targets: dict[Block, Chain] = {}
        self.conditions: dict[Block, Src] = {}
        self.selections: dict[Block, Selection] = {}
        """What phis of the blocks behind flattened ifs select."""
        self.guards: dict[Block, Src] = {}
        """Conditions under which discards of flattened blocks happen."""
        next_of: dict[Block, Block] = {}
        for block, node, join in _branches(impl):
            self.conditions[block] = node.condition
            if not flattens or join is None:
                continue
            if _is_dead(node, join):
                next_of[block] = join
            elif self._truth(block) is None and _is_flat(node):
                next_of |= self._flattened(block, node, join)
        self.is_flattened = bool(next_of)
        waiting = [impl.start_block]
        while waiting:
            block = waiting.pop()
            if block not in self.targets:
                self.targets[block] = (next_of[block],) if block in next_of else self._taken(block)
                waiting += self.targets[block]
        self.preds: dict[Block, list[Block]] = {block: [] for block in self.targets}
        for block, targets in self.targets.items():
            for target in targets:
                self.preds[target].append(block)
        self.loops = {block: self._loops(block) for block in self.targets}
        self.chain_of: dict[Block, Chain] = {}
        self.entry = self._chain(impl.start_block)
        for block in self.targets:
            if block not in self.chain_of and not self._continues_chain(block):
                self._chain(block)

    def _flattened(self, block: Block, node: If, join: Block) -> dict[Block, Block]:
        """Return the next blocks of those that a flattened if makes straight."""
        bodies = [[block for block in body if isinstance(block, Block)] for body in node.bodies()]
        then, otherwise = bodies
        self.selections[join] = Selection(node.condition, then[-1], otherwise[-1])
        self.guards |= dict.fromkeys(then, node.condition)
        return {block: then[0], then[-1]: otherwise[0], otherwise[-1]: join}

    def _truth(self, block: Block) -> bool | None:
        """Return the constant condition at the end of a block; None for any other."""
        condition = self.conditions.get(block)
        if condition is None or condition.def_ is None:
            return None
        return _known_truth(condition.def_, self.private)

    def _taken(self, block: Block) -> tuple[Block, ...]:
        jump = block.jump
        if jump is not None and jump.sources:
            self.conditions[block] = jump.sources[0]
        truth = self._truth(block)
        if len(block.successors) == 2 and truth is not None:
            return (block.successors[0 if truth else 1],)
        return block.successors

    def _continues_chain(self, block: Block) -> bool:
        preds = self.preds[block]
        return (
            len(preds) == 1 and len(self.targets[preds[0]]) == 1 and self.loops[preds[0]] == self.loops[block]
        )

    def _loops(self, block: Block) -> tuple[Block, ...]:
        """Return the headers of the repeated loops around a block.

        Invocations that leave a loop in different iterations run together again after it, so the end of a
        block that breaks and the block after the loop are not the same place.
        """
        headers = (loop.body[0] for loop in loops_around(block))
        return tuple(
            header for header in headers if isinstance(header, Block) and len(self.preds.get(header, ())) > 1
        )

    def _chain(self, first: Block) -> tuple[Block, ...]:
        blocks = [first]
        while len(targets := self.targets[blocks[-1]]) == 1:
            if not self._continues_chain(targets[0]) or targets[0] in blocks:
                break
            blocks.append(targets[0])
        chain = tuple(blocks)
        self.chain_of.update(dict.fromkeys(chain, chain))
        return chain

    def exits(self, chain: tuple[Block, ...]) -> list[Chain]:
        """Return the chains that a chain leads to."""
        return [self.chain_of[target] for target in self.targets[chain[-1]]]

    def condition(self, chain: tuple[Block, ...]) -> Src | None:
        """Return the source that selects the exit of a chain; None if there is one exit."""
        if len(self.targets[chain[-1]]) < 2:
            return None
        if chain[-1] not in self.conditions:
            raise UnprovedError
        return self.conditions[chain[-1]]

    def halts(self, chain: tuple[Block, ...]) -> bool:
        """Whether a chain ends the invocation, not only the function."""
        return any(block.jump is not None and block.jump.jump_kind == "halt" for block in chain)


def _known_truth(condition: Def, private: PrivateVariables) -> bool | None:
    """Return a constant condition, also behind copies, negations and variables; None for any other."""
    maker, component, truth = condition.instr, 0, True
    if condition.bit_size != 1:
        return bool(maker.values[0]) if isinstance(maker, LoadConstInstr) else None
    while not isinstance(maker, LoadConstInstr):
        if isinstance(maker, IntrinsicInstr):
            stored = private.stored_value(maker, component)
            if stored is None:
                return None
            maker, component = stored[0].instr, stored[1]
            continue
        if not isinstance(maker, AluInstr) or maker.op not in ("inot", "mov"):
            return None
        src = maker.sources[0]
        if src.def_ is None or src.negate or src.abs or "sat" in maker.flags:
            return None
        truth ^= maker.op == "inot"
        maker, component = src.def_.instr, src.swizzle[component]
    return bool(maker.values[component]) == truth


def _branches(impl: FunctionImpl) -> Iterator[tuple[Block, If, Block | None]]:
    """Yield all ifs of a function, with the blocks before and after."""
    for _, nodes in impl.node_lists():
        for ahead, node, behind in zip(nodes, nodes[1:], [*nodes[2:], None], strict=False):
            if isinstance(node, If) and isinstance(ahead, Block):
                yield ahead, node, behind if isinstance(behind, Block) else None


def _is_dead(node: If, join: Block) -> bool:
    """Whether an if has no effect and selects no value: phis are the only uses of its values behind it."""
    if any(len({src.def_ for src in phi.sources}) != 1 for phi in join.phis()):
        return False
    for at in nodes_of([node]):
        if isinstance(at, Loop):
            return False
        if isinstance(at, Block) and not all(map(can_eliminate, at)):
            return False
    return True


def _is_flat(node: If) -> bool:
    """Whether both branches of an if only compute values, which any invocation may, or the first discards."""
    waiting: list[tuple[CfNode, bool]] = [
        *((child, True) for child in node.then_body),
        *((child, False) for child in node.else_body),
    ]
    while waiting:
        at, may_discard = waiting.pop()
        if isinstance(at, Loop):
            return False
        if isinstance(at, If):
            waiting += [(child, False) for body in at.bodies() for child in body]
            continue
        for instr in at:
            is_discard = isinstance(instr, IntrinsicInstr) and instr.name in DISCARDS
            if not (is_discard and may_discard) and not _is_plain(instr):
                return False
    return True


def _is_plain(instr: Instr) -> bool:
    """Whether an instruction only computes a value, the same wherever it runs."""
    if not can_eliminate(instr) or (isinstance(instr, IntrinsicInstr) and not can_reorder(instr)):
        return False
    return not effects_of(instr).crosses_lanes
