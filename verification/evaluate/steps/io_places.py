"""Varying slots accessed by I/O instructions and derefs, per lane."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.io.access import io_access
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_number
from nirls.ir.tables.entries import base_type
from nirls.verification.evaluate.values.wanted_types import wanted_base

_SECOND_COLOR = slot_number("FRAG_RESULT_DUAL_SRC_BLEND")


@dataclass(frozen=True, slots=True)
class IoPlace:
    """The fixed part of an I/O access. `base` is `float`, `int`, `uint`, `bool` or `mixed`."""

    slot: int
    component: int
    high_16bits: bool
    base: str

    def at(self, component: int, bit_size: int) -> tuple[int, int]:
        """Return slot and component of the n-th component of a vector that starts here; doubles take two."""
        position = self.component + component * (2 if bit_size == 64 else 1)
        return self.slot + position // 4, position % 4


def io_place(instr: IntrinsicInstr) -> IoPlace:
    """Return the place of an access without its offset; without a slot in the dump, `base` is used.

    A declared type says little about a load: drivers load floats as `uint32`. Its uses count too.
    """
    access = io_access(instr, None)
    kind = instr.indices.get("dest_type", instr.indices.get("src_type", "float32"))
    base = wanted_base(instr.def_, base_type(kind) or "float")
    semantics = instr.io_semantics
    high = semantics is not None and semantics.has("high_16bits")
    # Unit tests print UNKNOWN for slots without a name; `base` then distinguishes them.
    if access is None:
        return IoPlace(-1000 - instr.int_index("base"), instr.int_index("component"), high, base)
    is_second = semantics is not None and semantics.has("dualsrc")
    return IoPlace(_SECOND_COLOR if is_second else access.location, access.component, high, base)


def has_lowered_io(shader: Shader) -> bool:
    """Return whether any input or output is accessed by its slot."""
    return any(
        instr.io_semantics is not None for instr in shader.instrs() if isinstance(instr, IntrinsicInstr)
    )
