"""Why a value is divergent, down to the root cause, and why a value is convergent."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.control_flow import Block, If, Loop
from nirls.ir.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.shader import Dialect, Shader
from nirls.ir.values import Def, RegDest, Register, Src


@dataclass(frozen=True, slots=True)
class Reason:
    """One step of an explanation.

    `subject` is the instruction or block it speaks about (None for a number that is defined nowhere, and
    for a register), `value` the divergent value of that step where it is one. `sentence` is complete and
    names values and blocks as the dump does.
    """

    subject: Instr | Block | None
    sentence: str
    value: Def | None = None


@dataclass(frozen=True, slots=True)
class _LeftApart:
    """That invocations leave a loop, or its turns, at different times."""

    loop: Loop
    jump_kind: str


# What a step of an explanation leads to: a value, a loop, a register, or nothing more for a root cause.
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
        """The shortest chain from a divergent value to a root cause; empty for a convergent value."""
        return self._chain_from(value) or []

    def chains(self, value: Def) -> list[list[Reason]]:
        """For each direct cause its shortest chain, the shortest first; causes that lead back to the
        value itself only are left out."""
        found = []
        for reason, node in self._causes(value):
            rest = [] if node is None else self._chain_from(node, avoiding=value)
            if rest is not None:
                found.append([reason, *rest])
        return sorted(found, key=len)

    def _chain_from(self, start: _Node, avoiding: _Node | None = None) -> list[Reason] | None:
        """Breadth first from a node to the nearest root cause, past no node twice; None if there is none."""
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

    def _causes_of_sources(self, instr: Instr, value: Def, sources: object) -> list[_Cause]:
        causes: list[_Cause] = []
        seen: set[_Node] = set()
        assert isinstance(sources, list | tuple)
        for src in sources:
            found = self._cause_of_source(instr, value, src, instr.block)
            if found is not None and found[1] is not None and found[1] not in seen:
                seen.add(found[1])
                causes.append(found)
        return causes

    def _cause_of_source(self, instr: Instr, value: Def, src: Src, block: Block | None) -> _Cause | None:
        """The step from a value to the source that makes it divergent; None for a convergent source."""
        body = self._body
        prefix = f"{self._name(value)} ({_operation(instr)}): source "
        source = src.def_
        if source is None:
            register = src.reg
            if register is None or not body.is_source_divergent(src, block):
                return None
            if register not in body.registers and src.reg_indirect is not None:
                return self._cause_of_source(instr, value, src.reg_indirect, block)
            return Reason(instr, f"{prefix}r{register.index} is divergent", value), register
        if source in body.divergent:
            return Reason(instr, f"{prefix}{self._name(source)} is divergent", value), source
        loop = body.loop_left_apart(source, block)
        if loop is not None:
            sentence = (
                f"{prefix}{self._name(source)} comes out of the loop at {self._loop(loop)}, "
                "which invocations leave in different turns"
            )
            return Reason(instr, sentence, value), _LeftApart(loop, "break")
        goto = body.divergent_goto
        if goto is not None and body.crosses_goto(source, block):
            sentence = f"{prefix}{self._name(source)} crosses blocks past a divergent goto"
            return Reason(instr, sentence, value), goto.sources[0].def_
        return None

    def _causes_of_phi(self, phi: PhiInstr, value: Def) -> list[_Cause]:
        body = self._body
        causes: list[_Cause] = []
        node = body.merged_split(phi)
        if node is not None:
            causes.append(self._cause_of_condition(node, phi, value, "merges the branches of"))
        for loop, kind, what in (
            (body.split_break(phi), "break", "follows"),
            (body.split_continue(phi), "continue", "stands at the header of"),
        ):
            if loop is not None:
                sentence = (
                    f"{self._name(value)}: the phi {what} the loop at {self._loop(loop)}, "
                    f"which has a divergent {kind}"
                )
                causes.append((Reason(phi, sentence, value), _LeftApart(loop, kind)))
        for src in phi.sources:
            cause = self._cause_of_source(phi, value, src, src.pred)
            if cause is not None:
                causes.append(cause)
        if not causes and body.divergent_goto is not None:
            sentence = f"{self._name(value)}: the phi stands in a function with a divergent goto"
            causes.append((Reason(phi, sentence, value), body.divergent_goto.sources[0].def_))
        if not causes:
            around = body.split_around(phi.block)
            if around is not None:
                causes.append(self._cause_of_split(around, phi, value, "the phi stands under"))
        return causes

    def _cause_of_condition(self, node: If, phi: PhiInstr, value: Def, what: str) -> _Cause:
        condition = node.condition
        sentence = (
            f"{self._name(value)}: the phi {what} the if on {self._source_name(condition)}, "
            "whose condition is divergent"
        )
        return Reason(phi, sentence, value), self._node_of_condition(node)

    def _node_of_condition(self, node: If) -> _Node | None:
        """What makes the condition of an if divergent."""
        body, condition = self._body, node.condition
        if condition.def_ is None:
            return condition.reg
        if condition.def_ in body.divergent:
            return condition.def_
        block = next((inner for inner in node.then_body if isinstance(inner, Block)), None)
        loop = body.loop_left_apart(condition.def_, block)
        return None if loop is None else _LeftApart(loop, "break")

    def _cause_of_split(
        self, split: If | Loop, subject: Instr | None, value: Def | None, what: str
    ) -> _Cause:
        prefix = "" if value is None else f"{self._name(value)}: "
        if isinstance(split, If):
            sentence = f"{prefix}{what} the if on {self._source_name(split.condition)}, which is divergent"
            return Reason(subject, sentence, value), self._node_of_condition(split)
        kind = "break" if split in self._body.break_causes else "continue"
        sentence = f"{prefix}{what} the loop at {self._loop(split)}, which has a divergent {kind}"
        return Reason(subject, sentence, value), _LeftApart(split, kind)

    def _causes_of_leaving(self, leaving: _LeftApart) -> list[_Cause]:
        body = self._body
        causes = body.break_causes if leaving.jump_kind == "break" else body.continue_causes
        cause = causes.get(leaving.loop)
        if cause is None:
            return []
        block = cause.jump.block
        where = "" if block is None else f" in {self._block(block)}"
        if isinstance(cause.split, If):
            sentence = (
                f"the {leaving.jump_kind}{where} is taken by some invocations only: "
                f"condition {self._source_name(cause.split.condition)} is divergent"
            )
            return [(Reason(cause.jump, sentence), self._node_of_condition(cause.split))]
        sentence = (
            f"the {leaving.jump_kind}{where} is reached by some invocations only: "
            "others went on to the next turn before"
        )
        return [(Reason(cause.jump, sentence), _LeftApart(cause.split, "continue"))]

    def _causes_of_register(self, register: Register) -> list[_Cause]:
        causes: list[_Cause] = []
        for dest in register.writes:
            instr = dest.instr
            if instr is None or instr.block not in self._body.block_flags:
                continue
            causes += self._causes_of_write(register, dest, instr)
        return causes

    def _causes_of_write(self, register: Register, dest: RegDest, instr: Instr) -> list[_Cause]:
        name = f"r{register.index}"
        where = "" if instr.block is None else f" in {self._block(instr.block)}"
        around = self._body.split_around(instr.block)
        causes: list[_Cause] = []
        if around is not None:
            causes.append(self._cause_of_split(around, instr, None, f"{name} is written{where} under"))
        if isinstance(instr, ParallelCopyInstr):
            sources = [src for to, src in zip(instr.dests, instr.sources, strict=False) if to is dest]
        else:
            dependence = self._body.dependences.of(instr)
            if dependence.because:
                sentence = f"{name} is written{where}: {self._instruction(instr)} {dependence.because}"
                return [(Reason(instr, sentence), None)]
            sources = list(dependence.sources)
        if dest.indirect is not None:
            sources.append(dest.indirect)
        for src in sources:
            if not self._body.is_source_divergent(src, instr.block):
                continue
            sentence = f"{name} is written{where} with {self._source_name(src)}, which is divergent"
            target: _Node | None = src.def_ if src.def_ is not None else src.reg
            if src.def_ is not None and src.def_ not in self._body.divergent:
                loop = self._body.loop_left_apart(src.def_, instr.block)
                target = None if loop is None else _LeftApart(loop, "break")
            causes.append((Reason(instr, sentence), target))
        return causes

    # -- Convergent values

    def why_convergent(self, value: Def) -> str:
        """A sentence about a convergent value; empty for a divergent one."""
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
            return f"`{instr.var_name or 'the variable'}` of mode {instr.mode} is the same object for all."
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
            if self._body.is_source_divergent(condition, node.then_body[0] if node.then_body else None):  # type: ignore[arg-type]
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

    # -- Names as the dump writes them

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
        return f"`{instr.name}`" if self._classic else f"`@{instr.name}`"

    def _instruction(self, instr: Instr) -> str:
        if isinstance(instr, IntrinsicInstr):
            return self._intrinsic(instr)
        if isinstance(instr, DerefInstr):
            return f"`&{instr.var_name}`" if instr.deref_kind == "var" else f"`deref_{instr.deref_kind}`"
        return f"`{instr.kind}`"


def _operation(instr: Instr) -> str:
    """The opcode, name or kind of an instruction."""
    match instr:
        case AluInstr() | TexInstr():
            return instr.op
        case IntrinsicInstr():
            return instr.name
        case DerefInstr():
            return f"deref_{instr.deref_kind}"
    return instr.kind


def _way_to(node: _Node, came_by: dict[_Node, tuple[_Node, Reason] | None]) -> list[Reason]:
    way: list[Reason] = []
    step = came_by[node]
    while step is not None:
        way.append(step[1])
        step = came_by[step[0]]
    return way[::-1]
