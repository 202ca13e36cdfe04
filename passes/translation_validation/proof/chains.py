"""Control flow of a function as chains of blocks, for a proof that compares two functions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nirls.ir.effects import can_eliminate
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import AluInstr, CallInstr, IntrinsicInstr, JumpInstr, LoadConstInstr
from nirls.ir.model.values import Def, Src
from nirls.passes.translation_validation.proof.private_variables import PrivateVariables

Chain = tuple[Block, ...]
"""Blocks that run one after the other, each the only successor of the one before."""


class UnprovedError(Exception):
    """No proof is found."""


class ChainFlow:
    """The control flow of a function: chains of blocks, without branches that are decided.

    With `skips_dead_ifs`, ifs without an effect are left out. Constants stored to `private` variables decide
    branches too.
    """

    def __init__(self, impl: FunctionImpl, private: PrivateVariables, skips_dead_ifs: bool) -> None:
        self.private = private
        self.targets: dict[Block, Chain] = {}
        self.conditions: dict[Block, Src] = {}
        joins: dict[Block, Block] = {}
        for block, node, join in _branches(impl.body):
            self.conditions[block] = node.condition
            if skips_dead_ifs and join is not None and _is_dead(node, join):
                joins[block] = join
        self.has_dead_ifs = bool(joins)
        waiting = [impl.start_block]
        while waiting:
            block = waiting.pop()
            if block not in self.targets:
                self.targets[block] = (joins[block],) if block in joins else self._taken(block)
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

    def _taken(self, block: Block) -> tuple[Block, ...]:
        jump = block.jump
        if jump is not None and jump.sources:
            self.conditions[block] = jump.sources[0]
        condition = self.conditions.get(block)
        truth = (
            None
            if condition is None or condition.def_ is None
            else _known_truth(condition.def_, self.private)
        )
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
        headers = []
        at: object = block.parent
        while isinstance(at, If | Loop):
            if isinstance(at, Loop):
                header = at.body[0]
                if isinstance(header, Block) and len(self.preds.get(header, ())) > 1:
                    headers.append(header)
            at = at.parent
        return tuple(headers)

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


def _branches(body: Sequence[CfNode]) -> Iterator[tuple[Block, If, Block | None]]:
    """Yield the ifs of a body and of the bodies in it, with the blocks before and after."""
    waiting: list[Sequence[CfNode]] = [body]
    while waiting:
        nodes = waiting.pop()
        for position, node in enumerate(nodes):
            if isinstance(node, Block):
                continue
            waiting += node.bodies()
            ahead = nodes[position - 1] if position else None
            behind = nodes[position + 1] if position + 1 < len(nodes) else None
            if isinstance(node, If) and isinstance(ahead, Block):
                yield ahead, node, behind if isinstance(behind, Block) else None


def _is_dead(node: If, join: Block) -> bool:
    """Whether an if has no effect and no value that is used outside of it or selected by it."""
    if any(len({src.def_ for src in phi.sources}) != 1 for phi in join.phis()):
        return False
    inside: set[object] = set()
    waiting: list[CfNode] = [node]
    defs: list[Def] = []
    while waiting:
        at = waiting.pop()
        if isinstance(at, Loop):
            return False
        if isinstance(at, If):
            inside.add(at)
            waiting += (*at.then_body, *at.else_body)
            continue
        for instr in at:
            if isinstance(instr, JumpInstr | CallInstr) or instr.def_ is None:
                return False
            if isinstance(instr, IntrinsicInstr) and not can_eliminate(instr):
                return False
            inside.add(instr)
            defs.append(instr.def_)
    return all(src.owner in inside for value in defs for src in value.uses)
