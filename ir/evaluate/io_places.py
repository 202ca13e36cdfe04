"""Which slot and component an input or output instruction names, and how its numbers are to be read."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.instructions import IntrinsicInstr


@dataclass(frozen=True, slots=True)
class IoPlace:
    """The fixed part of an I/O access. `base` is `float`, `int`, `uint` or `bool`."""

    slot: int
    component: int
    high_16bits: bool
    base: str
    num_slots: int

    def at(self, component: int, bit_size: int) -> tuple[int, int]:
        """Slot and component of the n-th component of a vector that starts here; doubles take two."""
        position = self.component + component * (2 if bit_size == 64 else 1)
        return self.slot + position // 4, position % 4


def io_place(instr: IntrinsicInstr) -> IoPlace:
    """The place of an access; where a dump tells no slot, its `base` stands in."""
    semantics = instr.io_semantics
    if semantics is None or semantics.location < 0:
        # Unit tests print UNKNOWN for slots without a name; `base` then tells them apart.
        slot = -1000 - instr.int_index("base")
        high = semantics is not None and semantics.has("high_16bits")
        num_slots = 1 if semantics is None else semantics.num_slots
    else:
        slot, high, num_slots = semantics.location, semantics.has("high_16bits"), semantics.num_slots
    kind = instr.indices.get("dest_type", instr.indices.get("src_type", "float32"))
    base = str(kind).rstrip("0123456789") if isinstance(kind, str) else "float"
    if base not in ("float", "int", "uint", "bool"):
        base = "float"
    return IoPlace(slot, instr.int_index("component"), high, base, num_slots)
