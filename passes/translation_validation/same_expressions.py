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
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from nirls.ir.analysis.dominance import def_dominates_use, dominance, instr_order
from nirls.ir.effects import can_eliminate, can_reorder, effects_of
from nirls.ir.evaluate.alu import UnsupportedOpcode, evaluate_alu
from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If, Loop
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
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import AluSrc, Def, Src, TexSrc
from nirls.ir.tables import opcode

_GATHERED = (
    *("flrp_lowered", "io_lowered", "inputs", "outputs", "uniforms", "name", "label", "internal"),
    *("inputs_", "outputs_", "patch_", "per_primitive_", "system_values_", "bit_sizes_", "num_", "textures_"),
    *("images_", "samplers_", "known_interpolation", "needs_", "uses_", "writes_memory", "source_"),
    *("divergence", "perspective_varyings", "linear_varyings", "tcs_cross_", "tcs_same_", "io_", "scratch"),
)
"""Starts of header fields that describe the code, and are gathered from it."""

_REQUESTED = frozenset(("uses_sample_shading",))
"""Fields with such a start that the API may set: this one makes a fragment shader run for each sample."""

_PRIVATE = frozenset(("function_temp", "shader_temp"))
_OF_WHOLE_SLOTS = frozenset(("base", "component", "range", "write_mask"))
_MOST_ROUNDS = 40
_OPAQUE = re.compile("texture|sampler")
_COPIES = frozenset(("mov", "imov", "fmov", "vec2", "vec3", "vec4", "vec5", "vec8", "vec16"))
_SELECTIONS = frozenset(("bcsel", "b8csel", "b16csel", "b32csel"))
_CONDITIONAL = frozenset(("demote_if", "discard_if", "terminate_if"))

Number = int


def same_expressions(before: Shader, after: Shader) -> bool:
    """Return whether both shaders have the same effects on the same values; False if that is not certain."""
    if before.stage is not after.stage or any(
        shader.damage or shader.unreadable for shader in (before, after)
    ):
        return False
    if _surroundings(before) != _surroundings(after):
        return False
    controls = FloatControls.of(before)
    bodies = zip(before.impls(), after.impls(), strict=True)
    return all(_same_bodies((before, after), impls, controls) for impls in bodies)


def _same_bodies(
    shaders: tuple[Shader, Shader], impls: tuple[FunctionImpl, FunctionImpl], controls: FloatControls
) -> bool:
    """Compare two bodies, with all ifs and without those that do nothing."""
    for skips_dead_ifs in (False, True):
        # Invalid instructions may have too few sources.
        with suppress(_UnprovedError, IndexError):
            if _Proof(shaders, impls, controls, skips_dead_ifs).holds():
                return True
    return False


def _surroundings(shader: Shader) -> Hashable:
    """Return everything outside of the bodies that affects results."""
    header = frozenset(
        (item.key, item.value)
        for item in shader.header
        if item.key in _REQUESTED or not item.key.startswith(_GATHERED)
    )
    interface = frozenset(
        _declared(variable, variable.mode)
        for variable in shader.variables
        if variable.mode in ("shader_in", "shader_out")
    )
    functions = tuple((one.name, one.params, one.is_entrypoint, one.impl is None) for one in shader.functions)
    return header, interface, functions


def _declared(variable: Variable, mode: str) -> Hashable:
    return (
        *(variable.name, mode, variable.type_name, variable.interpolation, variable.precision),
        *(variable.qualifiers, variable.access, variable.image_format, variable.location),
        *(variable.driver_location, variable.data, variable.trailing, variable.initializer),
    )


class _UnprovedError(Exception):
    """No proof is found."""


class _Flow:
    """The control flow of a function: chains of blocks, without branches that are decided.

    With `skips_dead_ifs`, ifs without an effect are left out.
    """

    def __init__(self, impl: FunctionImpl, skips_dead_ifs: bool) -> None:
        self.targets: dict[Block, tuple[Block, ...]] = {}
        self.conditions: dict[Block, Src] = {}
        joins: dict[Block, Block] = {}
        for block, node, join in _branches(impl.body):
            self.conditions[block] = node.condition
            if skips_dead_ifs and join is not None and _is_dead(node, join):
                joins[block] = join
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
        self.chain_of: dict[Block, tuple[Block, ...]] = {}
        self.entry = self._chain(impl.start_block)
        for block in self.targets:
            if block not in self.chain_of and not self._continues_chain(block):
                self._chain(block)

    def _taken(self, block: Block) -> tuple[Block, ...]:
        jump = block.jump
        if jump is not None and jump.sources:
            self.conditions[block] = jump.sources[0]
        condition = self.conditions.get(block)
        truth = None if condition is None or condition.def_ is None else _known_truth(condition.def_)
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

    def exits(self, chain: tuple[Block, ...]) -> list[tuple[Block, ...]]:
        """Return the chains that a chain leads to."""
        return [self.chain_of[target] for target in self.targets[chain[-1]]]

    def condition(self, chain: tuple[Block, ...]) -> Src | None:
        """Return the source that selects the exit of a chain; None if there is one exit."""
        if len(self.targets[chain[-1]]) < 2:
            return None
        if chain[-1] not in self.conditions:
            raise _UnprovedError
        return self.conditions[chain[-1]]

    def halts(self, chain: tuple[Block, ...]) -> bool:
        """Whether a chain ends the invocation, not only the function."""
        return any(block.jump is not None and block.jump.jump_kind == "halt" for block in chain)


