"""Proof that two functions compute the same: the walk through both, and the comparison of what they do."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from functools import partial

from nirls.ir.effects import effects_of
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src, TexSrc
from nirls.verification.proof.algebra import Algebra
from nirls.verification.proof.alu import AluNumbers
from nirls.verification.proof.cell_contents import CellContents
from nirls.verification.proof.chains import DISCARDS, Chain
from nirls.verification.proof.context import (
    Context,
    StoredComponent,
    StoredVaryings,
    Varyings,
)
from nirls.verification.proof.events import Events
from nirls.verification.proof.intrinsics import Intrinsics
from nirls.verification.proof.linked_inputs import LinkedInputs
from nirls.verification.proof.private_variables import PRIVATE_MODES
from nirls.verification.proof.slot_places import SlotPlace, has_plain_flags, is_varying
from nirls.verification.proof.surroundings import ambiguous_names, declaration
from nirls.verification.proof.values import Number, UnprovedError, Values

MakeAlgebra = Callable[[Values, FloatControls], Algebra]

_MOST_ROUNDS = 40
_OPAQUE = re.compile("texture|sampler")


class BodyProof:
    """The numbering of two functions, 0 before and 1 after.

    `flattens` is as for `ChainFlow`. Without `algebra`, operations have no normal form.
    """

    def __init__(
        self,
        context: Context,
        impls: tuple[FunctionImpl, FunctionImpl],
        *,
        flattens: bool = False,
        algebra: MakeAlgebra | None = None,
    ) -> None:
        self.context = context
        self.impls = impls
        self.ambiguous = ambiguous_names([side.shader for side in context.sides], impls)
        sides = list(zip(context.sides, impls, strict=True))
        private = [side.private(impl, context.is_alone, self.ambiguous) for side, impl in sides]
        self.flows = [
            side.flow(impl, own, flattens) for (side, impl), own in zip(sides, private, strict=True)
        ]
        self.pair_of: tuple[dict[Chain, int], ...] = ({}, {})
        self.pairs: list[tuple[Chain, Chain]] = []
        self.order = self._correspondence()
        self.values = Values()
        self.algebra = None if algebra is None else algebra(self.values, context.controls)
        self.alu = AluNumbers(self.values, context.controls, self.algebra)
        self.contents = [CellContents(variables, self.values, side) for side, variables in enumerate(private)]
        self.linked = [] if context.stored is None else self._linked_inputs(context.stored)
        self.intrinsics = [
            Intrinsics(context, self.values, contents, side, linked)
            for side, (contents, linked) in enumerate(
                zip(self.contents, self.linked or (None, None), strict=True)
            )
        ]
        self.events: list[tuple[Events, Events]] = []

    def _linked_inputs(self, stored: tuple[StoredVaryings, StoredVaryings]) -> list[LinkedInputs]:
        leaves = {varying.number for varying in stored[0].varyings.values()}
        may_round = 32 in self.context.controls.approximates
        return [
            LinkedInputs(
                *(varyings, leaves, self.values, self.alu, side),
                partial(self._visit, side=side, events=Events(-1)),
                may_round=may_round,
            )
            for side, varyings in enumerate(stored)
        ]

    def _correspondence(self) -> list[int]:
        """Pair the chains of both sides from the entries on; return the pairs in reverse postorder."""
        done: list[int] = []
        stack = [(self._pair(self.flows[0].entry, self.flows[1].entry), 0)]
        while stack:
            pair, number = stack.pop()
            exits = [flow.exits(chain) for flow, chain in zip(self.flows, self.pairs[pair], strict=True)]
            if len(exits[0]) != len(exits[1]):
                raise UnprovedError
            if number == len(exits[0]):
                done.append(pair)
                continue
            stack.append((pair, number + 1))
            blocks, other = exits[0][number], exits[1][number]
            known = self.pair_of[0].get(blocks), self.pair_of[1].get(other)
            if known == (None, None):
                stack.append((self._pair(blocks, other), 0))
            elif known[0] != known[1]:
                raise UnprovedError
        return done[::-1]

    def _pair(self, one: Chain, other: Chain) -> int:
        number = len(self.pairs)
        self.pairs.append((one, other))
        self.pair_of[0][one] = self.pair_of[1][other] = number
        return number

    @property
    def is_flattened(self) -> bool:
        """Whether any if is flattened or left out."""
        return any(flow.is_flattened for flow in self.flows)

    def holds(self) -> bool:
        """Number up to a fixed point, and compare what the numbers stand for.

        Raises `UnprovedError` if no normal form of operations can make both agree.
        """
        return self.reaches_fixed_point() and self._agrees()

    def reaches_fixed_point(self) -> bool:
        """Number in rounds until nothing changes; False if that takes too many or uses are not dominated."""
        sides = zip(self.context.sides, self.impls, strict=True)
        if not all(side.dominates_uses(impl) for side, impl in sides):
            return False
        for _ in range(_MOST_ROUNDS):
            self.events = [(Events(pair), Events(pair)) for pair in range(len(self.pairs))]
            for linked in self.linked:
                linked.start_round()
            for linked in self.linked:
                linked.kept = self.linked[1].shared_numbers()
            for pair in self.order:
                for side in (0, 1):
                    self._walk(side, pair)
            is_stable = self.values.is_stable() and all(content.is_stable() for content in self.contents)
            if is_stable or not self.values.reads_last_round:
                return True
            self.values.end_round()
            self.values.start_round()
            for content in self.contents:
                content.end_round()
                content.start_round()
            if self.algebra is not None:
                self.algebra.start_round()
        return False

    def changed_branches(self) -> tuple[set[Block], set[Block]]:
        """Return the blocks of each side that end by another condition, or in other loops, than its twin.

        Raises `UnprovedError` for a condition without a number.
        """
        pairs = [
            pair
            for number, pair in enumerate(self.pairs)
            if self.values.has_open_phis or self._end(0, number) != self._end(1, number)
        ]
        return {before[-1] for before, _ in pairs}, {after[-1] for _, after in pairs}

    def outputs(self) -> tuple[dict[Hashable, Number], dict[Hashable, Number]] | None:
        """Return what the outputs of both sides hold at the end; None if that is not certain."""
        ends = [pair for pair, sides in enumerate(self.pairs) if not self.flows[0].exits(sides[0])]
        if len(ends) != 1 or not all(content.private.has_outputs for content in self.contents):
            return None
        before, after = (content.outputs(ends[0]) for content in self.contents)
        return before, after

    def stored(self) -> tuple[StoredVaryings, StoredVaryings] | None:
        """Return what both sides store to varyings by the end; None if that is not certain."""
        outputs = self.outputs()
        if outputs is None:
            return None
        before, after = (self._stored(side, held) for side, held in enumerate(outputs))
        return None if before is None or after is None else (before, after)

    def _stored(self, side: int, outputs: dict[Hashable, Number]) -> StoredVaryings | None:
        varyings: Varyings = {}
        for output, number in outputs.items():
            if not isinstance(output, SlotPlace):
                return None
            if is_varying(output):
                constant = self.values.constants.get(number)
                value = StoredComponent(number, None if constant is None else constant[0])
                if not has_plain_flags(output) or varyings.setdefault(output[:2], value) != value:
                    return None
        straight = (block for block, loops in self.flows[side].loops.items() if not loops)
        defs = (instr.def_ for block in straight for instr in block if instr.def_ is not None)
        now = self.values.now
        numbers = {value: now[value] for value in defs if value in now}
        return StoredVaryings(self.context.sides[side], varyings, numbers)

    # Comparison

    def _agrees(self) -> bool:
        if self.values.has_open_phis:
            return False
        for pair, (before, after) in enumerate(self.events):
            if not before.may_correspond(after):
                raise UnprovedError
            ends = [self._end(side, pair) for side in (0, 1)]
            if ends[0] != ends[1] or not before.corresponds(after) or not self._same_outputs(pair):
                return False
        # An exact operation may not become inexact: none after may lack a word that one before has.
        words = self.values.words
        return all(limits <= words[1].get(number, limits) for number, limits in words[0].items())

    def _end(self, side: int, pair: int) -> Hashable:
        """Return the loops around the end of a chain, whether it halts, and what selects the exit."""
        flow, chain = self.flows[side], self.pairs[pair][side]
        loops = tuple(self.pair_of[side][flow.chain_of[header]] for header in flow.loops[chain[0]])
        condition = flow.condition(chain)
        return loops, flow.halts(chain), None if condition is None else self.values.read(condition)

    def _same_outputs(self, pair: int) -> bool:
        """Whether outputs agree at the end of the shader; True for chains that do not end it."""
        if any(flow.exits(chain) for flow, chain in zip(self.flows, self.pairs[pair], strict=True)):
            return True
        before, after = (content.outputs(pair) for content in self.contents)
        undefined = self.values.undefined_numbers()
        may_appear = not self.context.new_outputs_count and self.context.stage is not Stage.FRAGMENT
        for output in before.keys() | after.keys():
            if self.context.feeds_next and is_varying(output):
                continue
            old, new = before.get(output), after.get(output)
            disappears = old in undefined and new is None
            appears = old is None and new in undefined and may_appear
            if old != new and not disappears and not appears:
                return False
        return True

    # Instructions

    def _walk(self, side: int, pair: int) -> None:
        """Visit the instructions of a chain."""
        flow, chain, contents = self.flows[side], self.pairs[pair][side], self.contents[side]
        preds = [self.pair_of[side][flow.chain_of[pred]] for pred in flow.preds[chain[0]]]
        contents.arrive(pair, preds, is_entry=chain == flow.entry)
        events = self.events[pair][side]
        for block in chain:
            for instr in block:
                self._visit(instr, side, events)
        contents.leave(pair)

    def _visit(self, instr: Instr, side: int, events: Events) -> None:
        if instr.reg_dest is not None:
            raise UnprovedError
        values, contents = self.values, self.contents[side]
        if isinstance(instr, AluInstr) and instr.def_ is not None:
            plan = self.context.sides[side].plan(instr, instr.def_)
            values.now[instr.def_] = self.alu.numbers(plan, instr.def_, side, events)
            return
        if contents.private.accesses(instr):
            if isinstance(instr, IntrinsicInstr):
                self.intrinsics[side].access(instr, events)
            return
        if isinstance(instr, IntrinsicInstr) and (slots := contents.private.slots_stored(instr)):
            contents.write(slots, contents.masked(instr))
            return
        if isinstance(instr, IntrinsicInstr) and instr.name in DISCARDS:
            guard = None if instr.block is None else self.flows[side].guards.get(instr.block)
            self.intrinsics[side].discard(instr, guard, events)
            return
        if isinstance(instr, IntrinsicInstr | CallInstr):
            self.intrinsics[side].visit(instr, events)
            return
        if isinstance(instr, JumpInstr):
            return
        if instr.def_ is None:
            raise UnprovedError
        values.now[instr.def_] = tuple(self._result(instr, instr.def_, side, events))

    def _result(self, instr: Instr, value: Def, side: int, events: Events) -> Sequence[Number]:
        """Return the numbers of the result of an instruction without an effect."""
        values, rows = self.values, range(value.num_components)
        match instr:
            case PhiInstr():
                return self._phi(instr, value, side, events.pair)
            case LoadConstInstr():
                return [
                    values.constant(value, row, bits, value.bit_size) for row, bits in enumerate(instr.values)
                ]
            case UndefInstr():
                return [values.undefined_value(value, row, value.bit_size) for row in rows]
            case DerefInstr():
                key = self._deref_key(instr)
            case TexInstr():
                key = self._texture_key(instr, _place(instr, events))
            case _:
                raise UnprovedError
        numbers = values.rows(value, [(key, row) for row in rows])
        values.taint_by(numbers, instr.srcs())
        return numbers

    def _deref_key(self, instr: DerefInstr) -> Hashable:
        if instr.deref_kind == "var" and (instr.var is None or instr.var.name in self.ambiguous):
            raise UnprovedError
        index: Hashable = instr.constant_index
        if index is None and instr.index is not None:
            index = ("index", self.values.read(instr.index))
        return (
            *(instr.deref_kind, self._mode(instr.mode), instr.type_name, instr.field, instr.cast_info),
            None if instr.var is None else declaration(instr.var, self._mode(instr.var.mode)),
            None if instr.parent is None else self.values.read(instr.parent),
            index,
        )

    def _mode(self, mode: str) -> str:
        return "temporary" if self.context.is_alone and mode in PRIVATE_MODES else mode

    def _texture_key(self, instr: TexInstr, place: Hashable) -> Hashable:
        sources = sorted((src.kind, self.values.read(_without_cast(src))) for src in instr.sources)
        numbers = (instr.texture_index, instr.sampler_index, instr.component, instr.offsets)
        return (instr.op, instr.dest_type, instr.flags, numbers, tuple(sources), place)

    def _phi(self, instr: PhiInstr, value: Def, side: int, pair: int) -> Sequence[Number]:
        flow, block = self.flows[side], instr.block
        if block is None:
            raise UnprovedError
        if len({src.def_ for src in instr.sources}) == 1:
            return self.values.read(instr.sources[0])
        selection = flow.selections.get(block)
        if selection is not None:
            condition = self.values.read(selection.condition)[0]
            chosen = [instr.src_for(last) for last in (selection.then, selection.otherwise)]
            if selection.condition.def_ is None or chosen[0] is None or chosen[1] is None:
                raise UnprovedError
            choices = [self.values.read(src) for src in chosen if src is not None]
            return self.alu.selected(value, side, condition, selection.condition.def_.bit_size, choices)
        arriving: dict[int, Sequence[Number] | None] = {}
        for pred in flow.preds[block]:
            src = instr.src_for(pred)
            if src is None or src.def_ is None:
                raise UnprovedError
            arriving[self.pair_of[side][flow.chain_of[pred]]] = self.values.read_at_head(src.def_)
        sizes = [value.bit_size] * value.num_components
        return self.values.joined(arriving, pair, sizes, [(value, row) for row in range(len(sizes))])


def _place(instr: Instr, events: Events) -> Hashable:
    """Return the place of an instruction among the hard events, if its result depends on that."""
    return events.place() if effects_of(instr).crosses_lanes else None


def _without_cast(src: TexSrc) -> Src:
    """Return the deref of a texture or sampler behind casts that keep its dimensions."""
    found: Src = src
    while src.kind in ("texture_deref", "sampler_deref"):
        cast = found.def_instr
        if not isinstance(cast, DerefInstr) or cast.deref_kind != "cast" or cast.parent is None:
            break
        inner = cast.parent_deref
        if inner is None or inner.mode != cast.mode:
            break
        dimensions = [_OPAQUE.sub("", deref.type_name) for deref in (cast, inner)]
        if dimensions[0] not in ("", dimensions[1]):
            break
        found = cast.parent
    return found
