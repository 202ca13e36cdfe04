"""Keys of intrinsics and calls: what they do besides their place among the other effects."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeGuard

from nirls.ir.effects import can_eliminate, can_reorder, effects_of, is_read_only
from nirls.ir.model.instructions import CallInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.values import Def, Src
from nirls.verification.proof.cell_contents import CellContents
from nirls.verification.proof.context import Context
from nirls.verification.proof.events import Events, Key
from nirls.verification.proof.linked_inputs import LinkedInputs, VaryingRead
from nirls.verification.proof.slot_places import (
    InputPlace,
    SlotPlace,
    has_plain_flags,
    input_places,
    is_captured,
    is_varying,
    places_of_access,
)
from nirls.verification.proof.values import Number, Owner, UnprovedError, Values

_OF_WHOLE_SLOTS = frozenset(("base", "component", "range", "write_mask"))
_CONDITIONAL = frozenset(("demote_if", "discard_if", "terminate_if"))

InputKey = tuple[str, str, tuple[tuple[Number, ...], ...], SlotPlace]
"""`input`, the load, the numbers of its other sources, and the place."""


class Intrinsics:
    """The intrinsics and calls of one side."""

    def __init__(
        self,
        context: Context,
        values: Values,
        contents: CellContents,
        side: int,
        linked: LinkedInputs | None = None,
    ) -> None:
        self.context = context
        self.values = values
        self.contents = contents
        self.private = contents.private
        self.side = side
        self.stage = context.stage
        self.linked = linked

    def visit(self, instr: IntrinsicInstr | CallInstr, events: Events) -> None:
        """Add the effects of an instruction, and number its result."""
        places = self._input_keys(instr)
        if places is None and self.linked is not None and _may_read_input(instr):
            raise UnprovedError
        keys: list[Key] = [*places] if places is not None else self._keys(instr)
        if instr.def_ is None:
            if isinstance(instr, CallInstr) or not can_eliminate(instr):
                events.hard += keys
            return
        if isinstance(instr, CallInstr) or not can_eliminate(instr):
            events.hard += keys
            keys = [(key, events.place()) for key in keys]
        elif not can_reorder(instr) or effects_of(instr).crosses_lanes:
            keys = events.in_order(keys)
        rows = range(instr.def_.num_components)
        if places is None and not _accesses_slot(instr):
            keys = [(keys[0], row) for row in rows]
        if places is not None and self.linked is not None:
            numbers = tuple(self._linked(self.linked, instr.def_, row, places[row]) for row in rows)
        else:
            numbers = self.values.rows(instr.def_, keys[: len(rows)])
        self.values.now[instr.def_] = numbers
        self.values.taint_by(numbers, instr.srcs())

    def discard(self, instr: IntrinsicInstr, guard: Src | None, events: Events) -> None:
        """Visit a discard, which happens under a condition if there is a guard."""
        if guard is None:
            events.hard += self._keys(instr)
        else:
            events.hard += self._conditional(instr.name, self.values.read(guard), (0, 0))

    def _conditional(self, name: str, condition: tuple[Number, ...], size: tuple[int, int]) -> list[Key]:
        """Return the keys of a discard under a condition, which may be constant."""
        constant = self.values.constants.get(condition[0])
        if constant is None:
            return [(f"{name}_if", (), (condition,), size)]
        return [(name, (), (), size)] if constant[0] else []

    def access(self, instr: IntrinsicInstr, events: Events) -> None:
        """Visit a load, store or copy of a private variable."""
        if instr.name == "copy_deref":
            self._copy(instr, events)
        elif instr.name == "load_deref":
            self.contents.load(instr)
        else:
            self.contents.store(instr)

    def _copy(self, instr: IntrinsicInstr, events: Events) -> None:
        """Visit a copy; one to or from other memory is a store of the vector, or a load."""
        private, (target, source) = self.private, instr.sources[:2]
        access = (("access", "0"),) if "src_access" in instr.indices else ()
        if private.place(source) is None:
            numbers = self.values.rows(instr, self._keys_of_copied(instr, events))
            self.contents.write(private.cells_at(target), numbers)
        elif private.place(target) is None:
            numbers = self.contents.of(private.cells_at(source))
            indices = (*access, ("write_mask", repr((1 << len(numbers)) - 1)))
            events.hard.append(("store_deref", indices, (self.values.read(target), numbers), (0, 0)))
        else:
            self.contents.copy(target, source)

    def _keys_of_copied(self, copy: IntrinsicInstr, events: Events) -> Sequence[Key]:
        """Return the keys of the components that a copy reads from other memory, those of a load."""
        target, source = copy.sources[:2]
        width, bit_size = self.private.vector_size(target)
        deref = source.def_instr
        if self.linked is not None:
            raise UnprovedError
        if isinstance(deref, DerefInstr) and bit_size == 32:
            places = self._keys_of_variable(input_places(self.stage, deref, width), (copy, self.side))
            if places is not None:
                return places
        access = (("access", "0"),) if "src_access" in copy.indices else ()
        keys: list[Key] = [("load_deref", access, (self.values.read(source),), (width, bit_size))]
        if not is_read_only(source):
            keys = events.in_order(keys)
        return [(keys[0], row) for row in range(width)]

    def _linked(self, linked: LinkedInputs, value: Def, row: int, key: InputKey) -> Number:
        """Return the number of a varying by the value that the stage in front stores to it."""
        _, load, others, place = key
        if not is_varying(place):
            return self.values.number(value, row, key)
        varying = linked.stored.varyings.get(place[:2])
        if varying is None or not has_plain_flags(place):
            raise UnprovedError
        return linked.number(varying, VaryingRead.of(load, others, place.kind))

    def _input_keys(self, instr: IntrinsicInstr | CallInstr) -> list[InputKey] | None:
        """Return the keys of the components of an input, the same for a variable and its slots."""
        if not isinstance(instr, IntrinsicInstr) or instr.def_ is None or not can_reorder(instr):
            return None
        value = instr.def_
        if instr.name in ("load_input", "load_interpolated_input"):
            places = places_of_access(instr, value.num_components, value.bit_size)
            if places is None:
                return None
            others = tuple(self.values.read(src) for src in instr.sources[:-1])
            return [("input", instr.name, others, place) for place in places]
        deref = instr.sources[0].def_instr if instr.name == "load_deref" else None
        if not isinstance(deref, DerefInstr) or value.bit_size != 32:
            return None
        inputs = input_places(self.stage, deref, value.num_components)
        return self._keys_of_variable(inputs, (instr, self.side))

    def _keys_of_variable(self, inputs: Sequence[InputPlace] | None, owner: Owner) -> list[InputKey] | None:
        if not inputs:
            return None
        others: tuple[tuple[Number, ...], ...] = ()
        if inputs[0].barycentric is not None:
            name, mode = inputs[0].barycentric
            point = (name, (("interp_mode", repr(mode)),), (), (2, 32))
            others = (self.values.rows(("point", owner), [(point, row) for row in (0, 1)]),)
        return [("input", one.load, others, one.place) for one in inputs]

    def _keys(self, instr: IntrinsicInstr | CallInstr) -> list[Key]:
        """Return what an instruction does besides its place: one key, or one for each component of a slot."""
        reads = [self.values.read(src) for src in instr.sources]
        size = (0, 0) if instr.def_ is None else (instr.def_.num_components, instr.def_.bit_size)
        if isinstance(instr, CallInstr):
            return [(instr.op, instr.callee_name, instr.is_indirect, tuple(reads))]
        name = instr.name
        if name in _CONDITIONAL:
            return self._conditional(name.removesuffix("_if"), reads[0], size)
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


def _may_read_input(instr: IntrinsicInstr | CallInstr) -> bool:
    return isinstance(instr, CallInstr) or effects_of(instr).touches("input")


def _indices(instr: IntrinsicInstr, without: frozenset[str] = frozenset()) -> Hashable:
    return tuple(sorted((word, repr(index)) for word, index in instr.indices.items() if word not in without))


def _accesses_slot(instr: Instr) -> TypeGuard[IntrinsicInstr]:
    """Whether a load or store of lowered I/O may be split into scalars.

    Its slot must be known, else `base` names it.
    """
    semantics = instr.io_semantics if isinstance(instr, IntrinsicInstr) else None
    if semantics is None or semantics.location < 0 or not isinstance(instr, IntrinsicInstr):
        return False
    is_slot = "component" in instr.indices and instr.name.startswith(("load_", "store_"))
    return is_slot and not is_captured(instr, semantics)
