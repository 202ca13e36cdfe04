"""Layouts of Intel's URB entries, as the driver prints them below a dump.

With `INTEL_DEBUG`, a VUE map of vertices, a PUE map of patches or a MUE map of meshlets follows the last dump
of a shader (Mesa: brw_vue_map.c, brw_mesh.cpp). Entries are counted in dwords here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.text.structure import intrinsic_names

Place = tuple[int, int]
"""A slot and a component."""

UrbMaps = tuple["UrbMap", ...]
"""The maps of the entries that one shader reads and writes."""

VEC4 = 4
"""Dwords of a slot."""
PATCH_HEADER = 2 * VEC4
"""Dwords that hold the tessellation levels."""

# The lengths are limited: a log may repeat any part of a map without end.
_REST = rb"[^\n]{0,400}"
_ROWS = rb"(?P<rows>(?>%b\[\d+\] \w+[ \t\r]*\n){1,200})" % _REST
_MAP = re.compile(
    rb"\b(?P<side>Input|Output) %b\b[VP]UE map \(\d+ slots(?:, (?P<patch>\d{1,3})/patch)?%b\n"
    % (_REST, _REST)
    + _ROWS
)
_MESH_MAP = re.compile(
    rb"\bOutput MUE map \(%b\n(?P<fields>(?>(?!%b\b(?:VUE|MUE) map )%b\b\w+:%b\n){1,200}+)%b\bVUE map \(%b\n"
    % (_REST, _REST, _REST, _REST, _REST, _REST)
    + _ROWS
)
_ROW = re.compile(rb"\[\d+\] (\w+)")
_FIELD = re.compile(rb"\b(\w+):[ \t]+(\d{1,6})\b(?: \(relative (\d{1,6})\))?")

_LEVELS = frozenset(("VARYING_SLOT_TESS_LEVEL_OUTER", "VARYING_SLOT_TESS_LEVEL_INNER"))
_VERTEX_HEADER = (None, (varying_slot("LAYER"), 0), (varying_slot("VIEWPORT"), 0), (varying_slot("PSIZ"), 0))
"""The vec4 that the maps call PSIZ."""
_SCALARS = frozenset(
    slot_number(f"VARYING_SLOT_{name}")
    for name in ("LAYER", "VIEWPORT", "PRIMITIVE_SHADING_RATE", "CULL_PRIMITIVE")
)
_PRIMITIVE_COUNT = slot_number("VARYING_SLOT_PRIMITIVE_COUNT")


@dataclass(frozen=True, slots=True)
class UrbRegion:
    """Records of `stride` dwords from the dword `start` of an entry on; one record if `stride` is 0.

    `places` are those of the dwords of a record, None where there is no slot.
    """

    start: int
    stride: int
    places: tuple[Place | None, ...]


@dataclass(frozen=True, slots=True)
class UrbMap:
    """The regions of an input or output entry, by their start."""

    is_input: bool
    regions: tuple[UrbRegion, ...]
    has_patch_header: bool = False

    def region_at(self, dword: int) -> UrbRegion | None:
        """Return the region with a dword."""
        return next((region for region in reversed(self.regions) if region.start <= dword), None)


def has_urb_accesses(text: bytes) -> bool:
    """Whether a dump accesses URB entries."""
    return any(
        name == b"load_attribute_payload_intel" or (b"_urb_" in name and name.endswith(b"_intel"))
        for name in intrinsic_names(text)
    )


def urb_maps(text: bytes) -> UrbMaps:
    """Find the maps in the text below a dump."""
    return (*_vertex_and_patch_maps(text), *_mesh_maps(text))


def _vertex_and_patch_maps(text: bytes) -> Iterator[UrbMap]:
    for match in _MAP.finditer(text):
        names = [name.decode() for name in _ROW.findall(match["rows"])]
        is_input = match["side"] == b"Input"
        if match["patch"] is None:
            yield UrbMap(is_input, (UrbRegion(0, 0, _places(names)),))
            continue
        per_patch = int(match["patch"])
        patch, vertex = _places(names[:per_patch]), _places(names[per_patch:])
        regions = UrbRegion(0, 0, patch), UrbRegion(len(patch), len(vertex), vertex)
        yield UrbMap(is_input, regions if vertex else regions[:1], _LEVELS.issubset(names[:2]))


def _mesh_maps(text: bytes) -> Iterator[UrbMap]:
    for match in _MESH_MAP.finditer(text):
        fields: dict[str, int] = {}
        records: list[Place | None] = []
        for name, number, relative in _FIELD.findall(match["fields"]):
            fields[name.decode()] = int(number)
            slot = slot_number(name.decode())
            if relative and slot >= 0:
                start, size = int(relative) // 4, 1 if slot in _SCALARS else VEC4
                records += [None] * (start + size - len(records))
                records[start : start + size] = [(slot, component) for component in range(size)]
        names = [name.decode() for name in _ROW.findall(match["rows"])]
        regions = [UrbRegion(0, 0, ((_PRIMITIVE_COUNT, 0),))]
        for kind, places in (("primitive", tuple(records)), ("vertex", _places(names))):
            start, stride = fields.get(f"{kind}_offset", 0), fields.get(f"{kind}_stride", 0)
            if start and stride:
                regions.append(UrbRegion(start // 4, stride // 4, places))
        yield UrbMap(is_input=False, regions=tuple(sorted(regions, key=lambda region: region.start)))


def _places(names: Sequence[str]) -> tuple[Place | None, ...]:
    places: list[Place | None] = []
    for name in names:
        slot = slot_number(name)
        if slot == varying_slot("PSIZ"):
            places += _VERTEX_HEADER
        else:
            places += [(slot, component) if slot >= 0 else None for component in range(VEC4)]
    return tuple(places)
