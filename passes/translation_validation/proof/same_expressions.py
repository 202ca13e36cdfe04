"""Proof that two shaders compute the same, by numbering the values of both at once.

Two values have the same number if they are the same operation on values with the same numbers. If all
branches, stores and other instructions with effects correspond one to one and read values with the same
numbers, every execution of one shader is an execution of the other, whatever the operations mean. This
decides what runs cannot: operations without a known meaning, undefined values, code that is never reached. It
proves nothing where a pass replaces a computation by another one.

The numbering is Simpson's reverse postorder algorithm ("Value-Driven Redundancy Elimination", 1996); the use
for validation is that of Tristan, Govereau and Morrisett ("Evaluating Value-Graph Translation Validation for
LLVM", PLDI 2011). Only Mesa's tables say what may be removed and repeated; what they do not list may not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeGuard

import numpy as np

from nirls.ir.analysis.dominance import def_dominates_use, dominance, instr_order
from nirls.ir.effects import can_eliminate, can_reorder, effects_of, is_read_only
from nirls.ir.evaluate.alu import UnsupportedOpcode, evaluate_alu
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
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
from nirls.ir.model.io_semantics import XfbOutputs
from nirls.ir.model.math_control import MATH_CONTROL_WORDS
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def, Src, TexSrc
from nirls.ir.tables import opcode
from nirls.passes.translation_validation.proof.chains import Chain, ChainFlow, UnprovedError
from nirls.passes.translation_validation.proof.private_variables import (
    PRIVATE_MODES,
    Cell,
    Place,
    PrivateVariables,
)
from nirls.passes.translation_validation.proof.slot_places import (
    InputPlace,
    SlotPlace,
    has_plain_flags,
    input_places,
    is_finite,
    is_varying,
    places_of_access,
)

_GATHERED = (
    *("flrp_lowered", "io_lowered", "inputs", "outputs", "uniforms", "name", "label", "internal"),
    *("inputs_", "outputs_", "patch_", "per_primitive_", "system_values_", "bit_sizes_", "num_", "textures_"),
    *("images_", "samplers_", "known_interpolation", "needs_", "uses_", "writes_memory", "source_"),
    *("divergence", "perspective_varyings", "linear_varyings", "tcs_cross_", "tcs_same_", "io_", "scratch"),
)
"""Starts of header fields that describe the code, and are gathered from it."""

_REQUESTED = frozenset(("uses_sample_shading",))
"""Fields with such a start that the API may set: this one makes a fragment shader run for each sample."""

_OF_WHOLE_SLOTS = frozenset(("base", "component", "range", "write_mask"))
_MOST_ROUNDS = 40
_OPAQUE = re.compile("texture|sampler")
_COPIES = frozenset(("mov", "imov", "fmov", "vec2", "vec3", "vec4", "vec5", "vec8", "vec16"))
_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))
_CONDITIONAL = frozenset(("demote_if", "discard_if", "terminate_if"))

Number = int
_InputKey = tuple[str, str, Hashable, SlotPlace]
"""`input`, the load, the numbers of its other sources, and the place."""

_LINKED = ([Stage.VERTEX, Stage.FRAGMENT], [Stage.TESS_EVAL, Stage.FRAGMENT])


def same_expressions(before: Shader, after: Shader, *, new_outputs_count: bool = True) -> bool:
    """Return whether both shaders have the same effects on the same values; False if that is not certain.

    The store of an undefined value to an output may be missing after; without `new_outputs_count`, it may be
    new too.
    """
    context = _context(before, after, new_outputs_count)
    return context is not None and all(_proof(context, impls) is not None for impls in context.bodies)


def same_linked_expressions(before: Sequence[Shader], after: Sequence[Shader]) -> bool:
    """Return whether a fragment shader and the stage in front of it have the same effects as before.

    Varyings may change their slots, be shared or disappear: a load of one is an interpolation of the value
    that the first stage stores, and interpolation depends on the values at the vertices and on how it is
    done, not on the slot. False if the result is not certain.
    """
    if [shader.stage for shader in before] not in _LINKED or len(after) != len(before):
        return False
    contexts = [_context(*sides, new_outputs_count=True) for sides in zip(before, after, strict=True)]
    producer, consumer = contexts
    if producer is None or consumer is None or len(producer.bodies) != 1 or len(consumer.bodies) != 1:
        return False
    first = _proof(replace(producer, feeds_next=True), producer.bodies[0])
    values = None if first is None else first.varyings()
    if values is None:
        return False
    return _proof(replace(consumer, varyings=values), consumer.bodies[0]) is not None


def _context(before: Shader, after: Shader, new_outputs_count: bool) -> _Context | None:
    """Return what a proof needs to know of two shaders; None if they differ outside of the bodies."""
    if before is after:
        # Values are numbered by their defs, and linking may give those of one side other numbers.
        after = clone_shader(after)
    if before.stage is not after.stage or any(
        shader.damage or shader.unreadable for shader in (before, after)
    ):
        return None
    if _surroundings(before) != _surroundings(after) or not _declares_alike(before, after):
        return None
    functions = [_functions_that_run(shader) for shader in (before, after)]
    if [_header(one) for one in functions[0]] != [_header(one) for one in functions[1]]:
        return None
    bodies = tuple(
        (one.impl, other.impl)
        for one, other in zip(*functions, strict=True)
        if one.impl is not None and other.impl is not None
    )
    return _Context((before, after), bodies, FloatControls.of(before), new_outputs_count)


class _Varying(NamedTuple):
    """The value that the stage in front stores to a component; `bits` if it is a constant."""

    number: Number
    bits: int | None


@dataclass(frozen=True, slots=True)
class _Context:
    """What a proof knows of the shaders around two bodies.

    With `feeds_next`, varyings are no results: `varyings` of the proof of the next stage has their values, by
    slot and component, on either side.
    """

    shaders: tuple[Shader, Shader]
    bodies: tuple[tuple[FunctionImpl, FunctionImpl], ...]
    controls: FloatControls
    new_outputs_count: bool
    feeds_next: bool = False
    varyings: tuple[dict[tuple[int, int], _Varying], ...] | None = None

    @property
    def is_alone(self) -> bool:
        """Whether only one function runs."""
        return len(self.bodies) == 1


def _proof(context: _Context, impls: tuple[FunctionImpl, FunctionImpl]) -> _Proof | None:
    """Compare two bodies, with all ifs and without those that do nothing; None if they may differ."""
    # Invalid instructions may have too few sources.
    with suppress(UnprovedError, IndexError):
        sides = _private_variables(context, impls)
        for skips_dead_ifs in (False, True):
            flows = [ChainFlow(*side, skips_dead_ifs) for side in zip(impls, sides, strict=True)]
            if skips_dead_ifs and not any(flow.has_dead_ifs for flow in flows):
                return None
            with suppress(UnprovedError, IndexError):
                proof = _Proof(context, impls, sides, flows)
                if proof.holds():
                    return proof
    return None


def _private_variables(
    context: _Context, impls: tuple[FunctionImpl, FunctionImpl]
) -> tuple[PrivateVariables, ...]:
    ambiguous = _ambiguous_names(context.shaders, impls)
    return tuple(
        PrivateVariables(shader, impl, shader_temps=context.is_alone, ambiguous=ambiguous)
        for shader, impl in zip(context.shaders, impls, strict=True)
    )


def _ambiguous_names(shaders: Sequence[Shader], impls: Sequence[FunctionImpl]) -> set[str]:
    """Return the names that several variables of a side have."""
    found: set[str] = set()
    for shader, impl in zip(shaders, impls, strict=True):
        names = Counter(variable.name for variable in (*shader.variables, *impl.locals))
        found |= {name for name, times in names.items() if times > 1}
    return found


def _functions_that_run(shader: Shader) -> list[Function]:
    """Return the functions that the entry points call, directly or not; all if that is not certain."""
    waiting = [one for one in shader.functions if one.is_entrypoint]
    reached: set[Function] = set()
    while waiting:
        function = waiting.pop()
        if function in reached:
            continue
        reached.add(function)
        for instr in () if function.impl is None else function.impl.instrs():
            if isinstance(instr, CallInstr):
                if instr.is_indirect or instr.callee is None:
                    return shader.functions
                waiting.append(instr.callee)
    return [one for one in shader.functions if one in reached] if reached else shader.functions


def _header(function: Function) -> Hashable:
    return function.name, function.params, function.is_entrypoint, function.impl is None


def _surroundings(shader: Shader) -> Hashable:
    """Return everything outside of functions and variables that affects results."""
    return frozenset(
        (item.key, item.value)
        for item in shader.header
        if item.key in _REQUESTED or not item.key.startswith(_GATHERED)
    )


def _declares_alike(before: Shader, after: Shader) -> bool:
    """Whether inputs and outputs of the same name that both sides access are declared alike.

    A variable that one side accesses, or none, does not matter: each access says what it accesses.
    """
    interfaces = [_accessed_interface(shader) for shader in (before, after)]
    return all(declared == interfaces[1].get(name, declared) for name, declared in interfaces[0].items())


def _accessed_interface(shader: Shader) -> dict[tuple[str, str], Hashable]:
    """Return the declarations of the inputs and outputs that derefs lead to."""
    accessed = (instr.var for instr in shader.instrs() if isinstance(instr, DerefInstr))
    return {
        (variable.mode, variable.name): _declared(variable, variable.mode)
        for variable in accessed
        if variable is not None and variable.mode in ("shader_in", "shader_out")
    }


def _declared(variable: Variable, mode: str) -> Hashable:
    return (
        *(variable.name, mode, variable.type_name, variable.interpolation, variable.precision),
        *(variable.qualifiers, variable.access, variable.image_format, variable.location),
        *(variable.driver_location, variable.data, variable.trailing, variable.initializer),
    )


@dataclass(slots=True)
class _Events:
    """The events of a chain, in order: hard ones must correspond, soft ones may be missing on one side."""

    hard: list[Hashable] = field(default_factory=list)
    soft: list[Hashable] = field(default_factory=list)
    times: Counter[Hashable] = field(default_factory=Counter)

    def in_order(self, keys: Sequence[Hashable], pair: int) -> list[Hashable]:
        """Add soft events; return keys that tell their results from equal ones elsewhere.

        Two clocks differ, and so do two registers of the same form.
        """
        placed: list[Hashable] = []
        for key in keys:
            at = (key, pair, len(self.hard))
            self.times[at] += 1
            placed.append((at, self.times[at]))
        self.soft += placed
        return placed


class _Proof:
    """The numbering of two functions, 0 before and 1 after."""

    def __init__(
        self,
        context: _Context,
        impls: tuple[FunctionImpl, FunctionImpl],
        private: Sequence[PrivateVariables],
        flows: Sequence[ChainFlow],
    ) -> None:
        self.context = context
        self.impls = impls
        self.private = private
        self.flows = flows
        self.ambiguous = _ambiguous_names(context.shaders, impls)
        self.pair_of: tuple[dict[Chain, int], ...] = ({}, {})
        self.pairs: list[tuple[Chain, Chain]] = []
        self.order = self._correspondence()
        self.ids: dict[tuple[Hashable, int], Number] = {}
        self.last: dict[Def, tuple[Number, ...]] = {}
        self.last_contents: tuple[dict[int, list[Number]], ...] = ({}, {})
        self._start_round()

    def _start_round(self) -> None:
        self.now: dict[Def, tuple[Number, ...]] = {}
        # Cells of private variables: at the end of each chain, and at the current instruction.
        self.contents: tuple[dict[int, list[Number]], ...] = ({}, {})
        self.content: list[Number] = []
        self.table: dict[Hashable, Number] = {}
        self.constants: dict[Number, tuple[int, int]] = {}
        self.events = [(_Events(), _Events()) for _ in self.pairs]
        self.words: tuple[dict[Number, frozenset[str]], ...] = ({}, {})
        self.has_open_phis = False
        self.reads_last_round = False
        self.initial = tuple(self._initial_content(side) for side in (0, 1))

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
            one, other = exits[0][number], exits[1][number]
            known = self.pair_of[0].get(one), self.pair_of[1].get(other)
            if known == (None, None):
                stack.append((self._pair(one, other), 0))
            elif known[0] != known[1]:
                raise UnprovedError
        return done[::-1]

    def _pair(self, one: Chain, other: Chain) -> int:
        number = len(self.pairs)
        self.pairs.append((one, other))
        self.pair_of[0][one] = self.pair_of[1][other] = number
        return number

    def holds(self) -> bool:
        """Number up to a fixed point, and compare what the numbers stand for."""
        if not all(map(_dominates_uses, self.impls)):
            return False
        for _ in range(_MOST_ROUNDS):
            for pair in self.order:
                for side in (0, 1):
                    self.content = self._arriving_content(side, pair)
                    for block in self.pairs[pair][side]:
                        for instr in block:
                            self._visit(instr, side, pair)
                    self.contents[side][pair] = self.content
            is_stable = self.now == self.last and self.contents == self.last_contents
            if is_stable or not self.reads_last_round:
                return self._agrees()
            self.last, self.last_contents = self.now, self.contents
            self._start_round()
        return False

    def _agrees(self) -> bool:
        if self.has_open_phis:
            return False
        for pair, (before, after) in enumerate(self.events):
            if before.hard != after.hard:
                return False
            expected = iter(before.soft)
            if not all(number in expected for number in after.soft):
                return False
            if not self._same_outputs(pair):
                return False
            ends = []
            for side, flow in enumerate(self.flows):
                chain = self.pairs[pair][side]
                condition = flow.condition(chain)
                loops = [self.pair_of[side][flow.chain_of[header]] for header in flow.loops[chain[0]]]
                decider = None if condition is None else self._read(condition)
                ends.append((loops, flow.halts(chain), decider))
            if ends[0] != ends[1]:
                return False
        # An exact operation may not become inexact: none after may lack a word that one before has.
        return all(words <= self.words[1].get(number, words) for number, words in self.words[0].items())

    # Numbers

    def _read(self, src: Src) -> tuple[Number, ...]:
        numbers = None if src.def_ is None else self.now.get(src.def_)
        if numbers is None:
            raise UnprovedError  # a register, or a def that does not dominate its use
        return numbers

    def _number(self, value: Hashable, component: int, key: Hashable) -> Number:
        """Return the number of a component of a value, which must have only one key in a round."""
        own = self.ids.setdefault((value, component), len(self.ids))
        return self.table.setdefault(key, own)

    def _constant(self, value: Def, component: int, bits: int) -> Number:
        number = self._number(value, component, ("constant", value.bit_size, bits))
        self.constants[number] = (bits, value.bit_size)
        return number

    def _visit(self, instr: Instr, side: int, pair: int) -> None:
        if instr.reg_dest is not None:
            raise UnprovedError
        private = self.private[side]
        if private.accesses(instr):
            if isinstance(instr, IntrinsicInstr):
                self._access(instr, side, pair)
            return
        if slots := private.slots_stored(instr):
            self._write(slots, self._masked(instr))
            return
        match instr:
            case JumpInstr():
                return
            case PhiInstr() if instr.def_ is not None:
                numbers = self._phi(instr, instr.def_, side, pair)
            case LoadConstInstr() if instr.def_ is not None:
                numbers = [self._constant(instr.def_, row, bits) for row, bits in enumerate(instr.values)]
            case AluInstr() if instr.def_ is not None:
                numbers = self._alu(instr, instr.def_, side, pair)
            case IntrinsicInstr() | CallInstr():
                self._operation(instr, side, pair)
                return
            case UndefInstr() if instr.def_ is not None:
                key = _undefined(instr.def_.bit_size)
                numbers = [self._number(instr.def_, row, key) for row in range(instr.def_.num_components)]
            case DerefInstr() | TexInstr() if instr.def_ is not None:
                key = self._key(instr, self._place(instr, side, pair))
                numbers = [
                    self._number(instr.def_, row, (key, row)) for row in range(instr.def_.num_components)
                ]
            case _:
                raise UnprovedError
        if instr.def_ is not None:
            self.now[instr.def_] = tuple(numbers)

    def _place(self, instr: Instr, side: int, pair: int) -> Hashable:
        """Return the place of an instruction among the hard events, if its result depends on that."""
        return (pair, len(self.events[pair][side].hard)) if effects_of(instr).crosses_lanes else None

    def _key(self, instr: Instr, place: Hashable) -> Hashable:
        match instr:
            case DerefInstr():
                if instr.deref_kind == "var" and (instr.var is None or instr.var.name in self.ambiguous):
                    raise UnprovedError
                index: Hashable = instr.constant_index
                if index is None and instr.index is not None:
                    index = ("index", self._read(instr.index))
                mode = self._mode(instr.mode)
                return (
                    *(instr.deref_kind, mode, instr.type_name, instr.field, instr.cast_info),
                    None if instr.var is None else _declared(instr.var, self._mode(instr.var.mode)),
                    None if instr.parent is None else self._read(instr.parent),
                    index,
                )
            case TexInstr():
                sources = sorted((src.kind, self._read(_without_cast(src))) for src in instr.sources)
                numbers = (instr.texture_index, instr.sampler_index, instr.component, instr.offsets)
                return (instr.op, instr.dest_type, instr.flags, numbers, tuple(sources), place)
        raise UnprovedError

    def _mode(self, mode: str) -> str:
        return "temporary" if self.context.is_alone and mode in PRIVATE_MODES else mode

    def _phi(self, instr: PhiInstr, value: Def, side: int, pair: int) -> list[Number]:
        flow, block = self.flows[side], instr.block
        if block is None:
            raise UnprovedError
        if len({src.def_ for src in instr.sources}) == 1:
            return list(self._read(instr.sources[0]))
        arriving: dict[int, tuple[Number, ...] | None] = {}
        for pred in flow.preds[block]:
            src = instr.src_for(pred)
            if src is None or src.def_ is None:
                raise UnprovedError
            known = self.now.get(src.def_)
            if known is None:
                self.reads_last_round, known = True, self.last.get(src.def_)
            arriving[self.pair_of[side][flow.chain_of[pred]]] = known
        sizes = [value.bit_size] * value.num_components
        return self._joined(arriving, pair, sizes, [(value, row) for row in range(value.num_components)])

    def _joined(
        self,
        arriving: Mapping[int, Sequence[Number] | None],
        pair: int,
        bit_sizes: Sequence[int],
        places: Sequence[tuple[Hashable, int]],
    ) -> list[Number]:
        """Return the numbers that a phi at the start of a chain gives to what arrives from other chains.

        `arriving` is None for a chain that was never visited. `places` identify the results.
        """
        preds = tuple(sorted(arriving))
        sides = [arriving[pred] for pred in preds]
        known = [side for side in sides if side is not None]
        if not known:
            raise UnprovedError
        self.has_open_phis |= len(known) < len(sides)
        numbers = []
        for row, (bit_size, place) in enumerate(zip(bit_sizes, places, strict=True)):
            first = known[0][row]
            if all(other[row] == first for other in known):
                numbers.append(first)
            else:
                reads = tuple(None if side is None else side[row] for side in sides)
                numbers.append(self._number(*place, ("phi", pair, bit_size, preds, reads)))
        return numbers

    def _alu(self, instr: AluInstr, value: Def, side: int, pair: int) -> list[Number]:
        width = value.num_components
        reads = [self._swizzled(src) for src in instr.sources]
        is_plain = "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources)
        if instr.op in _COPIES and is_plain:
            rows = [number for read in reads for number in read]
            if len(rows) != width:
                raise UnprovedError
            return rows
        entry = opcode(instr.op)
        sizes = () if entry is None else entry.input_sizes
        by_component = (
            entry is not None
            and entry.output_size == 0
            and [len(read) for read in reads] == [size or width for size in sizes]
        )
        is_commutative = entry is not None and entry.is_commutative and is_plain
        modifiers = tuple((src.negate, src.abs, src.bit_size) for src in instr.sources)
        flags = instr.flags - MATH_CONTROL_WORDS
        what = (instr.op, flags, modifiers, value.bit_size, self._place(instr, side, pair))
        numbers = []
        for row in range(width):
            own, shape = reads, (row, width)
            if by_component:
                own = [read if size else (read[row],) for read, size in zip(reads, sizes, strict=True)]
                shape = (0, 1)
            chosen = self._selected(instr.op, own) if is_plain else None
            folded = self._folded(instr, own, shape[1], value.bit_size) if is_plain else None
            if chosen is not None:
                numbers.append(chosen)
            elif folded is not None:
                numbers.append(self._constant(value, row, folded[shape[0]]))
            else:
                if is_commutative:
                    own = [*sorted(own[:2]), *own[2:]]
                numbers.append(self._number(value, row, (what, tuple(own), shape)))
                own_words = instr.flags & MATH_CONTROL_WORDS
                words = self.words[side].get(numbers[-1], own_words)
                self.words[side][numbers[-1]] = words & own_words if side else words | own_words
        return numbers

    def _swizzled(self, src: AluSrc) -> tuple[Number, ...]:
        numbers = self._read(src)
        if any(component >= len(numbers) for component in src.swizzle):
            raise UnprovedError
        return tuple(numbers[component] for component in src.swizzle)

    def _selected(self, op: str, reads: Sequence[tuple[Number, ...]]) -> Number | None:
        """Return the number that a selection by a constant has."""
        if op not in _SELECTIONS or [len(read) for read in reads] != [1, 1, 1]:
            return None
        condition = self.constants.get(reads[0][0])
        return None if condition is None else reads[1 if condition[0] else 2][0]

    def _folded(
        self, instr: AluInstr, reads: Sequence[tuple[Number, ...]], width: int, bit_size: int
    ) -> tuple[int, ...] | None:
        """Return the result of an operation on constants, as far as the float controls leave it open."""
        if not reads or not all(number in self.constants for read in reads for number in read):
            return None
        try:
            arrays = [
                np.array([[self.constants[number][0]] for number in read], container_type(src.bit_size))
                for read, src in zip(reads, instr.sources, strict=True)
            ]
            result = evaluate_alu(
                instr.op,
                arrays,
                dest_components=width,
                dest_bit_size=bit_size,
                source_bit_sizes=[src.bit_size for src in instr.sources],
            )
        except (UnsupportedOpcode, ValueError, KeyError, OverflowError):
            return None
        bits = tuple(int(row[0]) for row in result)
        sources = [
            ([self.constants[number][0] for number in read], src.bit_size)
            for read, src in zip(reads, instr.sources, strict=True)
        ]
        return bits if self.context.controls.settles(instr.op, bits, bit_size, sources) else None

    # Private variables

    def _initial_content(self, side: int) -> list[Number]:
        """Return the numbers of the cells of a side at the start of the function."""
        numbers = []
        private = self.private[side]
        for number, cell in enumerate(private.cells):
            numbers.append(self._number(("initial", side), number, _initial(private, cell)))
        return numbers

    def _arriving_content(self, side: int, pair: int) -> list[Number]:
        """Return the numbers of the cells at the start of a chain."""
        cells = self.private[side].cells
        if not cells:
            return []
        flow, chain = self.flows[side], self.pairs[pair][side]
        arriving: dict[int, list[Number] | None] = {}
        for pred in flow.preds[chain[0]]:
            other = self.pair_of[side][flow.chain_of[pred]]
            known = self.contents[side].get(other)
            if known is None:
                self.reads_last_round, known = True, self.last_contents[side].get(other)
            arriving[other] = known
        if chain == flow.entry:
            arriving[-1] = self.initial[side]
        sizes = [32 if isinstance(cell, SlotPlace) else cell.bit_size for cell in cells]
        return self._joined(
            arriving, pair, sizes, [(("content", side, pair), number) for number in range(len(cells))]
        )

    def _same_outputs(self, pair: int) -> bool:
        """Whether outputs agree at the end of the shader; True for chains that do not end it."""
        if any(flow.exits(chain) for flow, chain in zip(self.flows, self.pairs[pair], strict=True)):
            return True
        before, after = self._outputs(0, pair), self._outputs(1, pair)
        undefined = {
            self.table[key] for size in (1, 8, 16, 32, 64) if (key := _undefined(size)) in self.table
        }
        may_appear = (
            not self.context.new_outputs_count and self.context.shaders[0].stage is not Stage.FRAGMENT
        )
        for output in before.keys() | after.keys():
            if self.context.feeds_next and is_varying(output):
                continue
            old, new = before.get(output), after.get(output)
            disappears = old in undefined and new is None
            appears = old is None and new in undefined and may_appear
            if old != new and not disappears and not appears:
                return False
        return True

    def varyings(self) -> tuple[dict[tuple[int, int], _Varying], ...] | None:
        """Return the values of varyings at the end, by slot and component; None if that is not certain."""
        ends = [pair for pair, sides in enumerate(self.pairs) if not self.flows[0].exits(sides[0])]
        if len(ends) != 1 or not all(private.has_outputs for private in self.private):
            return None
        found: tuple[dict[tuple[int, int], _Varying], ...] = ({}, {})
        for side in (0, 1):
            for output, number in self._outputs(side, ends[0]).items():
                if not isinstance(output, SlotPlace):
                    return None
                if is_varying(output):
                    constant = self.constants.get(number)
                    value = _Varying(number, None if constant is None else constant[0])
                    if not has_plain_flags(output) or found[side].setdefault(output[:2], value) != value:
                        return None
        return found

    def _outputs(self, side: int, pair: int) -> dict[Hashable, Number]:
        """Return the numbers that outputs have at the end of a chain, as far as they are written."""
        private = self.private[side]
        cells = zip(private.cells, self.contents[side][pair], self.initial[side], strict=True)
        written = [(cell, number) for cell, number, initial in cells if number != initial]
        return {output: number for cell, number in written if (output := private.output(cell)) is not None}

    def _access(self, instr: IntrinsicInstr, side: int, pair: int) -> None:
        """Visit a load, store or copy of a private variable."""
        private = self.private[side]
        if instr.name == "copy_deref":
            self._copy(instr, side, pair)
            return
        address = instr.sources[0]
        place, cells = private.place(address), private.cells_at(address)
        if place is None:
            raise UnprovedError  # an address stored elsewhere
        if instr.name == "load_deref":
            numbers = self._content_of(cells)
            if instr.def_ is None:
                raise UnprovedError
            if place.variable in private.whole:
                element = ("element", numbers, self._steps(place))
                rows = range(instr.def_.num_components)
                numbers = tuple(self._number(instr.def_, row, (element, row)) for row in rows)
            self.now[instr.def_] = numbers
            return
        stored = self._masked(instr)
        if place.variable not in private.whole:
            self._write(cells, stored)
        elif cells[0] is not None:
            key = ("changed content", self.content[cells[0]], self._steps(place), stored)
            self.content[cells[0]] = self._number(instr, 0, key)

    def _masked(self, store: Instr) -> tuple[Number | None, ...]:
        """Return the numbers of a stored value, None for components that the mask leaves out."""
        if not isinstance(store, IntrinsicInstr):
            raise UnprovedError
        value = store.sources[1 if store.name == "store_deref" else 0]
        return tuple(
            number if store.write_mask >> row & 1 else None for row, number in enumerate(self._read(value))
        )

    def _write(self, cells: Sequence[int | None], numbers: Sequence[Number | None]) -> None:
        for cell, number in zip(cells, numbers, strict=True):
            if cell is not None and number is not None:
                self.content[cell] = number

    def _content_of(self, cells: Sequence[int | None]) -> tuple[Number, ...]:
        return tuple(self.content[cell] for cell in cells if cell is not None)

    def _steps(self, place: Place) -> Hashable:
        """Return the fields and indices that lead to an element of a variable, and its type."""
        steps = tuple(
            ("index", self._read(step)) if isinstance(step, Src) else step
            for step in (*place.path, place.component)
        )
        return steps, place.type_name

    def _copy(self, instr: IntrinsicInstr, side: int, pair: int) -> None:
        """Visit a copy; one to or from other memory is a store of the vector, or a load."""
        private, (target, source) = self.private[side], instr.sources[:2]
        access = (("access", "0"),) if "src_access" in instr.indices else ()
        if private.place(source) is None:
            numbers = self._number_rows(instr, self._keys_of_copied(instr, side, pair))
            self._write(private.cells_at(target), numbers)
        elif private.place(target) is None:
            numbers = self._content_of(private.cells_at(source))
            indices = (*access, ("write_mask", repr((1 << len(numbers)) - 1)))
            self.events[pair][side].hard.append(
                ("store_deref", indices, (self._read(target), numbers), (0, 0))
            )
        else:
            cells = private.copied_cells(target, source)
            self._write([cell for cell, _ in cells], [self.content[other] for _, other in cells])

    # Intrinsics and calls

    def _operation(self, instr: IntrinsicInstr | CallInstr, side: int, pair: int) -> None:
        events = self.events[pair][side]
        places = self._input_keys(instr, side)
        if places is None and self.context.varyings is not None and _may_read_input(instr):
            raise UnprovedError
        keys: list[Hashable] = [*places] if places is not None else self._keys(instr)
        if instr.def_ is None:
            if isinstance(instr, CallInstr) or not can_eliminate(instr):
                events.hard += keys
            return
        if isinstance(instr, CallInstr) or not can_eliminate(instr):
            events.hard += keys
            keys = [(key, pair, len(events.hard)) for key in keys]
        elif not can_reorder(instr) or effects_of(instr).crosses_lanes:
            keys = events.in_order(keys, pair)
        rows = range(instr.def_.num_components)
        if places is None and not _accesses_slot(instr):
            keys = [(keys[0], row) for row in rows]
        if places is not None and self.context.varyings is not None:
            keys = [self._linked(place, side) for place in places]
        self.now[instr.def_] = tuple(self._number(instr.def_, row, keys[row]) for row in rows)
        for key, number in zip(keys, self.now[instr.def_], strict=True):
            if isinstance(key, tuple) and key[0] == "constant":
                self.constants[number] = (key[2], key[1])

    def _linked(self, key: _InputKey, side: int) -> Hashable:
        """Return the key of a varying by the value that the stage in front stores to it."""
        _, load, others, place = key
        if self.context.varyings is None or not is_varying(place):
            return key
        value = self.context.varyings[side].get(place[:2])
        if value is None or not has_plain_flags(place):
            raise UnprovedError
        if value.bits is not None and (load == "load_input" or is_finite(value.bits)):
            return "constant", 32, value.bits
        return "varying", load, others, place.kind, value.number

    def _keys_of_copied(self, copy: IntrinsicInstr, side: int, pair: int) -> Sequence[Hashable]:
        """Return the keys of the components that a copy reads from other memory, those of a load."""
        target, source = copy.sources[:2]
        width, bit_size = self.private[side].vector_size(target)
        deref = None if source.def_ is None else source.def_.instr
        if self.context.varyings is not None:
            raise UnprovedError
        if isinstance(deref, DerefInstr) and bit_size == 32:
            stage = self.context.shaders[side].stage
            places = self._keys_of_variable(input_places(stage, deref, width), (copy, side))
            if places is not None:
                return places
        access = (("access", "0"),) if "src_access" in copy.indices else ()
        keys: list[Hashable] = [("load_deref", access, (self._read(source),), (width, bit_size))]
        if not is_read_only(source):
            keys = self.events[pair][side].in_order(keys, pair)
        return [(keys[0], row) for row in range(width)]

    def _number_rows(self, owner: Hashable, keys: Sequence[Hashable]) -> tuple[Number, ...]:
        return tuple(self._number(owner, row, key) for row, key in enumerate(keys))

    def _input_keys(self, instr: IntrinsicInstr | CallInstr, side: int) -> list[_InputKey] | None:
        """Return the keys of the components of an input, the same for a variable and its slots."""
        if not isinstance(instr, IntrinsicInstr) or instr.def_ is None or not can_reorder(instr):
            return None
        value = instr.def_
        if instr.name in ("load_input", "load_interpolated_input"):
            places = places_of_access(instr, value.num_components, value.bit_size)
            if places is None:
                return None
            others = tuple(self._read(src) for src in instr.sources[:-1])
            return [("input", instr.name, others, place) for place in places]
        deref = instr.sources[0].def_.instr if instr.name == "load_deref" and instr.sources[0].def_ else None
        if not isinstance(deref, DerefInstr) or value.bit_size != 32:
            return None
        stage = self.context.shaders[side].stage
        return self._keys_of_variable(input_places(stage, deref, value.num_components), (instr, side))

    def _keys_of_variable(
        self, inputs: Sequence[InputPlace] | None, owner: Hashable
    ) -> list[_InputKey] | None:
        if not inputs:
            return None
        others: tuple[tuple[Number, ...], ...] = ()
        if inputs[0].barycentric is not None:
            name, mode = inputs[0].barycentric
            point = (name, (("interp_mode", repr(mode)),), (), (2, 32))
            others = (tuple(self._number(("point", owner), row, (point, row)) for row in (0, 1)),)
        return [("input", one.load, others, one.place) for one in inputs]

    def _keys(self, instr: IntrinsicInstr | CallInstr) -> list[Hashable]:
        """Return what an instruction does besides its place: one key, or one for each component of a slot."""
        reads = [self._read(src) for src in instr.sources]
        size = (0, 0) if instr.def_ is None else (instr.def_.num_components, instr.def_.bit_size)
        if isinstance(instr, CallInstr):
            return [(instr.op, instr.callee_name, instr.is_indirect, tuple(reads))]
        name = instr.name
        if name in _CONDITIONAL and (constant := self.constants.get(reads[0][0])) is not None:
            return [(name.removesuffix("_if"), (), (), size)] if constant[0] else []
        if _accesses_slot(instr):
            indices = _indices(instr, _OF_WHOLE_SLOTS)
            first, mask = instr.int_index("component"), instr.write_mask
            if instr.def_ is not None:
                width = max(size[1] // 32, 1)
                return [(name, indices, tuple(reads), first + row * width, size[1]) for row in range(size[0])]
            width = max(instr.sources[0].bit_size // 32, 1)
            return [
                (name, indices, tuple(reads[1:]), first + row * width, stored)
                for row, stored in enumerate(reads[0])
                if mask >> row & 1
            ]
        if name == "decl_reg" and instr.def_ is not None:
            return [(name, _indices(instr), instr.def_.index, size)]
        if isinstance(instr.indices.get("write_mask"), int) and name.startswith("store_"):
            mask = instr.write_mask
            stored = 1 if name == "store_deref" else 0
            reads[stored] = tuple(
                number if mask >> row & 1 else -1 for row, number in enumerate(reads[stored])
            )
        return [(name, _indices(instr), tuple(reads), size)]


def _initial(private: PrivateVariables, cell: Cell | SlotPlace) -> Hashable:
    """Return the key of what a cell holds at the start of the function."""
    output = private.output(cell)
    if isinstance(cell, SlotPlace) or output is not None:
        return "unwritten", output
    if cell.variable.initializer is not None:
        return "initial", cell.variable.type_name, cell.variable.initializer, cell.path, cell.component
    return (
        _undefined(cell.bit_size) if cell.path is not None else ("undefined content", cell.variable.type_name)
    )


def _may_read_input(instr: IntrinsicInstr | CallInstr) -> bool:
    return isinstance(instr, CallInstr) or effects_of(instr).touches("input")


def _undefined(bit_size: int) -> Hashable:
    """Return the key of all undefined components of a size, because each use of one may be anything."""
    return ("undefined", bit_size)


def _without_cast(src: TexSrc) -> Src:
    """Return the deref of a texture or sampler behind casts that keep its dimensions."""
    found: Src = src
    while src.kind in ("texture_deref", "sampler_deref") and found.def_ is not None:
        cast = found.def_.instr
        if not isinstance(cast, DerefInstr) or cast.deref_kind != "cast" or cast.parent is None:
            break
        inner = None if cast.parent.def_ is None else cast.parent.def_.instr
        if not isinstance(inner, DerefInstr) or inner.mode != cast.mode:
            break
        dimensions = [_OPAQUE.sub("", one.type_name) for one in (cast, inner)]
        if dimensions[0] not in ("", dimensions[1]):
            break
        found = cast.parent
    return found


def _indices(instr: IntrinsicInstr, without: frozenset[str] = frozenset()) -> Hashable:
    return tuple(sorted((word, repr(index)) for word, index in instr.indices.items() if word not in without))


def _dominates_uses(impl: FunctionImpl) -> bool:
    """Whether every def dominates its uses."""
    tree, order = dominance(impl), instr_order(impl)
    return all(def_dominates_use(tree, order, value, src) for value in impl.defs() for src in value.uses)


def _accesses_slot(instr: Instr) -> TypeGuard[IntrinsicInstr]:
    """Whether a load or store of lowered I/O may be split into scalars.

    Its slot must be known, else `base` names it. Transform feedback and vertex streams are indexed by
    components of the value.
    """
    semantics = instr.io_semantics if isinstance(instr, IntrinsicInstr) else None
    if semantics is None or semantics.location < 0 or not isinstance(instr, IntrinsicInstr):
        return False
    feedback = instr.indices.get("io_xfb"), instr.indices.get("io_xfb2")
    has_feedback = any(isinstance(one, XfbOutputs) and any(one.outputs) for one in feedback)
    streams = dict(semantics.values).get("gs_streams", "").split()
    if has_feedback or any(not stream.endswith("=0") for stream in streams):
        return False
    return "component" in instr.indices and instr.name.startswith(("load_", "store_"))