@dataclass(slots=True)
class _Events:
    """The events of a chain, in order: hard ones must correspond, soft ones may be missing on one side."""

    hard: list[Hashable] = field(default_factory=list)
    soft: list[Hashable] = field(default_factory=list)
    times: Counter[Hashable] = field(default_factory=Counter)


class _Proof:
    """The numbering of two functions, 0 before and 1 after."""

    def __init__(
        self,
        shaders: tuple[Shader, Shader],
        impls: tuple[FunctionImpl, FunctionImpl],
        controls: FloatControls,
        skips_dead_ifs: bool,
    ) -> None:
        self.controls = controls
        self.impls = impls
        self.flows = (_Flow(impls[0], skips_dead_ifs), _Flow(impls[1], skips_dead_ifs))
        # A temporary of the shader is one of the function if no other function can access it.
        self.is_alone = all(sum(1 for _ in shader.impls()) == 1 for shader in shaders)
        self.ambiguous: set[str] = set()
        for shader, impl in zip(shaders, impls, strict=True):
            names = Counter(variable.name for variable in (*shader.variables, *impl.locals))
            self.ambiguous |= {name for name, times in names.items() if times > 1}
        self.pair_of: tuple[dict[tuple[Block, ...], int], ...] = ({}, {})
        self.pairs: list[tuple[tuple[Block, ...], tuple[Block, ...]]] = []
        self.order = self._correspondence()
        self.ids: dict[tuple[Def, int], Number] = {}
        self.last: dict[Def, tuple[Number, ...]] = {}
        self._start_round()

    def _start_round(self) -> None:
        self.now: dict[Def, tuple[Number, ...]] = {}
        self.table: dict[Hashable, Number] = {}
        self.constants: dict[Number, tuple[int, int]] = {}
        self.events = [(_Events(), _Events()) for _ in self.pairs]
        self.words: tuple[dict[Number, frozenset[str]], ...] = ({}, {})
        self.has_open_phis = False
        self.reads_last_round = False

    def _correspondence(self) -> list[int]:
        """Pair the chains of both sides from the entries on; return the pairs in reverse postorder."""
        done: list[int] = []
        stack = [(self._pair(self.flows[0].entry, self.flows[1].entry), 0)]
        while stack:
            pair, number = stack.pop()
            exits = [flow.exits(chain) for flow, chain in zip(self.flows, self.pairs[pair], strict=True)]
            if len(exits[0]) != len(exits[1]):
                raise _UnprovedError
            if number == len(exits[0]):
                done.append(pair)
                continue
            stack.append((pair, number + 1))
            one, other = exits[0][number], exits[1][number]
            known = self.pair_of[0].get(one), self.pair_of[1].get(other)
            if known == (None, None):
                stack.append((self._pair(one, other), 0))
            elif known[0] != known[1]:
                raise _UnprovedError
        return done[::-1]

    def _pair(self, one: tuple[Block, ...], other: tuple[Block, ...]) -> int:
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
                    for block in self.pairs[pair][side]:
                        for instr in block:
                            self._visit(instr, side, pair)
            if not self.reads_last_round or self.now == self.last:
                return self._agrees()
            self.last = self.now
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
            ends = []
            for side, flow in enumerate(self.flows):
                chain = self.pairs[pair][side]
                condition = flow.condition(chain)
                loops = [self.pair_of[side][flow.chain_of[header]] for header in flow.loops[chain[0]]]
                ends.append((loops, flow.halts(chain), None if condition is None else self._read(condition)))
            if ends[0] != ends[1]:
                return False
        # An exact operation may not become inexact: none after may lack a word that one before has.
        return all(words <= self.words[1].get(number, words) for number, words in self.words[0].items())

    # Numbers

    def _read(self, src: Src) -> tuple[Number, ...]:
        numbers = None if src.def_ is None else self.now.get(src.def_)
        if numbers is None:
            raise _UnprovedError  # a register, or a def that does not dominate its use
        return numbers

    def _number(self, value: Def, component: int, key: Hashable) -> Number:
        own = self.ids.setdefault((value, component), len(self.ids))
        return self.table.setdefault(key, own)

    def _constant(self, value: Def, component: int, bits: int) -> Number:
        number = self._number(value, component, ("constant", value.bit_size, bits))
        self.constants[number] = (bits, value.bit_size)
        return number

    def _visit(self, instr: Instr, side: int, pair: int) -> None:
        if instr.reg_dest is not None:
            raise _UnprovedError
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
            case UndefInstr() | DerefInstr() | TexInstr() if instr.def_ is not None:
                key = self._key(instr, self._place(instr, side, pair))
                numbers = [
                    self._number(instr.def_, row, (key, row)) for row in range(instr.def_.num_components)
                ]
            case _:
                raise _UnprovedError
        if instr.def_ is not None:
            self.now[instr.def_] = tuple(numbers)

    def _place(self, instr: Instr, side: int, pair: int) -> Hashable:
        """Return the place of an instruction among the hard events, if its result depends on that."""
        return (pair, len(self.events[pair][side].hard)) if effects_of(instr).crosses_lanes else None

    def _key(self, instr: Instr, place: Hashable) -> Hashable:
        match instr:
            case UndefInstr():
                return ("undef", 0 if instr.def_ is None else instr.def_.bit_size)
            case DerefInstr():
                if instr.deref_kind == "var" and (instr.var is None or instr.var.name in self.ambiguous):
                    raise _UnprovedError
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
        raise _UnprovedError

    def _mode(self, mode: str) -> str:
        return "temporary" if self.is_alone and mode in _PRIVATE else mode

    def _phi(self, instr: PhiInstr, value: Def, side: int, pair: int) -> list[Number]:
        flow, block = self.flows[side], instr.block
        if block is None:
            raise _UnprovedError
        if len({src.def_ for src in instr.sources}) == 1:
            return list(self._read(instr.sources[0]))
        arriving: dict[int, tuple[Number, ...] | None] = {}
        for pred in flow.preds[block]:
            src = instr.src_for(pred)
            if src is None or src.def_ is None:
                raise _UnprovedError
            known = self.now.get(src.def_)
            if known is None:
                self.reads_last_round, known = True, self.last.get(src.def_)
            arriving[self.pair_of[side][flow.chain_of[pred]]] = known
        numbers = []
        for row in range(value.num_components):
            reads = tuple(None if each is None else each[row] for _, each in sorted(arriving.items()))
            self.has_open_phis |= None in reads
            known_reads = set(reads) - {None}
            if len(known_reads) == 1:
                numbers.append(known_reads.pop())
            elif known_reads:
                numbers.append(
                    self._number(value, row, ("phi", pair, value.bit_size, tuple(sorted(arriving)), reads))
                )
        if len(numbers) != value.num_components:
            raise _UnprovedError
        return [number for number in numbers if number is not None]

    def _alu(self, instr: AluInstr, value: Def, side: int, pair: int) -> list[Number]:
        width = value.num_components
        reads = [self._swizzled(src) for src in instr.sources]
        is_plain = "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources)
        if instr.op in _COPIES and is_plain:
            rows = [number for read in reads for number in read]
            if len(rows) != width:
                raise _UnprovedError
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
            raise _UnprovedError
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
        return bits if self.controls.settles(instr.op, bits, bit_size, sources) else None

    # Intrinsics and calls

    def _operation(self, instr: IntrinsicInstr | CallInstr, side: int, pair: int) -> None:
        events = self.events[pair][side]
        keys = self._keys(instr)
        if instr.def_ is None:
            if isinstance(instr, CallInstr) or not can_eliminate(instr):
                events.hard += keys
            return
        if isinstance(instr, CallInstr) or not can_eliminate(instr):
            events.hard += keys
            keys = [(key, pair, len(events.hard)) for key in keys]
        elif not can_reorder(instr) or effects_of(instr).crosses_lanes:
            # Equal ones are distinguished: two clocks differ, and so do two registers of the same form.
            keys = [(key, pair, len(events.hard)) for key in keys]
            for number, key in enumerate(keys):
                events.times[key] += 1
                keys[number] = (key, events.times[key])
            events.soft += keys
        rows = range(instr.def_.num_components)
        if not _accesses_slot(instr):
            keys = [(keys[0], row) for row in rows]
        self.now[instr.def_] = tuple(self._number(instr.def_, row, keys[row]) for row in rows)

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


def _known_truth(condition: Def) -> bool | None:
    """Return a constant condition, also behind copies and negations; None if it is not constant."""
    maker, component, truth = condition.instr, 0, True
    while isinstance(maker, AluInstr) and maker.op in ("inot", "mov") and condition.bit_size == 1:
        src = maker.sources[0]
        if src.def_ is None or src.negate or src.abs or "sat" in maker.flags:
            return None
        truth ^= maker.op == "inot"
        maker, component = src.def_.instr, src.swizzle[component]
    return bool(maker.values[component]) == truth if isinstance(maker, LoadConstInstr) else None


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
