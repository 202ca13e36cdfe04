"""Slots of Intel's URB entries.

An URB access names a vec4 of an entry. Which slot that is, is decided by the driver; with `INTEL_DEBUG` it is
printed below the dump, as a VUE map of vertices or a PUE map of patches (Mesa: brw_vue_map.c).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr
from nirls.ir.model.values import Src

_MAP = re.compile(
    rb"\b(?P<side>Input|Output) [^\n]*\bmap \(\d+ slots(?:, (?P<patch>\d+)/patch, (?P<vertex>\d+)/vertex)?"
    rb"[^\n]*\n(?P<rows>(?:[^\n]*\[\d+\] \w+[ \t\r]*\n)+)"
)
_ROW = re.compile(rb"\[\d+\] (\w+)")


@dataclass(frozen=True, slots=True)
class UrbMap:
    """The slots of an entry, one for each vec4; `per_patch` of them come once, the others for each vertex."""

    is_input: bool
    slots: tuple[str, ...]
    per_patch: int | None = None

    def slot_at(self, vec4: int) -> str | None:
        """Return the name of the slot at a vec4, None behind the end."""
        if self.per_patch is not None and vec4 >= self.per_patch and len(self.slots) > self.per_patch:
            vec4 = self.per_patch + (vec4 - self.per_patch) % (len(self.slots) - self.per_patch)
        return self.slots[vec4] if 0 <= vec4 < len(self.slots) else None


@dataclass(frozen=True, slots=True)
class UrbAccess:
    """A load or store of the components (vec4, component) of an entry."""

    is_store: bool
    is_input: bool
    components: tuple[tuple[int, int], ...]


def urb_maps(text: bytes) -> Iterator[UrbMap]:
    """Find the maps in the text below a dump."""
    for match in _MAP.finditer(text):
        slots = tuple(name.decode() for name in _ROW.findall(match["rows"]))
        yield UrbMap(match["side"] == b"Input", slots, int(match["patch"]) if match["patch"] else None)


def urb_access(instr: IntrinsicInstr) -> UrbAccess | None:
    """Decode an URB access; None for other intrinsics, and for one with a variable offset."""
    base = instr.int_index("base")
    offset: int | None = None
    mask: int | None = 0xFF
    # The address of the accesses named `lsc` holds the handle, so that only the part in `base` is known.
    if instr.name == "load_urb_vec4_intel" and len(instr.sources) == 2:
        offset = _constant(instr.sources[1])
    elif instr.name == "store_urb_vec4_intel" and len(instr.sources) == 4:
        offset, mask = _constant(instr.sources[2]), _constant(instr.sources[3])
    value = instr.sources[0] if instr.def_ is None else instr.def_
    if offset is None or mask is None:
        return None
    lanes = [lane for lane in range(value.num_components) if mask >> lane & 1]
    modes = instr.indices.get("memory_modes")
    is_input = "shader_in" in (modes if isinstance(modes, tuple) else (str(modes),))
    return UrbAccess(
        instr.def_ is None, is_input, tuple((base + offset + lane // 4, lane % 4) for lane in lanes)
    )


def _constant(src: Src) -> int | None:
    maker = None if src.def_ is None else src.def_.instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) else None
