"""Explanations of divergence, down to the root cause, and of convergence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.model.control_flow import Block, If, Loop
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
    operation_name,
)
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import Def, PhiSrc, RegDest, Register, Src


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of an explanation.

    `subject` is the instruction or block of the step (None for a number without a definition, and
    for a register), `value` the divergent value of that step, if any. `sentence` is complete and
    names values and blocks as the dump does.
    """

    subject: Instr | Block | None
    sentence: str
    value: Def | None = None


@dataclass(frozen=True, slots=True)
class _LeftApart:
    """A loop that invocations leave, or continue, at different times."""

    loop: Loop
    jump_kind: str


# Target of an explanation step: a value, a loop, or a register; None for a root cause.
_Node = Def | _LeftApart | Register
_Cause = tuple[Reason, _Node | None]


class Explainer:
    """Explanations for the values of one function body."""

    __slots__ = ("_body", "_classic")

    def __init__(self, body: BodyDivergence, shader: Shader) -> None:
        self._body = body
        self._classic = shader.dialect is not Dialect.MODERN

    # -- Divergent values

    def shortest_chain(self, value: Def) -> list[Reason]:
        """Return the shortest chain from a divergent value to a root cause; empty for a convergent value."""
        return self._chain_from(value) or []

    def chains(self, value: Def) -> list[list[Reason]]:
        """Return the shortest chain for each direct cause, in order of length.

        Causes that only lead back to the value itself are left out.
        """
        found = []
        for reason, node in self._causes(value):
            rest = [] if node is None else self._chain_from(node, avoiding=value)
            if rest is not None:
                found.append([reason, *rest])
        return sorted(found, key=len)

    def _chain_from(self, start: _Node, avoiding: _Node | None = None) -> list[Reason] | None:
        """Search breadth-first from a node for the nearest root cause; None if there is none."""
        if start == avoiding:
            return None
        came_by: dict[_Node, tuple[_Node, Reason] | None] = {start: None}
        level = [start]
        while level:
            following: list[_Node] = []
            for node in level:
                for reason, target in self._causes(node):
                    if target is None:
                        return [*_way_to(node, came_by), reason]
                    if target not in came_by and target != avoiding:
                        came_by[target] = (node, reason)
                        following.append(target)
            level = following
        return None

    def _causes(self, node: _Node) -> list[_Cause]:
        if isinstance(node, Def):
            return self._causes_of_value(node) if node in self._body.divergent else []
        if isinstance(node, Register):
            return self._causes_of_register(node)
        return self._causes_of_leaving(node)

    def _causes_of_value(self, value: Def) -> list[_Cause]:
        instr = value.instr
        if instr is None:
            return [(Reason(None, f"{self._name(value)} is defined nowhere in this function", value), None)]
        if isinstance(instr, PhiInstr):
            return self._causes_of_phi(instr, value)
        if isinstance(instr, ParallelCopyInstr):
            sources = [src for dest, src in zip(instr.dests, instr.sources, strict=False) if dest is value]
            return self._causes_of_sources(instr, value, sources)
        dependence = self._body.dependences.of(instr)
        if dependence.because:
            sentence = f"{self._name(value)}: {self._instruction(instr)} {dependence.because}"
            return [(Reason(instr, sentence, value), None)]
        return self._causes_of_sources(instr, value, dependence.sources)

    def _causes_of_sources(self, instr: Instr, value: Def, sources: Sequence[Src]) -> list[_Cause]:
        beginning = f"{self._name(value)} ({operation_name(instr)}): source "
        # One value in several srcs is one cause.
        origins = {
            words: node
            for src in sources
            for words, node in self._origins(src, src.pred if isinstance(src, PhiSrc) else instr.block)
        }
        return [(Reason(instr, beginning + words, value), node) for words, node in origins.items()]

    def _origins(self, src: Src, block: Block | None) -> list[tuple[str, _Node | None]]:
        """Return the causes, as text and target, that make a src divergent in `block`.

        Several may apply at once. All are needed: leaving a loop may be the only reason for a value's
        divergence.
        """
        body, name = self._body, self._source_name(src)
        found: list[tuple[str, _Node | None]] = []
        if src.reg is not None and src.reg in body.registers:
            found.append((f"{name} is divergent", src.reg))
        if src.reg_indirect is not None:
            found += self._origins(src.reg_indirect, block)
        value = src.def_
        if value is None:
            return found
        if value in body.divergent:
            found.append((f"{name} is divergent", value))
        loop = body.loop_left_apart(value, block)
        if loop is not None:
            words = (
                f"{name} comes out of the loop at {self._loop(loop)}, "
                "which invocations leave in different turns"
            )
            found.append((words, _LeftApart(loop, "break")))
        goto = body.cycle_left_apart(value, block)
        if goto is not None:
            words = (
                f"{name} comes out of a cycle with a divergent goto on {self._source_name(goto.sources[0])}"
            )
            found.append((words, goto.sources[0].def_))
        return found

    def _causes_of_phi(self, phi: PhiInstr, value: Def) -> list[_Cause]:
        body, name = self._body, self._name(value)
        causes: list[_Cause] = []
        node = body.merged_split(phi)
        if node is not None:
            causes += self._causes_of_split(node, phi, value, f"{name}: the phi merges the branches of")
        for loop, kind, what in (
            (body.split_break(phi), "break", "follows"),
            (body.split_continue(phi), "continue", "stands at the header of"),
        ):
            if loop is not None:
                sentence = (
                    f"{name}: the phi {what} the loop at {self._loop(loop)}, which has a divergent {kind}"
                )
                causes.append((Reason(phi, sentence, value), _LeftApart(loop, kind)))
        causes += self._causes_of_sources(phi, value, phi.sources)
        goto = None if phi.block is None else body.split_phis.get(phi.block)
        if goto is not None:
            sentence = f"{name}: paths meet here that a divergent goto splits"
            causes.append((Reason(phi, sentence, value), goto.sources[0].def_))
        if phi.block not in body.nesting.follows:
            around = body.split_around(phi.block)
            if around is not None and body.loop_headed_by(phi.block) is None:
                causes += self._causes_of_split(around, phi, value, f"{name}: the phi stands under")
        return causes

    def _causes_of_split(
        self, split: If | Loop, subject: Instr, value: Def | None, beginning: str
    ) -> list[_Cause]:
        """Return the step to an if or a loop that splits the invocations."""
        if isinstance(split, Loop):
            kind = "break" if split in self._body.break_causes else "continue"
            sentence = f"{beginning} the loop at {self._loop(split)}, which has a divergent {kind}"
            return [(Reason(subject, sentence, value), _LeftApart(split, kind))]
        condition = self._source_name(split.condition)
        return [
            (Reason(subject, f"{beginning} the if on {condition}: condition {words}", value), node)
            for words, node in self._origins_of_condition(split)
        ]

    def _origins_of_condition(self, node: If) -> list[tuple[str, _Node | None]]:
        return self._origins(node.condition, self._body.block_in(node))

    def _causes_of_leaving(self, leaving: _LeftApart) -> list[_Cause]:
        body, kind = self._body, leaving.jump_kind
        cause = (body.break_causes if kind == "break" else body.continue_causes).get(leaving.loop)
        if cause is None:
            return []
        block = cause.jump.block
        where = "" if block is None else f" in {self._block(block)}"
        if isinstance(cause.split, If):
            beginning = f"the {kind}{where} is taken by some invocations only: condition "
            return [
                (Reason(cause.jump, beginning + words), node)
                for words, node in self._origins_of_condition(cause.split)
            ]
        sentence = (
            f"the {kind}{where} is reached by some invocations only: others went on to the next turn before"
        )
        return [(Reason(cause.jump, sentence), _LeftApart(cause.split, "continue"))]

    def _causes_of_register(self, register: Register) -> list[_Cause]:
        causes: list[_Cause] = []
        for dest in register.writes:
            if dest.instr is not None and dest.instr.block in self._body.block_flags:
                causes += self._causes_of_write(dest, dest.instr)
        return causes

    def _causes_of_write(self, dest: RegDest, instr: Instr) -> list[_Cause]:
        where = "" if instr.block is None else f" in {self._block(instr.block)}"
        beginning = f"r{dest.reg.index} is written{where}"
        causes: list[_Cause] = []
        around = self._body.split_around(instr.block)
        if around is not None:
            causes += self._causes_of_split(around, instr, None, f"{beginning} under")
        if isinstance(instr, ParallelCopyInstr):
            sources = [src for to, src in zip(instr.dests, instr.sources, strict=False) if to is dest]
        else:
            dependence = self._body.dependences.of(instr)
            if dependence.because:
                sentence = f"{beginning}: {self._instruction(instr)} {dependence.because}"
                return [(Reason(instr, sentence), None)]
            sources = list(dependence.sources)
        if dest.indirect is not None:
            sources.append(dest.indirect)
        for src in sources:
            causes += [
                (Reason(instr, f"{beginning}: source {words}"), node)
                for words, node in self._origins(src, instr.block)
            ]
        return causes

    # -- Convergent values

    def why_convergent(self, value: Def) -> str:
        """Explain a convergent value in a sentence; empty for a divergent one."""
        instr = value.instr
        if value in self._body.divergent or instr is None:
            return ""
        if isinstance(instr, LoadConstInstr):
            return "It is a constant."
        if isinstance(instr, UndefInstr):
            return "It is undefined, which may be taken for one value in all invocations."
        if isinstance(instr, PhiInstr):
            return self._why_phi_converges(instr)
        if isinstance(instr, IntrinsicInstr):
            return self._why_intrinsic_converges(instr)
        if isinstance(instr, DerefInstr) and instr.deref_kind == "var":
            name = _quoted(instr.var_name or "the variable")
            return f"{name} of mode {instr.mode} is the same object for all."
        if isinstance(instr, TexInstr):
            return "The texture is read at one place: all sources that count are convergent."
        if isinstance(instr, AluInstr | DerefInstr):
            return "All its sources are convergent."
        return "It is the same for all invocations."

    def _why_phi_converges(self, phi: PhiInstr) -> str:
        if self._body.loop_headed_by(phi.block) is not None:
            return "What comes into the loop and what its turns hand on is convergent."
        node = None if phi.block is None else self._body.nesting.follows.get(phi.block)
        if isinstance(node, If):
            condition = node.condition
            if self._body.is_source_divergent(condition, self._body.block_in(node)):
                return "Only one of its sources is defined, and that one is convergent."
            return (
                f"All invocations take the same branch on {self._source_name(condition)}, "
                "and the values of both are convergent."
            )
        if isinstance(node, Loop) and node in self._body.break_causes:
            return "The loop does not change the value, so that it does not matter who leaves it when."
        if isinstance(node, Loop):
            return "All invocations leave the loop in the same turn, with a convergent value."
        return "All its sources are convergent."

    def _why_intrinsic_converges(self, instr: IntrinsicInstr) -> str:
        body = self._body
        rule = body.dependences.rule(instr)
        sentence = f"{self._intrinsic(instr)} {rule.convergent_because or 'is the same for all invocations'}"
        if body.options.vertex and rule.one_per_primitive:
            sentence += " of one primitive"
        counted = body.dependences.of(instr).sources
        if counted:
            sentence += (
                ": one of its sources is convergent"
                if rule.all_must_diverge
                else ": its sources are convergent"
            )
        return sentence + "."

    # -- Names as printed in the dump

    def _name(self, value: Def) -> str:
        return f"ssa_{value.index}" if self._classic else f"%{value.index}"

    def _block(self, block: Block) -> str:
        return f"block_{block.index}" if self._classic else f"b{block.index}"

    def _loop(self, loop: Loop) -> str:
        header = next((node for node in loop.body if isinstance(node, Block)), None)
        return "its header" if header is None else self._block(header)

    def _source_name(self, src: Src) -> str:
        if src.def_ is not None:
            return self._name(src.def_)
        return "nothing" if src.reg is None else f"r{src.reg.index}"

    def _intrinsic(self, instr: IntrinsicInstr) -> str:
        return _quoted(instr.name if self._classic else f"@{instr.name}")

    def _instruction(self, instr: Instr) -> str:
        if isinstance(instr, IntrinsicInstr):
            return self._intrinsic(instr)
        if isinstance(instr, DerefInstr):
            return _quoted(f"&{instr.var_name}" if instr.deref_kind == "var" else f"deref_{instr.deref_kind}")
        return f"`{instr.kind}`"


def _quoted(name: str) -> str:
    """Quote a name as code, safely for names with a backtick."""
    return "`" + name.replace("`", "'") + "`"


def _way_to(node: _Node, came_by: dict[_Node, tuple[_Node, Reason] | None]) -> list[Reason]:
    way: list[Reason] = []
    step = came_by[node]
    while step is not None:
        way.append(step[1])
        step = came_by[step[0]]
    return way[::-1]
