"""Divergence propagation over one function body.

The method is that of Mesa's nir_divergence_analysis.c, "The Simple Divergence Analysis" of Sampaio, Souza,
Collange and Pereira, "Divergence Analysis", TOPLAS 2013: follow the structure of the body, track
whether invocations of the innermost loop may be elsewhere, and repeat a loop as long as a phi at its
header becomes divergent. The `con` or `div` of a block or a loop is defined by this walk, so the number
of visits and the state kept between them are part of the rule.

Nested lists are visited with generators on an explicit stack, without recursion.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from nirls.ir.analysis.divergence_dependence import Dependences
from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.dominance import post_dominance
from nirls.ir.analysis.loop_nesting import LoopNesting
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    UndefInstr,
)
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, PhiSrc, RegDest, Register, Src
from nirls.ir.model.walks import reachable


class JumpCause(NamedTuple):
    """A jump that only some invocations take, and the node that splits them.

    `split` is the if with a divergent condition around the jump, or the loop whose divergent `continue`
    comes before it.
    """

    jump: JumpInstr
    split: If | Loop


@dataclass(slots=True)
class _Flow:
    """State of the innermost loop's invocations while a list of nodes is visited.

    `splits`: some of those still in the loop may be on another path. `continues`, `breaks`: some have
    left this iteration, or the loop, since its header. `split_by` is the cause of `splits`.
    """

    loop: Loop | None = None
    first_visit: bool = True
    splits: bool = False
    continues: bool = False
    breaks: bool = False
    split_by: If | Loop | None = None

    @property
    def is_divergent(self) -> bool:
        return self.splits or self.continues or self.breaks


_Visit = Generator[tuple[Sequence[CfNode], _Flow], None, None]


class _Pending(NamedTuple):
    """A value that may still become divergent: its destination, and the deciding sources."""

    target: Def | RegDest
    sources: Sequence[Src]
    all_needed: bool


class BodyDivergence:
    """The divergence of one function body.

    `divergent` holds the divergent values, `block_flags` what Mesa prints for each block, `broken_loops`
    and `continued_loops` those that some invocations leave, or continue, before the others.
    `break_causes` and `continue_causes` are the reasons, also for a loop that was only in these sets in an
    earlier visit of Mesa's walk: values that became divergent then stay so.
    `registers` (old dialects) are those with a divergent value, or a write that not all invocations
    reach. In a body with gotos, `split_phis` are the blocks where paths of a divergent goto meet, and
    `left_cycles` those of a cycle that invocations leave in different turns, each with that goto.
    """

    def __init__(self, impl: FunctionImpl, stage: Stage | None, options: DivergenceOptions) -> None:
        self.impl = impl
        self.options = options
        self.nesting = LoopNesting(impl)
        self.dependences = Dependences(impl, stage, options)
        self.divergent: set[Def] = set(impl.undefined_references)
        self.registers: set[Register] = set()
        self.block_flags: dict[Block, bool] = {}
        self.broken_loops: frozenset[Loop] = frozenset()
        self.continued_loops: frozenset[Loop] = frozenset()
        self.break_causes: dict[Loop, JumpCause] = {}
        self.continue_causes: dict[Loop, JumpCause] = {}
        # Loop states after the visits so far.
        self._broken: set[Loop] = set()
        self._continued: set[Loop] = set()
        self.split_phis: dict[Block, JumpInstr] = {}
        self.left_cycles: list[tuple[frozenset[Block], JumpInstr]] = []
        self._pending: dict[Block, list[_Pending]] = {}
        self._is_old_analysis = options.release is Release.MESA_22_3
        self._any_break = False
        self._run()
        self.broken_loops, self.continued_loops = frozenset(self._broken), frozenset(self._continued)
        self._broken.update(self.break_causes)
        self._continued.update(self.continue_causes)

    # -- Queries

    def is_source_divergent(self, src: Src, block: Block | None) -> bool:
        """Return whether the value of a src read in `block` is divergent.

        A value can be convergent within a loop and yet divergent for a use after it, if invocations
        leave the loop in different iterations (temporal divergence). In the loop-closed form of Mesa's
        analysis the phi after the loop is divergent; without a phi the use is.
        """
        value = src.def_
        if value is None:
            return src.reg is not None and self._is_register_divergent(src)
        if value in self.divergent:
            return True
        return (
            self.loop_left_apart(value, block) is not None or self.cycle_left_apart(value, block) is not None
        )

    def loop_left_apart(self, value: Def, block: Block | None) -> Loop | None:
        """Return the loop with a divergent break that makes a value divergent for a use in `block`, or None.

        Mesa: `nir_src_is_divergent`. Up to release 22.3 there was no such rule.
        """
        if not self._any_break or self._is_old_analysis or block is None or value.instr is None:
            return None
        home = value.instr.block
        loop_of = self.nesting.loop_of
        if home is None or loop_of.get(home) is loop_of.get(block):
            return None
        # Invariance is only known for the innermost loop.
        is_invariant: bool | None = None
        for loop in self.nesting.loops_left(home, block):
            if loop in self._broken:
                if is_invariant is None:
                    is_invariant = self.nesting.is_invariant(value, loop)
                if not is_invariant:
                    return loop
            is_invariant = False
        return None

    def cycle_left_apart(self, value: Def, block: Block | None) -> JumpInstr | None:
        """Return the divergent goto that leaves a cycle and makes a value divergent in `block`, or None."""
        instr = value.instr
        if not self.left_cycles or instr is None or isinstance(instr, LoadConstInstr | UndefInstr):
            return None
        for cycle, jump in self.left_cycles:
            if instr.block in cycle and block not in cycle:
                return jump
        return None

    def merged_split(self, phi: PhiInstr) -> If | None:
        """Return the if with a divergent condition that makes a phi after it divergent, or None."""
        node = self._node_before(phi)
        if not isinstance(node, If) or not self.is_source_divergent(node.condition, self.block_in(node)):
            return None
        ignore_undef = self._is_old_analysis or self.options.ignore_undef_if_phi_srcs
        defined = sum(not _is_undef(src) for src in phi.sources)
        return None if ignore_undef and defined <= 1 else node

    def split_continue(self, phi: PhiInstr) -> Loop | None:
        """Return the loop with a divergent continue that makes a phi in its header divergent, or None."""
        loop = self.loop_headed_by(phi.block)
        if loop is None or loop not in self._continued:
            return None
        preheader = self._preheader_of(loop, phi)
        carried = [
            src.def_
            for src in phi.sources
            if src.pred is not preheader and not (self._is_old_analysis and _is_undef(src))
        ]
        return loop if len(set(carried)) > 1 else None

    def split_break(self, phi: PhiInstr) -> Loop | None:
        """Return the loop with a divergent break that makes a phi after it divergent, or None."""
        loop = self._node_before(phi)
        if not isinstance(loop, Loop) or loop not in self._broken:
            return None
        if self._is_old_analysis or len({src.def_ for src in phi.sources}) > 1:
            return loop
        is_fixed = all(
            src.def_ is not None and self.nesting.is_invariant(src.def_, loop) for src in phi.sources
        )
        return None if is_fixed else loop

    def loop_headed_by(self, block: Block | None) -> Loop | None:
        """Return the loop that starts with `block`, or None."""
        loop = None if block is None else self.nesting.loop_of.get(block)
        return loop if loop is not None and loop.body and loop.body[0] is block else None

    def is_write_divergent(self, dest: RegDest) -> bool:
        """Return whether only some invocations reach a register write, or they write different elements."""
        if dest.indirect is not None and self.is_source_divergent(dest.indirect, None):
            return True
        return dest.instr is not None and self.split_around(dest.instr.block) is not None

    def split_around(self, block: Block | None) -> If | Loop | None:
        """Return the nearest if with a divergent condition, or loop with a divergent break or continue."""
        node = None if block is None else block.parent
        while isinstance(node, If | Loop):
            if isinstance(node, If):
                if self.is_source_divergent(node.condition, self.block_in(node)):
                    return node
            elif node in self._broken or node in self._continued:
                return node
            node = node.parent
        return None

    def _is_register_divergent(self, src: Src) -> bool:
        if src.reg in self.registers:
            return True
        return src.reg_indirect is not None and self.is_source_divergent(src.reg_indirect, None)

    def _node_before(self, phi: PhiInstr) -> If | Loop | None:
        return None if phi.block is None else self.nesting.follows.get(phi.block)

    def _preheader_of(self, loop: Loop, phi: PhiInstr) -> Block | None:
        contains = self.nesting.contains
        return next((src.pred for src in phi.sources if not contains(loop, src.pred)), None)

    @staticmethod
    def block_in(node: If) -> Block | None:
        """Return a block within the same loops as the condition of an if."""
        return next((inner for inner in node.then_body if isinstance(inner, Block)), None)

    # -- The walk

    def _run(self) -> None:
        if any(block.jump is not None and block.jump.targets for block in self.impl.blocks()):
            self._judge_as_a_whole()
            return
        first_visit = True
        while True:
            known = len(self.registers), len(self.break_causes), len(self.continue_causes)
            self._visit(self.impl.body, _Flow(first_visit=first_visit))
            # Only registers carry a value along back edges without a phi.
            if not self.impl.registers or known == (
                len(self.registers),
                len(self.break_causes),
                len(self.continue_causes),
            ):
                return
            first_visit = False

    def _visit(self, body: Sequence[CfNode], flow: _Flow) -> None:
        stack = [self._visit_list(body, flow)]
        while stack:
            nested = next(stack[-1], None)
            if nested is None:
                stack.pop()
            else:
                stack.append(self._visit_list(*nested))

    def _visit_list(self, nodes: Sequence[CfNode], flow: _Flow) -> _Visit:
        for node in nodes:
            if isinstance(node, Block):
                self._visit_block(node, flow)
            elif isinstance(node, If):
                yield from self._visit_if(node, flow)
            else:
                yield from self._visit_loop(node, flow)

    def _visit_if(self, node: If, flow: _Flow) -> _Visit:
        is_divergent = self.is_source_divergent(node.condition, self.block_in(node))
        splits = flow.splits or is_divergent
        split_by = flow.split_by if flow.splits else node
        branches = []
        for body in (node.then_body, node.else_body):
            branch = replace(flow, splits=splits, split_by=split_by if splits else None)
            yield body, branch
            branches.append(branch)
        flow.continues = flow.continues or any(branch.continues for branch in branches)
        flow.breaks = flow.breaks or any(branch.breaks for branch in branches)
        # Invocations that continued do not take part in the rest of the iteration, so only some
        # take a break further down.
        if flow.continues and not flow.splits:
            flow.splits, flow.split_by = True, flow.loop

    def _visit_loop(self, loop: Loop, flow: _Flow) -> _Visit:
        header = loop.body[0] if loop.body and isinstance(loop.body[0], Block) else None
        header_phis = [] if header is None else list(header.phis())
        for phi in header_phis:
            preheader = self._preheader_of(loop, phi)
            if any(src.pred is preheader and self._is_phi_src_divergent(src) for src in phi.sources):
                self._mark(phi)
        inner = _Flow(loop=loop, first_visit=flow.first_visit)
        has_changed = True
        while has_changed:
            for body in loop.bodies():
                yield body, inner
            has_changed = False
            for phi in header_phis:
                if self._is_unmarked(phi) and self._diverges_at_header(phi):
                    self._mark(phi)
                    has_changed = True
            inner.splits, inner.split_by, inner.first_visit = False, None, False
        # As in Mesa, the last visit decides. With registers nothing is reset, because
        # writes further up in the loop depend on it.
        if not inner.breaks and not self.impl.registers:
            self._broken.discard(loop)
        if not inner.continues and not self.impl.registers:
            self._continued.discard(loop)

    # -- Blocks

    def _visit_block(self, block: Block, flow: _Flow) -> None:
        if isinstance(block.first, PhiInstr):
            self._visit_phis(block, flow)
        if flow.first_visit:
            self._pending[block] = self._first_look(block)
        else:
            pending = self._pending.get(block, ())
            self._pending[block] = [entry for entry in pending if not self._settle(entry, block)]
        jump = block.jump
        if jump is not None and flow.loop is not None:
            self._visit_jump(jump, flow, flow.loop)
        self.block_flags[block] = flow.is_divergent

    def _visit_jump(self, jump: JumpInstr, flow: _Flow, loop: Loop) -> None:
        # A halt or return ends the invocation, so it does not split the remaining ones.
        if not flow.splits or flow.split_by is None:
            return
        if jump.jump_kind == "continue":
            flow.continues = True
            self._continued.add(loop)
            self.continue_causes.setdefault(loop, JumpCause(jump, flow.split_by))
        elif jump.jump_kind == "break":
            flow.breaks = True
            self._broken.add(loop)
            self._any_break = True
            self.break_causes.setdefault(loop, JumpCause(jump, flow.split_by))

    def _visit_phis(self, block: Block, flow: _Flow) -> None:
        if self.loop_headed_by(block) is not None:
            return  # handled with the loop
        is_merge = block in self.nesting.follows
        for phi in block.phis():
            if self._is_unmarked(phi) and self._diverges_behind(phi, is_merge=is_merge, flow=flow):
                self._mark(phi)

    def _diverges_behind(self, phi: PhiInstr, *, is_merge: bool, flow: _Flow) -> bool:
        if any(self._is_phi_src_divergent(src) for src in phi.sources):
            return True
        if is_merge:
            return self.merged_split(phi) is not None or self.split_break(phi) is not None
        # A continue construct merges all continues of its loop; anywhere else phis are out of place.
        return flow.is_divergent and len({src.def_ for src in phi.sources}) > 1

    def _diverges_at_header(self, phi: PhiInstr) -> bool:
        if any(self._is_phi_src_divergent(src) for src in phi.sources):
            return True
        return self.split_continue(phi) is not None

    def _is_phi_src_divergent(self, src: PhiSrc) -> bool:
        return self.is_source_divergent(src, src.pred)

    def _is_unmarked(self, phi: PhiInstr) -> bool:
        return phi.def_ is not None and phi.def_ not in self.divergent

    def _mark(self, phi: PhiInstr) -> None:
        if phi.def_ is not None:
            self.divergent.add(phi.def_)

    def _first_look(self, block: Block) -> list[_Pending]:
        """Decide values that can be decided at once; return the others for later visits of a loop."""
        pending: list[_Pending] = []
        divergent = self.divergent
        in_loop = self.nesting.loop_of.get(block) is not None
        keep = in_loop or bool(self.impl.registers)
        for instr in block:
            value = instr.def_
            if value is not None and value in divergent:
                continue
            if isinstance(instr, AluInstr) and value is not None:
                # Fast path for most instructions.
                for src in instr.sources:
                    if src.def_ in divergent or (
                        (self._any_break or src.def_ is None) and self.is_source_divergent(src, block)
                    ):
                        divergent.add(value)
                        break
                else:
                    if keep:
                        pending.append(_Pending(value, instr.sources, False))
                continue
            open_entries = [entry for entry in self._targets(instr) if not self._settle(entry, block)]
            if keep:
                pending += open_entries
        return pending

    def _targets(self, instr: Instr) -> list[_Pending]:
        if isinstance(instr, PhiInstr | JumpInstr):
            return []
        if isinstance(instr, ParallelCopyInstr):
            return [
                _Pending(dest, (src,), False) for dest, src in zip(instr.dests, instr.sources, strict=False)
            ]
        target = instr.def_ if instr.def_ is not None else instr.reg_dest
        if target is None or (isinstance(target, Def) and isinstance(instr, LoadConstInstr | UndefInstr)):
            return []
        dependence = self.dependences.of(instr)
        if dependence.because:
            self._set(target)
            return []
        if isinstance(target, RegDest):
            # Even a constant may be written by only some invocations.
            return [_Pending(target, dependence.sources, dependence.all_needed)]
        return [_Pending(target, dependence.sources, dependence.all_needed)] if dependence.sources else []

    def _settle(self, entry: _Pending, block: Block) -> bool:
        """Mark the value if it is divergent; return whether it is decided."""
        target = entry.target
        if target in self.divergent:
            return True
        hits = (self.is_source_divergent(src, block) for src in entry.sources)
        if (all(hits) if entry.all_needed else any(hits)) or (
            isinstance(target, RegDest) and self.is_write_divergent(target)
        ):
            self._set(target)
            return True
        return False

    def _set(self, target: Def | RegDest) -> None:
        if isinstance(target, Def):
            self.divergent.add(target)
        else:
            self.registers.add(target.reg)

    # -- Bodies with gotos

    def _judge_as_a_whole(self) -> None:
        """Decide the values of a body with gotos, whose invocations meet at immediate post-dominators."""
        blocks = self.impl.blocks()
        tree = post_dominance(self.impl)
        flow = _Flow()
        gotos: set[Block] = set()
        while True:
            known = len(self.divergent), len(self.registers), len(gotos)
            for block in blocks:
                for phi in block.phis():
                    is_split = block in self.split_phis and len({src.def_ for src in phi.sources}) > 1
                    is_split = is_split or self.merged_split(phi) is not None
                    if is_split or any(self._is_goto_phi_src_divergent(phi, src) for src in phi.sources):
                        self._mark(phi)
                if flow.first_visit:
                    entries = [entry for instr in block for entry in self._targets(instr)]
                else:
                    entries = self._pending[block]
                self._pending[block] = [entry for entry in entries if not self._settle(entry, block)]
                jump = block.jump
                if block in gotos or jump is None:
                    continue
                if any(self.is_source_divergent(src, block) for src in jump.sources):
                    gotos.add(block)
                    self._split_at(block, jump, tree.idom(block))
            flow.first_visit = False
            if known == (len(self.divergent), len(self.registers), len(gotos)):
                break
        for block in blocks:
            self.block_flags[block] = bool(gotos)

    def _is_goto_phi_src_divergent(self, phi: PhiInstr, src: PhiSrc) -> bool:
        value = src.def_
        is_left = value is not None and self.cycle_left_apart(value, phi.block) is not None
        return is_left or self._is_phi_src_divergent(src)

    def _split_at(self, block: Block, jump: JumpInstr, meeting: Block | None) -> None:
        """Note where the paths of a divergent goto meet, and the cycle that it leaves, up to `meeting`."""
        reached = [reachable([target], meeting) for target in block.successors]
        for joined in set.intersection(*reached):
            self.split_phis.setdefault(joined, jump)
        inside = set().union(*reached) - {meeting}
        if block in inside:
            cycle = reachable([block], meeting, backwards=True) & inside
            self.left_cycles.append((frozenset(cycle), jump))


def _is_undef(src: PhiSrc) -> bool:
    return isinstance(src.def_instr, UndefInstr)
