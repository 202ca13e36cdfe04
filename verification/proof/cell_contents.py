"""Content of private variables and outputs, cell by cell, while a proof walks through a function."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.verification.proof.private_variables import PrivateVariables
from nirls.verification.proof.slot_places import SlotPlace
from nirls.verification.proof.values import Number, UnprovedError, Values
from nirls.verification.proof.variable_parts import Cell, VariablePart


class CellContents:
    """The numbers of the cells of one side: at the current instruction, and at the end of each chain."""

    def __init__(self, private: PrivateVariables, values: Values, side: int) -> None:
        self.private = private
        self.values = values
        self.side = side
        self._last: dict[int, list[Number]] = {}
        self.start_round()

    def start_round(self) -> None:
        """Start again with the contents at the start of the function."""
        self.at_end: dict[int, list[Number]] = {}
        self._now: list[Number] = []
        self._initial = [self._start_of(number, cell) for number, cell in enumerate(self.private.cells)]

    def is_stable(self) -> bool:
        """Whether all contents are those of the round before."""
        return self.at_end == self._last

    def end_round(self) -> None:
        """Keep the contents for the loops of the next round."""
        self._last = self.at_end

    def _start_of(self, number: int, cell: Cell | SlotPlace) -> Number:
        owner = ("initial", self.side)
        output = self.private.output(cell)
        if isinstance(cell, SlotPlace) or output is not None:
            return self.values.number(owner, number, ("unwritten", output))
        variable = cell.variable
        if variable.initializer is not None:
            key = ("initial", variable.type_name, variable.initializer, cell.path, cell.component)
            return self.values.number(owner, number, key)
        if cell.path is not None:
            return self.values.undefined_value(owner, number, cell.bit_size)
        found = self.values.number(owner, number, ("undefined content", variable.type_name))
        self.values.undefined.add(found)
        return found

    # Chains

    def arrive(self, pair: int, preds: Sequence[int], *, is_entry: bool) -> None:
        """Start a chain that follows the chains of other pairs."""
        cells = self.private.cells
        if not cells:
            self._now = []
            return
        arriving: dict[int, Sequence[Number] | None] = {}
        for pred in preds:
            known = self.at_end.get(pred)
            if known is None:
                self.values.reads_last_round, known = True, self._last.get(pred)
            arriving[pred] = known
        if is_entry:
            arriving[-1] = self._initial
        sizes = [32 if isinstance(cell, SlotPlace) else cell.bit_size for cell in cells]
        owner = ("content", self.side, pair)
        owners = [(owner, number) for number in range(len(cells))]
        self._now = self.values.joined(arriving, pair, sizes, owners)

    def leave(self, pair: int) -> None:
        """End a chain."""
        self.at_end[pair] = self._now

    def outputs(self, pair: int) -> dict[Hashable, Number]:
        """Return the numbers that outputs have at the end of a chain, as far as they are written."""
        cells = zip(self.private.cells, self.at_end[pair], self._initial, strict=True)
        written = [(cell, number) for cell, number, initial in cells if number != initial]
        return {
            output: number for cell, number in written if (output := self.private.output(cell)) is not None
        }

    # Accesses

    def load(self, instr: IntrinsicInstr) -> None:
        """Number the result of a load."""
        address = instr.sources[0]
        place, cells = self._place(address), self.private.cells_at(address)
        if instr.def_ is None:
            raise UnprovedError
        numbers = self.of(cells)
        if place.variable in self.private.whole:
            element = ("element", numbers, self._steps(place))
            rows = range(instr.def_.num_components)
            found = self.values.rows(instr.def_, [(element, row) for row in rows])
            self.values.taint(found, numbers)
            numbers = found
        self.values.now[instr.def_] = numbers

    def store(self, instr: IntrinsicInstr) -> None:
        """Write the value of a store to the address of a variable."""
        address = instr.sources[0]
        place, cells = self._place(address), self.private.cells_at(address)
        stored = self.masked(instr)
        if place.variable not in self.private.whole:
            self.write(cells, stored)
        elif cells[0] is not None:
            old = self._now[cells[0]]
            number = self.values.number(instr, 0, ("changed content", old, self._steps(place), stored))
            self.values.taint((number,), [old, *(content for content in stored if content is not None)])
            self._now[cells[0]] = number

    def copy(self, target: Src, source: Src) -> None:
        """Copy the cells of a place to those of another one."""
        cells = self.private.copied_cells(target, source)
        self.write([cell for cell, _ in cells], [self._now[other] for _, other in cells])

    def masked(self, store: IntrinsicInstr) -> tuple[Number | None, ...]:
        """Return the numbers of a stored value, None for components that the mask leaves out."""
        value = store.sources[1 if store.name == "store_deref" else 0]
        return tuple(
            number if store.write_mask >> row & 1 else None
            for row, number in enumerate(self.values.read(value))
        )

    def write(self, cells: Sequence[int | None], numbers: Sequence[Number | None]) -> None:
        """Set the numbers of cells; None for a cell that nothing reads, or a number that is not stored."""
        for cell, number in zip(cells, numbers, strict=True):
            if cell is not None and number is not None:
                self._now[cell] = number

    def of(self, cells: Sequence[int | None]) -> tuple[Number, ...]:
        """Return the numbers of cells."""
        return tuple(self._now[cell] for cell in cells if cell is not None)

    def _place(self, address: Src) -> VariablePart:
        place = self.private.place(address)
        if place is None:
            raise UnprovedError  # an address stored elsewhere
        return place

    def _steps(self, place: VariablePart) -> Hashable:
        """Return the fields and indices that lead to an element of a variable, and its type."""
        steps = tuple(
            ("index", self.values.read(step)) if isinstance(step, Src) else step
            for step in (*place.path, place.component)
        )
        return steps, place.type_name
