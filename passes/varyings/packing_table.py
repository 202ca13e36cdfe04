"""Tables of the packing of varyings between stages: vec4 slots by components, before and after.

Each cell is one scalar varying with its group, which decides with what it may share a vec4 (step 9 of the
varying-linking design). The first table shows the dumps as they are, the second one the result of
`opt_varyings` on the whole pipeline. The pass runs on copies, so the shaders do not change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import groupby, pairwise

from nirls.ir.finding import counted
from nirls.ir.io.access import AccessKind, IoAccess, slot_read_as
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.urb_maps import UrbMaps
from nirls.ir.io.view import IoView
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr, Instr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.slots import slot_number
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.varyings.accesses import (
    BACKEND_IO,
    Linkage,
    Unlinkable,
    feeds_fixed_hardware,
    link,
    name_of_half,
    read_accesses,
)
from nirls.passes.varyings.convergence import find_convergent
from nirls.passes.varyings.decisions import Fate, Journal, Step, StepObstacle
from nirls.passes.varyings.expression_text import constant_text
from nirls.passes.varyings.interface_reader import read_interface
from nirls.passes.varyings.ledger import Ledger, LedgerLine, ledger_of
from nirls.passes.varyings.link_options import SEPARATE
from nirls.passes.varyings.opt_varyings import OptVaryings, scalarize
from nirls.passes.varyings.payload_ledger import PayloadBefore, payload_before
from nirls.passes.varyings.rules import FIRST_GENERIC, is_patch, may_remove
from nirls.passes.varyings.scalar_slots import COLORS, HALVES, Category, Interface, PackingGroup

COMPONENTS = "xyzw"


class CellGroup(Enum):
    """The readers of a varying and how they read it. The value is the word used in reports."""

    INTERPOLATED = "interpolated"
    FLAT = "flat"
    CONVERGENT = "convergent"
    COLOR = "color"
    EXPLICIT = "explicit"
    PER_PRIMITIVE = "per primitive"
    PER_VERTEX = "per vertex"
    CROSS_INVOCATION = "read across invocations"
    PATCH = "patch"
    CAPTURED_ONLY = "transform feedback only"
    NO_VARYING = "no varying"
    FIXED_HARDWARE = "fixed hardware"
    DEAD = "dead"
    UNDEFINED = "never written"
    OTHER = "other"


_SENT = frozenset(CellGroup) - {CellGroup.CAPTURED_ONLY, CellGroup.NO_VARYING, CellGroup.FIXED_HARDWARE}
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


class Half(Enum):
    """The part of a 32-bit component that a varying occupies."""

    WHOLE = ""
    LOW = "lo"
    HIGH = "hi"


@dataclass(frozen=True, slots=True)
class PackingCell:
    """One scalar varying in its slot.

    `label` is the name of the variable, else the stored value. `value` is the stored value (`%20`, a
    constant), "" if there are several. `interpolation` is the qualifier, "" for none. An `indirect` cell is
    an element of an indexed range, which keeps its place. `came_from` is the place before the pass, "" if
    it is the same or the varying is new.
    """

    location: int
    component: int
    half: Half
    group: CellGroup
    bit_size: int
    label: str
    value: str = ""
    interpolation: str = ""
    indirect: bool = False
    came_from: str = ""

    @property
    def name(self) -> str:
        """Name of the place: `VAR0.x`, `VAR0.x.hi`."""
        return name_of_half(self.number, self.bit_size)

    @property
    def number(self) -> int:
        """The number of its scalar slot, as in `scalar_slots`."""
        return self.location * HALVES + self.component * 2 + (self.half is Half.HIGH)

    @property
    def is_sent(self) -> bool:
        """Whether the varying is sent, and not read by the producer or fixed hardware only."""
        return self.group in _SENT


@dataclass(frozen=True, slots=True)
class PackingTable:
    """All cells between two stages, by slot, component and half."""

    cells: tuple[PackingCell, ...] = ()

    @property
    def scalars(self) -> int:
        """The number of scalars sent to the next stage."""
        return sum(cell.is_sent for cell in self.cells)

    @property
    def slots(self) -> int:
        """The number of vec4 slots that these scalars occupy."""
        return len({cell.location for cell in self.cells if cell.is_sent})

    def rows(self) -> list[tuple[int, tuple[tuple[PackingCell, ...], ...]]]:
        """Return the four components of each vec4 slot in use, each with no cell, one cell, or two halves."""
        found = []
        for location, cells in groupby(self.cells, key=lambda cell: cell.location):
            row = list(cells)
            columns = tuple(tuple(one for one in row if one.component == number) for number in range(4))
            found.append((location, columns))
        return found

    def groups(self) -> list[CellGroup]:
        """Return the groups that occur, in the order of their declaration."""
        present = {cell.group for cell in self.cells}
        return [group for group in CellGroup if group in present]


@dataclass(frozen=True, slots=True)
class PairPacking:
    """The varyings between two stages before and after.

    With an `obstacle`, `after` is empty, and `before` has cells only where slots are known nevertheless: of a
    separate shader, and of backend I/O as far as its numbers name slots.

    `moved` is the number of ALU instructions that code motion removes from one of the stages. `ledger` says
    what happened to each scalar. Between a task and a mesh shader both tables are empty, and `payload_bytes`
    has the bytes that are stored before and after.
    """

    producer: Stage | None
    consumer: Stage | None
    before: PackingTable
    after: PackingTable
    obstacle: str = ""
    moved: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    payload_bytes: tuple[int, int] | None = None

    @property
    def summary(self) -> str:
        """One-line summary: `VS to FS: 9 scalars in 4 vec4 slots, 5 in 2 after opt_varyings`."""
        if self.obstacle:
            slots = f"{_size(self.before)}; " if self.before.cells else ""
            return f"{self.stages}: {slots}{self.obstacle}"
        if self.payload_bytes is not None:
            before, after = self.payload_bytes
            return f"{self.stages}: {counted(before, 'payload byte')}, {after} after opt_varyings"
        moved = f", which moves {counted(self.moved, 'instruction')}" if self.moved else ""
        return (
            f"{self.stages}: {_size(self.before)}, {self.after.scalars} in {self.after.slots}"
            f" after opt_varyings{moved}"
        )

    @property
    def saved_scalars(self) -> int:
        """The number of scalars saved."""
        return self.before.scalars - self.after.scalars

    @property
    def saved_slots(self) -> int:
        """The number of vec4 slots saved."""
        return self.before.slots - self.after.slots

    @property
    def saved_bytes(self) -> int:
        """The number of payload bytes saved."""
        return 0 if self.payload_bytes is None else self.payload_bytes[0] - self.payload_bytes[1]

    @property
    def stages(self) -> str:
        return " to ".join("?" if one is None else one.abbreviation for one in (self.producer, self.consumer))


def _size(table: PackingTable) -> str:
    return f"{counted(table.scalars, 'scalar')} in {counted(table.slots, 'vec4 slot')}"


def packings(
    shaders: Sequence[Shader], options: OptVaryings, urb_maps: Sequence[UrbMaps] = ()
) -> list[PairPacking]:
    """Return the packing of every pair of a pipeline.

    `options` are those of `opt_varyings`; `urb_maps` are the maps printed below each shader, none if empty.
    """
    stages = [IoView(*one) for one in zip(shaders, urb_maps or [()] * len(shaders), strict=True)]
    copies = [clone_shader(shader) for shader in shaders]
    origins = [_Origin.of(*pair) for pair in pairwise(copies)]
    tables = [packing_table(*pair, options) for pair in pairwise(shaders)]
    old = {id(instr): instr for shader in copies for instr in _alu(shader)}
    payloads = [payload_before(*pair, options) for pair in pairwise(copies)]
    journals = [Journal() for _ in origins]
    options.run_recorded(copies, journals)
    has_motion = any(id(instr) not in old for shader in copies for instr in _alu(shader))
    spared = _spared_by_motion(shaders, copies, options) if has_motion else [0] * len(shaders)
    found = []
    for position, (before, origin) in enumerate(zip(tables, origins, strict=True)):
        producer, consumer = shaders[position], shaders[position + 1]
        payload = payloads[position]
        if isinstance(payload, PayloadBefore):
            sizes, ledger = payload.linked(copies[position], copies[position + 1], journals[position])
            nothing = PackingTable()
            found.append(
                PairPacking(
                    producer.stage, consumer.stage, nothing, nothing, ledger=ledger, payload_bytes=sizes
                )
            )
            continue
        if payload is not None:
            before = payload
        if isinstance(before, Unlinkable):
            shown = _table_of_unlinkable(stages[position], stages[position + 1], options, before)
            ledger = _unlinked(shown, before)
            found.append(
                PairPacking(
                    producer.stage, consumer.stage, shown, PackingTable(), before.message, ledger=ledger
                )
            )
            continue
        after = packing_table(copies[position], copies[position + 1], options, origin.named(before))
        if isinstance(after, Unlinkable):
            after = before
        # Instructions removed from the first stage can only have moved forward.
        moved = spared[position + 1] + (spared[0] if position == 0 else 0)
        linkage = options.link(copies[position], copies[position + 1])
        ledger = Ledger()
        if isinstance(linkage, Linkage):
            ledger = ledger_of(journals[position], linkage, _labels(before, consumer.stage))
        found.append(PairPacking(producer.stage, consumer.stage, before, after, moved=moved, ledger=ledger))
    return found


def _unlinked(table: PackingTable, reason: Unlinkable) -> Ledger:
    """Return the ledger of a pair that may not be linked: every scalar stays, for the same reason."""
    obstacle = StepObstacle(Step.ACCESS, reason.code, reason.message)
    return Ledger(
        tuple(
            LedgerLine(
                cell.number,
                cell.name,
                cell.label,
                cell.name,
                Fate.KEPT,
                reason.message,
                obstacles=(obstacle,),
            )
            for cell in table.cells
        ),
        (obstacle,),
    )


def _labels(table: PackingTable, consumer: Stage | None) -> dict[int, str]:
    """Return the label of each scalar by its half, as the consumer names the slot."""
    return {
        slot_read_as(cell.location, consumer) * HALVES + cell.number % HALVES: cell.label
        for cell in reversed(table.cells)
    }


def _spared_by_motion(
    shaders: Sequence[Shader], optimized: Sequence[Shader], options: OptVaryings
) -> list[int]:
    """Return how many ALU instructions fewer each stage has than without code motion."""
    copies = [clone_shader(shader) for shader in shaders]
    replace(options, move_code=False, move_forward=False).run(copies)
    return [
        max(0, len(_alu(without)) - len(_alu(with_motion)))
        for without, with_motion in zip(copies, optimized, strict=True)
    ]


def _alu(shader: Shader) -> list[AluInstr]:
    return [instr for instr in shader.instrs() if isinstance(instr, AluInstr)]


def packing_table(
    producer: Shader, consumer: Shader, options: OptVaryings, origin: _Origin | None = None
) -> PackingTable | Unlinkable:
    """Return the cells between two stages, or why there are none.

    `origin` maps accesses to their places before the pass.
    """
    linkage = options.link(producer, consumer)
    if isinstance(linkage, Unlinkable):
        return linkage
    return PackingTable(tuple(_Table(linkage, options, origin).cells()))


def _table_of_unlinkable(
    producer: IoView, consumer: IoView, options: OptVaryings, reason: Unlinkable
) -> PackingTable:
    """Return the cells of a pair that has slots but may not be changed; an empty table for other reasons."""
    if reason.code not in (BACKEND_IO, SEPARATE):
        return PackingTable()
    return PackingTable(tuple(_Table(read_accesses(producer, consumer), options, None).cells()))


@dataclass(slots=True)
class _Origin:
    """The place of each access of copied shaders before a pass ran on them.

    `places` also holds the instructions themselves, so that their ids are not reused.
    """

    places: Mapping[int, tuple[Instr, int]] = field(default_factory=dict)
    instrs: dict[int, Instr] = field(default_factory=dict)
    cells: Mapping[int, PackingCell] = field(default_factory=dict)

    @classmethod
    def of(cls, producer: Shader, consumer: Shader) -> _Origin:
        """Return the places of all accesses, with vectors split as the pass would do."""
        linkage = link(producer, consumer)
        if isinstance(linkage, Unlinkable):
            return cls()
        if scalarize(linkage):
            linkage = link(producer, consumer)
        if isinstance(linkage, Unlinkable):
            return cls()
        places = {
            id(one.instr): (one.instr, number)
            for one in linkage.accesses()
            for number in sorted(one.halves)[:1]
        }
        instrs = {id(instr): instr for instr in producer.instrs()}
        return cls(places, instrs)

    def named(self, before: PackingTable) -> _Origin:
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


class _Table:
    """Cells of one pair."""

    def __init__(self, linkage: Linkage, options: OptVaryings, origin: _Origin | None) -> None:
        self.linkage = linkage
        self.origin = origin
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
        was = None if self.origin is None else self.origin.of_accesses(touching)
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
        if self.origin is not None:
            stored = [
                access.instr.sources[0].ssa for access, _ in accesses if access.kind is AccessKind.STORE
            ]
            if stored and all(self.origin.is_new(one) for one in stored):
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
            _value_text(access.instr.sources[0].ssa, lane)
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


def _value_text(value: Def, lane: int) -> str:
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
