"""Tables of the packing of varyings between stages: vec4 slots by components, before and after.

Each cell is one scalar varying with its group, which decides with what it may share a vec4 (step 9 of the
varying-linking design). `packings` makes the tables and imports all of `opt_varyings`; this module imports
none of it, for what only shows tables.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from nirls.ir.finding import counted
from nirls.ir.model.stage import Stage
from nirls.passes.varyings.interface.accesses import name_of_half
from nirls.passes.varyings.interface.scalar_slots import HALVES
from nirls.passes.varyings.packing.ledger import Ledger

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
            columns = tuple(
                tuple(packing_cell for packing_cell in row if packing_cell.component == number)
                for number in range(4)
            )
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
        return " to ".join(
            "?" if stage is None else stage.abbreviation for stage in (self.producer, self.consumer)
        )


def _size(table: PackingTable) -> str:
    return f"{counted(table.scalars, 'scalar')} in {counted(table.slots, 'vec4 slot')}"
