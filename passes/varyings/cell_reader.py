"""Reading of the cells of a packing table from the accesses of two stages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from nirls.ir.io.access import AccessKind, IoAccess, slot_read_as
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.passes.varyings.interface.accesses import Linkage, Unlinkable, feeds_fixed_hardware, link
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.rules import FIRST_GENERIC, is_patch, may_remove
from nirls.passes.varyings.interface.scalar_slots import COLORS, HALVES, Category, Interface, PackingGroup
from nirls.passes.varyings.motion.convergence import find_convergent
from nirls.passes.varyings.opt_varyings import OptVaryings, scalarize
from nirls.passes.varyings.packing.table import COMPONENTS, CellGroup, Half, PackingCell, PackingTable
from nirls.passes.varyings.values.expression_text import constant_text

_GROUPS = {
    PackingGroup.INTERPOLATED: CellGroup.INTERPOLATED,
    PackingGroup.SHADE_MODEL: CellGroup.COLOR,
    PackingGroup.FLAT: CellGroup.FLAT,
    PackingGroup.CONVERGENT: CellGroup.CONVERGENT,
    PackingGroup.EXPLICIT: CellGroup.EXPLICIT,
    PackingGroup.EXPLICIT_STRICT: CellGroup.EXPLICIT,
    PackingGroup.PER_PRIMITIVE: CellGroup.PER_PRIMITIVE,
    PackingGroup.CAPTURED_ONLY: CellGroup.CAPTURED_ONLY,
    PackingGroup.CROSS_INVOCATION: CellGroup.CROSS_INVOCATION,
    PackingGroup.NO_VARYING: CellGroup.NO_VARYING,
}


def read_cells(linkage: Linkage, options: OptVaryings, former: FormerPlaces | None = None) -> PackingTable:
    """Return the cells between two stages; `former` maps accesses to their places before the pass."""
    return PackingTable(tuple(_CellReader(linkage, options, former).cells()))


@dataclass(slots=True)
class FormerPlaces:
    """The place of each access of copied shaders before a pass ran on them.

    `places` also holds the instructions themselves, so that their ids are not reused.
    """

    places: Mapping[int, tuple[Instr, int]] = field(default_factory=dict)
    instrs: dict[int, Instr] = field(default_factory=dict)
    cells: Mapping[int, PackingCell] = field(default_factory=dict)

    @classmethod
    def of(cls, producer: Shader, consumer: Shader) -> FormerPlaces:
        """Return the places of all accesses, with vectors split as the pass would do."""
        linkage = link(producer, consumer)
        if isinstance(linkage, Unlinkable):
            return cls()
        if scalarize(linkage):
            linkage = link(producer, consumer)
        if isinstance(linkage, Unlinkable):
            return cls()
        places = {
            id(access.instr): (access.instr, number)
            for access in linkage.accesses()
            for number in sorted(access.halves)[:1]
        }
        instrs = {id(instr): instr for instr in producer.instrs()}
        return cls(places, instrs)

    def named(self, before: PackingTable) -> FormerPlaces:
        """Set the cells that were in each place, and return self."""
        self.cells = {cell.number: cell for cell in before.cells}
        return self

    def of_accesses(self, accesses: Iterable[IoAccess]) -> PackingCell | None:
        """Return the former cell of the first known access; None if all are new."""
        for access in accesses:
            known = self.places.get(id(access.instr))
            if known is not None:
                return self.cells.get(known[1])
        return None

    def is_new(self, value: Def) -> bool:
        """Whether the pass has added a value to the producer."""
        return value.instr is not None and id(value.instr) not in self.instrs


class _CellReader:
    """Reader of the cells of one pair."""

    def __init__(self, linkage: Linkage, options: OptVaryings, former: FormerPlaces | None) -> None:
        self.linkage = linkage
        self.former = former
        self.interface = _classified(linkage, options)
        self.names = _names(linkage)
        self.inputs = FragmentInputs(linkage.consumer)

    def cells(self) -> list[PackingCell]:
        by_half: dict[int, list[tuple[IoAccess, int]]] = {}
        for access in self.linkage.accesses():
            for number, lane in _lanes(access):
                by_half.setdefault(number, []).append((access, lane))
        found = []
        for number, accesses in sorted(by_half.items()):
            # Both halves of a 32-bit component make one cell, unless something else sits in the high one.
            if number % 2 and number - 1 in by_half and all(one.bits > 16 for one, _ in accesses):
                continue
            found.append(self._cell(number, accesses))
        return found

    def _cell(self, number: int, accesses: list[tuple[IoAccess, int]]) -> PackingCell:
        touching = [access for access, _ in accesses]
        location, component = number // HALVES, number % HALVES // 2
        bit_size = touching[0].bits
        half = Half.WHOLE if bit_size > 16 else Half.HIGH if number % 2 else Half.LOW
        category = self._category(number)
        value = self._stored(accesses)
        was = None if self.former is None else self.former.of_accesses(touching)
        cell = PackingCell(
            location,
            component,
            half,
            self._group(location, touching, category),
            bit_size,
            self._label(location, component, value, was, accesses),
            value,
            _qualifier(category),
            any(access.is_indirect for access in touching),
        )
        if was is not None and was.name != cell.name:
            return replace(cell, came_from=was.name)
        return cell

    def _label(
        self,
        location: int,
        component: int,
        value: str,
        was: PackingCell | None,
        accesses: list[tuple[IoAccess, int]],
    ) -> str:
        if self.former is not None:
            sources = [access.instr.sources[0] for access, _ in accesses if access.kind is AccessKind.STORE]
            if sources and all(src.def_ is not None and self.former.is_new(src.def_) for src in sources):
                return f"{value} (moved here)" if value else "(moved here)"
            return was.label if was is not None else value
        return self.names.get((location, component)) or value

    def _group(self, location: int, accesses: list[IoAccess], category: Category | None) -> CellGroup:
        stores = [access for access in accesses if access.kind is AccessKind.STORE]
        loads = [access for access in accesses if access.kind is AccessKind.INPUT_LOAD]
        if not loads:
            loads = self._loads_of_front(location, accesses)
        if not loads:
            return self._unread(stores, len(accesses) > len(stores))
        pair = self.linkage.producer_stage, self.linkage.consumer_stage
        if not stores and not self._stores_of_back(loads):
            # Attribute memory of the hardware also holds the system values.
            is_backend = any(load.form is LoweringLevel.BACKEND_IO for load in loads)
            if not may_remove(*pair, location) or (is_backend and location < FIRST_GENERIC):
                return CellGroup.FIXED_HARDWARE
            if self.linkage.complete_producer:
                return CellGroup.UNDEFINED
        if self.linkage.consumer_stage is not Stage.FRAGMENT:
            return _before_fragments(location, loads, category)
        if self._read_as(location) in COLORS:
            return CellGroup.COLOR
        if category is not None:
            return _GROUPS[category.group]
        return self._as_read(loads)

    def _as_read(self, loads: list[IoAccess]) -> CellGroup:
        """Return the group of a fragment shader input that the pass does not change."""
        groups = {self._as_loaded(load) for load in loads}
        group = groups.pop() if len(groups) == 1 else None
        return group or CellGroup.OTHER

    def _as_loaded(self, load: IoAccess) -> CellGroup | None:
        reading = self.inputs.reading(load.instr)
        if reading is not None:
            return _GROUPS[PackingGroup(reading.kind.value)]
        # The barycentric coordinates may be an argument of the hardware.
        return CellGroup.INTERPOLATED if load.instr.name == "load_interpolated_input" else None

    def _unread(self, stores: list[IoAccess], read_by_itself: bool) -> CellGroup:
        consumer = self.linkage.consumer_stage
        if any(feeds_fixed_hardware(store, consumer) for store in stores):
            return CellGroup.FIXED_HARDWARE
        if not stores:
            return CellGroup.UNDEFINED if self.linkage.complete_producer else CellGroup.OTHER
        if read_by_itself:
            return CellGroup.NO_VARYING
        if any(store.is_captured for store in stores):
            return CellGroup.CAPTURED_ONLY
        return CellGroup.DEAD if self.linkage.complete_consumer else CellGroup.OTHER

    def _loads_of_front(self, location: int, accesses: list[IoAccess]) -> list[IoAccess]:
        """Return the loads that read a back color under the name of the front color."""
        if self._read_as(location) == location:
            return []
        halves = self.linkage.storage(accesses)
        return [load for load in self.linkage.input_loads if self.linkage.touches(load, halves)]

    def _stores_of_back(self, loads: list[IoAccess]) -> bool:
        """Whether a store of a back color writes a color that is read."""
        halves = self.linkage.storage(loads)
        return any(self.linkage.touches(store, halves) for store in self.linkage.stores)

    def _category(self, number: int) -> Category | None:
        if self.interface is None:
            return None
        slot = self.interface.slots.get(self._read_as(number // HALVES) * HALVES + number % HALVES)
        return None if slot is None else slot.category

    def _read_as(self, location: int) -> int:
        return slot_read_as(location, self.linkage.consumer_stage)

    def _stored(self, accesses: list[tuple[IoAccess, int]]) -> str:
        texts = {
            _source_text(access.instr.sources[0], lane)
            for access, lane in accesses
            if access.kind is AccessKind.STORE
        }
        return texts.pop() if len(texts) == 1 else ""


def _classified(linkage: Linkage, options: OptVaryings) -> Interface | None:
    """Return the interface with the category of each varying; None if an access could not be read."""
    copies = clone_shader(linkage.producer), clone_shader(linkage.consumer)
    copied = link(*copies)
    if isinstance(copied, Unlinkable):
        return None
    scalarize(copied)
    interface = read_interface(*copies, options)
    if isinstance(interface, Unlinkable):
        return None
    find_convergent(interface)
    return interface


def _lanes(access: IoAccess) -> list[tuple[int, int]]:
    """Return the halves that an access may touch, by its own name of the slot, each with the lane there."""
    width = max(access.bits // 32, 1)
    lane_of = {
        component: access.lanes[position // width] for position, component in enumerate(access.components)
    }
    found = []
    for number in sorted(access.halves):
        component = number // 2 - access.slot * 4
        # In an indexed range, every element has the same lanes.
        found.append((number, lane_of.get(component, lane_of.get(component % 4, 0))))
    return found


def _before_fragments(location: int, loads: list[IoAccess], category: Category | None) -> CellGroup:
    if is_patch(location):
        return CellGroup.PATCH
    if category is not None and category.group is PackingGroup.CROSS_INVOCATION:
        return CellGroup.CROSS_INVOCATION
    per_vertex = any(
        "per_vertex" in load.instr.name or load.form is LoweringLevel.BACKEND_IO for load in loads
    )
    return CellGroup.PER_VERTEX if per_vertex else CellGroup.FLAT


def _qualifier(category: Category | None) -> str:
    if category is None:
        return ""
    if category.group is PackingGroup.SHADE_MODEL:
        return "by shade model"
    return "" if category.interpolation is None else category.interpolation.name.lower().replace("_", " ")


def _source_text(src: Src, lane: int) -> str:
    value = src.def_
    if value is None:
        return "" if src.reg is None else f"r{src.reg.index}.{'xyzwefghijklmnop'[lane]}"
    maker = value.instr
    if isinstance(maker, LoadConstInstr) and lane < len(maker.values):
        return constant_text(maker.values[lane], value.bit_size)
    if isinstance(maker, UndefInstr):
        return "undefined"
    return f"%{value.index}" if value.num_components == 1 else f"%{value.index}.{'xyzwefghijklmnop'[lane]}"


def _names(linkage: Linkage) -> dict[tuple[int, int], str]:
    """Return the names of declared varyings, by slot and component."""
    found: dict[tuple[int, int], str] = {}
    for shader, mode in ((linkage.producer, "shader_out"), (linkage.consumer, "shader_in")):
        for variable in shader.variables_of_mode(mode):
            for place, name in _places_of(variable):
                found.setdefault(place, name)
    return found


def _places_of(variable: Variable) -> list[tuple[tuple[int, int], str]]:
    """Return the components that a declaration covers: `(VARYING_SLOT_VAR0.xyz, 0, 0)`."""
    slot, _, letters = (variable.location or "").partition(".")
    number = slot_number(slot)
    if number < 0:
        return []
    components = [COMPONENTS.index(letter) for letter in letters if letter in COMPONENTS]
    if len(components) == 1:
        return [((number, components[0]), variable.name)]
    return [
        ((number, component), f"{variable.name}.{COMPONENTS[lane]}")
        for lane, component in enumerate(components[:4])
    ]
