"""Variables that a proof may treat as values: nothing but their own loads, stores and copies can reach them.

A variable of a function is private if all uses of its address are derefs of its parts and the addresses of
plain loads, stores and copies. Its content is divided into cells, one for each component of each scalar or
vector in it, if all indices are constant and in bounds. Otherwise the whole content is one cell, and a store
makes a new content of the old one.

Outputs of vertex, tessellation evaluation and fragment shaders are private in the same sense, as variables
or slots: only their content at the end of the shader counts. An output that a fragment shader reads may start
with the content of the framebuffer, which is the same wherever it is read.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence

from nirls.ir.effects import effects_of
from nirls.ir.io.variables import BUILTIN_FIELDS, is_builtin_block, variable_place, variable_slots
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.glsl_types import bare_type, leaf_type
from nirls.ir.model.instructions import CallInstr, DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.model.walks import closure
from nirls.verification.proof.slot_places import (
    SlotPlace,
    place_in_variable,
    places_of_access,
)
from nirls.verification.proof.variable_parts import (
    Cell,
    VariablePart,
    Wildcard,
    elements,
    has_known_cells,
    part_at,
)

PRIVATE_MODES = frozenset(("function_temp", "shader_temp"))
_OUTPUTS_COUNT_AT_THE_END = frozenset((Stage.VERTEX, Stage.TESS_EVAL, Stage.FRAGMENT))
_ADDRESSES = {"load_deref": 1, "store_deref": 1, "copy_deref": 2}
"""Number of leading sources that are addresses."""
_ACCESS_FLAGS = ("access", "dst_access", "src_access")


class PrivateVariables:
    """The private variables of a function, and the cells that a load or the end of the shader reads.

    `shader_temps`: whether no other function can access the temporaries and outputs of the shader.
    `ambiguous` are names that several variables have; such outputs are not private.
    """

    def __init__(
        self, shader: Shader, impl: FunctionImpl, *, shader_temps: bool, ambiguous: Collection[str]
    ) -> None:
        self._places: dict[Def, VariablePart] = {}
        self._refused: set[Variable] = set()
        self._accesses: list[IntrinsicInstr] = []
        has_calls = False
        for instr in impl.instrs():
            has_calls = has_calls or isinstance(instr, CallInstr)
            if isinstance(instr, DerefInstr):
                self._add(instr)
            elif isinstance(instr, IntrinsicInstr) and instr.name in _ADDRESSES:
                self._accesses.append(instr)
        modes = {"function_temp"}
        self._stage = shader.stage
        self._slots: dict[IntrinsicInstr, Sequence[SlotPlace]] = {}
        self.has_outputs = False
        if shader_temps and not has_calls:
            modes.add("shader_temp")
            self.has_outputs = impl.function.is_entrypoint and self._owns_outputs(impl, ambiguous)
        if self.has_outputs:
            modes.add("shader_out")
        self._refused |= {
            place.variable for place in self._places.values() if place.variable.mode not in modes
        }
        self._refuse_unusual()
        self.whole = {place.variable for place in self._places.values() if place.has_variable_index}
        self._refuse_divided_copies()
        self.cells = self._cells_read()
        self._numbers = {cell: number for number, cell in enumerate(self.cells)}
        self._numbers_at: dict[Def, tuple[int | None, ...]] = {}

    def place(self, src: Src) -> VariablePart | None:
        """Return the part of a private variable that an address leads to; None for any other address."""
        place = None if src.def_ is None else self._places.get(src.def_)
        return None if place is None or place.variable in self._refused else place

    def accesses(self, instr: Instr) -> bool:
        """Whether an instruction is the address, load, store or copy of a private variable."""
        if isinstance(instr, DerefInstr):
            place = None if instr.def_ is None else self._places.get(instr.def_)
            return place is not None and place.variable not in self._refused
        if not isinstance(instr, IntrinsicInstr) or instr.name not in _ADDRESSES:
            return False
        return any(self.place(src) is not None for src in instr.sources[: _ADDRESSES[instr.name]])

    def slots_stored(self, instr: Instr) -> tuple[int | None, ...]:
        """Return the numbers of the cells of a store to a slot; nothing for another instruction."""
        if not self.has_outputs or not isinstance(instr, IntrinsicInstr):
            return ()
        return tuple(self._numbers.get(place) for place in self._slots.get(instr, ()))

    def output(self, cell: Cell | SlotPlace) -> Hashable | None:
        """Return what identifies an output in either form; None for the cell of another variable."""
        if isinstance(cell, SlotPlace):
            return cell
        if cell.variable.mode != "shader_out":
            return None
        place = None
        if cell.path is not None:
            place = place_in_variable(cell.variable, cell.path, cell.component, self._stage)
        return place or (cell.variable.name, cell.path, cell.component)

    def _owns_outputs(self, impl: FunctionImpl, ambiguous: Collection[str]) -> bool:
        """Whether only stores at the known places of this function write outputs, which count at the end.

        Variables must have slots of their own, and all stores to a component of a slot the same kind.
        """
        if self._stage not in _OUTPUTS_COUNT_AT_THE_END:
            return False
        kinds: dict[tuple[int, int], Hashable] = {}
        for instr in impl.instrs():
            if not isinstance(instr, IntrinsicInstr) or instr.name in _ADDRESSES:
                continue
            if instr.name == "store_output" and len(instr.sources) == 2:
                value = instr.sources[0].def_
                size = (0, 0) if value is None else (value.num_components, value.bit_size)
                places = places_of_access(instr, *size)
                if places is None:
                    return False
                self._slots[instr] = places
                if any(kinds.setdefault(place[:2], place.kind) != place.kind for place in places):
                    return False
            elif effects_of(instr).touches("output"):
                return False
        taken: set[tuple[str, int]] = {("", slot) for slot, _ in kinds}
        accessed = {place.variable: None for instr in self._accesses for place in self._all_places(instr)}
        outputs = [one for one in (accessed | dict.fromkeys(self._refused)) if one.mode == "shader_out"]
        return all(self._takes_own_slots(variable, ambiguous, taken) for variable in outputs)

    def _takes_own_slots(
        self, variable: Variable, ambiguous: Collection[str], taken: set[tuple[str, int]]
    ) -> bool:
        """Add the slots of an output to `taken`; return whether they were free."""
        if variable.name in ambiguous or variable.initializer is not None:
            return False
        start, slots = variable_place(variable, self._stage).slot, variable_slots(variable, self._stage)
        if is_builtin_block(variable):
            wanted = {("", varying_slot(name)) for name in BUILTIN_FIELDS.values()}
            wanted |= {("", varying_slot(name)) for name in ("CLIP_DIST1", "CULL_DIST1")}
        elif slots is None:
            return False
        else:
            wanted = {
                (start, number) if isinstance(start, str) else ("", start + number) for number in range(slots)
            }
        is_free = taken.isdisjoint(wanted)
        taken |= wanted
        return is_free

    def cells_at(self, src: Src) -> tuple[int | None, ...]:
        """Return the numbers of the cells at an address, None for those that nothing reads.

        They are positions in `cells`.
        """
        place = self.place(src)
        if place is None or src.def_ is None:
            return ()
        if src.def_ not in self._numbers_at:
            self._numbers_at[src.def_] = tuple(self._numbers.get(cell) for cell in self._cells_of(place))
        return self._numbers_at[src.def_]

    def vector_size(self, src: Src) -> tuple[int, int]:
        """Return the number of components and the bit size of the vector at an address."""
        place = self.place(src)
        leaf = None if place is None else leaf_type(place.type_name)
        return (0, 0) if leaf is None else (leaf.num_components, leaf.bit_size)

    def copied_cells(self, target: Src, source: Src) -> list[tuple[int, int]]:
        """Return the numbers of the cells that a copy writes and reads."""
        start, to = self.place(target), self.place(source)
        if start is None or to is None:
            return []
        cells = ((number, cell) for number, cell in enumerate(self.cells) if isinstance(cell, Cell))
        moved = ((number, cell.moved(start, to)) for number, cell in cells)
        return [(number, self._numbers[cell]) for number, cell in moved if cell is not None]

    def stored_value(self, load: IntrinsicInstr, component: int) -> tuple[Def, int] | None:
        """Return the value and component that a load reads if all paths lead through the store of it."""
        place = self.place(load.sources[0]) if load.name == "load_deref" and load.sources else None
        if place is None or place.variable in self.whole:
            return None
        wanted = self._cells_of(place)[component]
        at: Instr | None = load
        blocks: set[Block] = set()
        while at is not None:
            block, at = at.block, at.prev
            while at is None and block is not None and len(block.predecessors) == 1 and block not in blocks:
                blocks.add(block)
                block = block.predecessors[0]
                at = block.last
            if not isinstance(at, IntrinsicInstr) or at.name not in ("store_deref", "copy_deref"):
                continue
            target = self.place(at.sources[0])
            if target is None or target.variable is not place.variable:
                continue
            if at.name == "copy_deref":
                return None
            cells = self._cells_of(target)
            if wanted in cells and at.write_mask >> cells.index(wanted) & 1:
                value = at.sources[1].def_
                return None if value is None else (value, cells.index(wanted))
        return None

    # Addresses

    def _add(self, deref: DerefInstr) -> None:
        above = None if deref.parent is None or deref.parent.def_ is None else deref.parent.def_
        place = part_at(deref, None if above is None else self._places.get(above))
        if place is None or deref.def_ is None:
            if (variable := deref.root.var) is not None:
                self._refused.add(variable)
        else:
            self._places[deref.def_] = place
            if not all(_is_plain_use(src) for src in deref.def_.uses):
                self._refused.add(place.variable)

    def _refuse(self, instr: IntrinsicInstr) -> None:
        for place in self._all_places(instr):
            self._refused.add(place.variable)

    def _all_places(self, instr: IntrinsicInstr) -> list[VariablePart]:
        """Return the known places of the addresses of an access, those of refused variables too."""
        addresses = [src.def_ for src in instr.sources[: _ADDRESSES[instr.name]] if src.def_ is not None]
        return [self._places[address] for address in addresses if address in self._places]

    def _refuse_unusual(self) -> None:
        """Refuse variables with accesses that have flags, or another size than the type."""
        for instr in self._accesses:
            has_flags = any(instr.indices.get(word, 0) for word in _ACCESS_FLAGS)
            if has_flags or not all(_fits(instr, place) for place in self._all_places(instr)):
                self._refuse(instr)

    def _refuse_divided_copies(self) -> None:
        """Refuse variables with copies that are not from cell to cell, or of a vector to other memory."""
        copies = [instr for instr in self._accesses if instr.name == "copy_deref"]
        known = -1
        while known != len(self._refused):
            known = len(self._refused)
            for instr in copies:
                places = [self.place(src) for src in instr.sources[:2]]
                is_whole = any(place is not None and place.variable in self.whole for place in places)
                is_vector = all(place is None or leaf_type(place.type_name) is not None for place in places)
                is_out = places[0] is not None and places[0].variable.mode == "shader_out"
                is_known = all(place is None or has_known_cells(place.type_name) for place in places)
                wildcards = [place.wildcards for place in places if place is not None]
                is_paired = len(wildcards) == 2 and wildcards[0] == wildcards[1]
                is_divided = not is_paired and (None not in places or any(wildcards) or not is_vector)
                if is_whole or is_divided or (is_out and not is_known):
                    self._refuse(instr)

    # Cells

    def _cells_read(self) -> tuple[Cell | SlotPlace, ...]:
        """Return the cells that something reads, directly or through copies."""
        read: dict[Cell, None] = {}
        slots: dict[SlotPlace, None] = {}
        copies: list[tuple[VariablePart, VariablePart]] = []
        for instr in self._accesses:
            places = [self.place(src) for src in instr.sources[: _ADDRESSES[instr.name]]]
            target = None if instr.name == "load_deref" else places[0]
            source = None if instr.name == "store_deref" else places[-1]
            is_out = target is not None and target.variable.mode == "shader_out"
            if source is not None and target is None:
                read |= dict.fromkeys(self._cells_of(source))
            if target is not None and is_out:
                read |= dict.fromkeys(self._cells_of(target))
            if source is not None and target is not None:
                copies.append((target, source))
        for stored in self._slots.values():
            slots |= dict.fromkeys(stored)

        def copied(cell: Cell) -> Iterator[Cell]:
            moved = (cell.moved(target, source) for target, source in copies)
            return (cell for cell in moved if cell is not None)

        return (*closure(read, copied), *(slots if self.has_outputs else ()))

    def _cells_of(self, place: VariablePart) -> tuple[Cell, ...]:
        """Return the cells of a scalar, vector or array at a place; nothing for a struct."""
        if place.variable in self.whole:
            return (Cell(place.variable),)
        for number, step in enumerate(place.path):
            if isinstance(step, Wildcard):
                starts = [(*place.path[:number], index) for index in range(step.length)]
                paths = [(*start, *place.path[number + 1 :]) for start in starts]
                return tuple(
                    cell
                    for path in paths
                    for cell in self._cells_of(
                        VariablePart(place.variable, path, place.type_name, place.component)
                    )
                )
        leaf = leaf_type(place.type_name)
        if leaf is not None:
            rows: Iterable[int] = range(leaf.num_components)
            if isinstance(place.component, int):
                rows = (place.component,)
            return tuple(Cell(place.variable, place.path, row, leaf.bit_size) for row in rows)
        return tuple(cell for element in elements(place) for cell in self._cells_of(element))


def _is_plain_use(src: Src) -> bool:
    """Whether a use of an address is the deref of a part, or the address of a load, store or copy."""
    user = src.owner
    if isinstance(user, DerefInstr):
        return src is user.parent
    if not isinstance(user, IntrinsicInstr) or user.name not in _ADDRESSES:
        return False
    return any(src is address for address in user.sources[: _ADDRESSES[user.name]])


def _fits(instr: IntrinsicInstr, place: VariablePart) -> bool:
    """Whether an access has the size of the type at a place."""
    if instr.name == "copy_deref":
        types = [
            bare_type(maker.type_name)
            for src in instr.sources[:2]
            if isinstance(maker := src.def_instr, DerefInstr)
        ]
        return types == [place.type_name] * 2 and place.component is None
    if place.wildcards:
        return False
    value = instr.def_ if instr.name == "load_deref" else instr.sources[1].def_
    leaf = leaf_type(place.type_name)
    if value is None or leaf is None:
        return False
    width = leaf.num_components if place.component is None else 1
    return (value.num_components, value.bit_size) == (width, leaf.bit_size)
