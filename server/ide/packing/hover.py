"""The packing of varyings around one slot, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from nirls.ir.io.access import io_access, slot_read_as
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.view import IoView
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.slots import slot_number
from nirls.passes.varyings.interface.decisions import Fate
from nirls.passes.varyings.interface.payload_accesses import bytes_accessed
from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.packing.ledger import LedgerLine
from nirls.passes.varyings.packing.table import PackingCell, PackingTable, PairPacking
from nirls.server.ide.cursor.entities import IntrinsicEntity, SlotEntity
from nirls.server.ide.packing.varying_flow import is_input

_ROWS = 6
"""Largest number of table rows around the slot, to keep the hover small."""

_LONGEST_LABEL = 24
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


_PLANS = {
    Fate.REMOVED: "would remove",
    Fate.UNWRITTEN: "would replace the loads of",
    Fate.PROPAGATED: "would propagate",
    Fate.DEDUPLICATED: "would deduplicate",
    Fate.MOVED_TO_PRODUCER: "would move into the producer what reads",
    Fate.MOVED_TO_CONSUMER: "would compute in the consumer",
    Fate.RESULT: "would replace",
    Fate.NO_VARYING: "would send no more",
    Fate.PACKED: "would pack",
    Fate.KEPT: "keeps",
}
"""What `opt_varyings` does to a scalar, to follow the name of the pass: the dump is as it was before."""


def packing_around(
    pairs: Sequence[PairPacking], position: int, slot: SlotEntity, told: Set[str] = frozenset()
) -> str:
    """Format the packing of a slot's interface before and after, with the slot marked.

    `position` is the position in the pipeline of the dump with the slot. `told` has the names of the scalars
    whose fate a finding at the same place tells. Empty if there is nothing to show.
    """
    reads = is_input(slot.node)
    number = position - 1 if reads else position
    if reads is None or not slot.name.startswith("VARYING_SLOT_") or not 0 <= number < len(pairs):
        return ""
    return _packing(pairs[number], _places(slot), told)


def _packing(pair: PairPacking, marked: frozenset[tuple[int, int]], told: Set[str] = frozenset()) -> str:
    if pair.obstacle and not pair.before.cells:
        return ""
    here = {cell for cell in pair.before.cells if (cell.location, cell.component) in marked}
    before = _markdown("slots" if pair.obstacle else "before", pair.before, here)
    if pair.obstacle:
        return f"**{pair.summary}**\n\n{before}"
    names = {cell.name for cell in here}
    moved = {cell for cell in pair.after.cells if (cell.came_from or cell.name) in names}
    after = _markdown("after", pair.after, moved)
    parts = (f"**{pair.summary}**", _ledger(pair, marked, told), before, after)
    return "\n\n".join(filter(None, parts))


def is_sent(stage: IoView, entity: SlotEntity | IntrinsicEntity) -> bool:
    """Whether an entity names varyings or bytes of a payload."""
    if isinstance(entity, SlotEntity):
        return is_input(entity.node) is not None
    return bool(stage.accesses_of(entity.instr)) or bytes_accessed(entity.instr) is not None


def ledger_around(
    pairs: Sequence[PairPacking],
    position: int,
    instr: IntrinsicInstr,
    stage: IoView,
    told: Set[str] = frozenset(),
) -> str:
    """Format the ledger lines of the scalars that an access reads or writes; "" for other instructions.

    For backend I/O, which no pass changes, this is the packing with the slots marked. `stage` is the one at
    `position`; for `told` see `packing_around`.
    """
    where = bytes_accessed(instr)
    if where is not None:
        beside = [pair for pair in pairs[max(0, position - 1) : position + 1] if pair.payload_bytes]
        return _listed((line for pair in beside for line in pair.ledger.lines_of_bytes(where)), told)
    accesses = stage.accesses_of(instr)
    number = position if accesses and accesses[0].is_output else position - 1
    if not accesses or not 0 <= number < len(pairs):
        return ""
    places = frozenset().union(*(access.places for access in accesses))
    if accesses[0].form is LoweringLevel.BACKEND_IO:
        return _packing(pairs[number], places)
    return _ledger(pairs[number], places, told)


def _ledger(pair: PairPacking, places: frozenset[tuple[int, int]], told: Set[str]) -> str:
    read_as = sorted((slot_read_as(location, pair.consumer), component) for location, component in places)
    return _listed((line for place in read_as for line in pair.ledger.lines_at(*place)), told)


def _listed(lines: Iterable[LedgerLine], told: Set[str]) -> str:
    shown = (line for line in lines if line.fate is Fate.KEPT or line.name not in told)
    return "\n".join(f"- `{_one_line(_plan(line))}`" for line in shown)


def _plan(line: LedgerLine) -> str:
    reason = f": {line.reason}" if line.reason else ""
    return f"opt_varyings {_PLANS[line.fate]} {line.name}{line.where}{reason}"


def _one_line(text: str) -> str:
    """Replace what would end a code span."""
    return _CONTROL.sub(" ", text).replace("`", "'")


def _places(slot: SlotEntity) -> frozenset[tuple[int, int]]:
    """Return the slots and components of an access, or all components of a declared slot."""
    access = io_access(slot.node, None) if isinstance(slot.node, IntrinsicInstr) else None
    if access is not None:
        return access.places
    return frozenset((slot_number(slot.name), component) for component in range(4))


def _markdown(title: str, table: PackingTable, marked: set[PackingCell]) -> str:
    rows = table.rows()
    if not rows:
        return f"{title}: no varyings"
    wanted = [
        number for number, (location, _) in enumerate(rows) if location in {cell.location for cell in marked}
    ]
    middle = wanted[0] if wanted else 0
    begin = max(0, min(middle - _ROWS // 2, len(rows) - _ROWS))
    shown = rows[begin : begin + _ROWS]
    lines = [f"| {title} | x | y | z | w |", "| --- | --- | --- | --- | --- |"]
    for location, columns in shown:
        texts = ["<br>".join(_cell(cell, cell in marked) for cell in column) for column in columns]
        lines.append(f"| {short_name(location)} | {' | '.join(texts)} |")
    if len(shown) < len(rows):
        lines.append(f"\n{len(rows) - len(shown)} more slots.")
    return "\n".join(lines)


def _cell(cell: PackingCell, is_marked: bool) -> str:
    label = _escaped(cell.label) or "?"
    range_, half = "[]" if cell.indirect else "", f" {cell.half.value}" if cell.half.value else ""
    text = f"`{label}{range_}`{half} {cell.group.value}"
    return f"**\u25b6 {text}**" if is_marked else text


def _escaped(label: str) -> str:
    """Escape text of a dump for a code span in a table cell."""
    text = _CONTROL.sub(" ", label).strip()
    if len(text) > _LONGEST_LABEL:
        text = text[: _LONGEST_LABEL - 3] + "..."
    return text.replace("`", "'").replace("\\", "/").replace("|", "\\|")
