"""Slots of accesses of Intel's URB entries.

An access names a place of an entry. Which slot that is, the map says that the driver prints below the dump
(`nirls.ir.io.urb_maps`). A variable offset is no obstacle if it is a multiple of the size of a vertex or
primitive, since the accesses of all vertices then name the same slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from nirls.ir.analysis.tessellation import PrimitiveMode
from nirls.ir.io.backend import BackendAccess
from nirls.ir.io.urb_maps import PATCH_HEADER, VEC4, Place, UrbMap, UrbMaps
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Src

NOT_CONSTANT = "its offset, mask or handle varies"
NO_MAP = "no VUE map follows"
IN_PAYLOAD = "the payload of a task shader has no slots"
NOT_IN_MAP = "the map below the dump does not say"

_ACCESSES = frozenset(
    {
        *("load_urb_vec4_intel", "load_urb_lsc_intel", "store_urb_vec4_intel", "store_urb_lsc_intel"),
        "load_attribute_payload_intel",
    }
)
_IS_INPUT = {
    "load_urb_input_handle_intel": True,
    "load_urb_input_handle_indexed_intel": True,
    "load_urb_output_handle_intel": False,
}
_DEEPEST = 16
"""Operations of an address that are followed."""

_OUTER, _INNER = varying_slot("TESS_LEVEL_OUTER"), varying_slot("TESS_LEVEL_INNER")
_Header = Mapping[int, Place]


def _header(levels: str) -> _Header:
    """Read the levels of the dwords 0 to 7: `XYZW` outer, `xy` inner ones, `.` for none."""
    return {
        dword: (_INNER if level.islower() else _OUTER, "xyzw".index(level.lower()))
        for dword, level in enumerate(levels)
        if level != "."
    }


_HEADERS_SINCE_GFX12 = {
    PrimitiveMode.QUADS: _header("XYZWxy.."),
    PrimitiveMode.TRIANGLES: _header("XYZ.x..."),
    PrimitiveMode.ISOLINES: _header("YX......"),
}
_HEADERS_BEFORE_GFX12 = {
    PrimitiveMode.QUADS: _header("..yxWZYX"),
    PrimitiveMode.TRIANGLES: _header("....xZYX"),
    PrimitiveMode.ISOLINES: _header("......XY"),
}
"""Patch headers (Mesa: brw_nir.c, remap_tess_levels)."""


@dataclass(frozen=True, slots=True)
class _Steps:
    """The numbers `first + n * step` for any integer n; one number if `step` is 0, any number if it is 1."""

    first: int
    step: int

    def plus(self, other: _Steps) -> _Steps:
        return _Steps(self.first + other.first, gcd(self.step, other.step))

    def times(self, factor: int) -> _Steps:
        return _Steps(self.first * factor, self.step * abs(factor))

    def shifted_right(self, bits: int) -> _Steps:
        return _ANY if self.step % (1 << bits) else _Steps(self.first >> bits, self.step >> bits)


_ANY = _Steps(0, 1)


@dataclass(frozen=True, slots=True)
class _Address:
    """Address of lane 0 in dwords: the constant `base`, which the access prints, and an offset."""

    is_input: bool
    base: int
    offset: _Steps


class UrbSlots:
    """The slots of the URB accesses of one shader, by the maps printed below it."""

    def __init__(self, shader: Shader, maps: UrbMaps) -> None:
        self._shader = shader
        self._maps = maps

    def accesses(self, instr: IntrinsicInstr) -> tuple[BackendAccess, ...]:
        """Return the accesses of an instruction, one for each slot; empty if no slot is known."""
        found = self._address_and_lanes(instr)
        layout = None if found is None else self._map(found[0])
        if found is None or layout is None:
            return ()
        address, lanes = found
        is_store = instr.def_ is None
        by_slot: dict[tuple[int, int], list[int]] = {}
        for lane in lanes:
            place = self._place(layout, address, lane)
            if place is not None:
                by_slot.setdefault((place[0], place[1] - lane), []).append(lane)
        return tuple(
            BackendAccess(not address.is_input, is_store, slot, 1, component, tuple(of_slot))
            for (slot, component), of_slot in by_slot.items()
        )

    def why_unknown(self, instr: IntrinsicInstr) -> str:
        """Return why no slot of an URB access is known; "" for other instructions, and for known slots."""
        if instr.name not in _ACCESSES or self.accesses(instr):
            return ""
        found = self._address_and_lanes(instr)
        if found is None:
            return NOT_CONSTANT
        is_input, stage = found[0].is_input, self._shader.stage
        if stage is Stage.TASK or (stage is Stage.MESH and is_input):
            return IN_PAYLOAD
        layout = self._map(found[0])
        if layout is None:
            return NO_MAP
        return NOT_CONSTANT if found[0].offset.step else NOT_IN_MAP

    def _map(self, address: _Address) -> UrbMap | None:
        return next((urb_map for urb_map in self._maps if urb_map.is_input is address.is_input), None)

    def _place(self, layout: UrbMap, address: _Address, lane: int) -> Place | None:
        first, step = address.base + address.offset.first + lane, address.offset.step
        # Offsets are not negative: an access behind the start of a region stays behind it.
        region = layout.region_at(address.base + lane if step else first)
        if region is None:
            return None
        if layout.has_patch_header and not step and 0 <= first < PATCH_HEADER:
            return self._level(first)
        if step and (not region.stride or step % region.stride):
            return None
        place = (first - region.start) % region.stride if region.stride else first - region.start
        return region.places[place] if place < len(region.places) else None

    def _level(self, dword: int) -> Place | None:
        """Return the tessellation level at a dword, if all headers that the shader may have agree."""
        found = {header.get(dword) for header in self._headers}
        return found.pop() if len(found) == 1 else None

    @cached_property
    def _headers(self) -> Sequence[_Header]:
        """The patch headers that the shader may have, by its domain and by the dwords that it accesses."""
        number = self._shader.header_value("primitive_mode") or ""
        modes = [mode for mode in _HEADERS_SINCE_GFX12 if number == str(mode.value)]
        modes = modes or list(_HEADERS_SINCE_GFX12)
        new, old = ([of[mode] for mode in modes] for of in (_HEADERS_SINCE_GFX12, _HEADERS_BEFORE_GFX12))
        in_new, in_old = ({dword for header in headers for dword in header} for headers in (new, old))
        touched = set(self._header_dwords())
        is_new, is_old = touched & (in_new - in_old), touched & (in_old - in_new)
        return [*(new if is_new or not is_old else ()), *(old if is_old or not is_new else ())]

    def _header_dwords(self) -> Iterator[int]:
        for instr in self._shader.instrs():
            if not isinstance(instr, IntrinsicInstr):
                continue
            found = self._address_and_lanes(instr)
            layout = None if found is None else self._map(found[0])
            if found is not None and layout is not None and layout.has_patch_header:
                address, lanes = found
                if instr.name == "load_attribute_payload_intel" and instr.def_ is not None:
                    lanes = tuple(range(instr.def_.num_components))  # of the levels alone
                if not address.offset.step:
                    yield from (address.base + address.offset.first + lane for lane in lanes)

    def _address_and_lanes(self, instr: IntrinsicInstr) -> tuple[_Address, tuple[int, ...]] | None:
        """Return address and accessed lanes; None for other instructions, and for unknown ones."""
        base, sources = instr.int_index("base"), instr.sources
        value = instr.def_ if instr.def_ is not None or not sources else sources[0]
        if instr.name not in _ACCESSES or value is None or value.bit_size != 32:
            return None
        lanes: Sequence[int] = range(value.num_components)
        match instr.name:
            case "load_attribute_payload_intel" if self._shader.stage is Stage.TESS_EVAL and sources:
                offset = _steps(sources[0]).shifted_right(2)
                return _Address(True, 0, offset), _lanes_read(instr)
            case "load_urb_vec4_intel" if len(sources) == 2:
                address = _of_vec4(base, sources[0], sources[1])
                lanes = _lanes_read(instr)
            case "store_urb_vec4_intel" if len(sources) == 4:
                address = _of_vec4(base, sources[1], sources[2])
                mask = _steps(sources[3])
                if mask.step:
                    return None
                lanes = [lane for lane in lanes if mask.first >> lane & 1]
            case "load_urb_lsc_intel" | "store_urb_lsc_intel" if sources:
                address = _of_bytes(base, sources[-1])
            case _:
                return None
        return None if address is None else (address, tuple(lanes))


def _of_vec4(base: int, handle: Src, offset: Src) -> _Address | None:
    is_input, rest = _handle(handle)
    return (
        None
        if is_input is None or rest != _Steps(0, 0)
        else _Address(is_input, base * VEC4, _steps(offset).times(VEC4))
    )


def _of_bytes(base: int, address: Src) -> _Address | None:
    is_input, offset = _handle(address)
    if is_input is None or base % 4:
        return None
    return _Address(is_input, base // 4, offset.shifted_right(2))


def _handle(src: Src, depth: int = _DEEPEST) -> tuple[bool | None, _Steps]:
    """Split an address into handle and offset: whether the handle is of an input, None for no handle."""
    maker = src.def_instr
    if isinstance(maker, IntrinsicInstr):
        return _IS_INPUT.get(maker.name), _Steps(0, 0)
    if isinstance(maker, AluInstr) and maker.op == "iadd" and depth:
        for handle, offset in (maker.sources, maker.sources[::-1]):
            is_input, rest = _handle(handle, depth - 1)
            if is_input is not None:
                return is_input, rest.plus(_steps(offset))
    return None, _ANY


def _steps(src: Src, component: int = 0, depth: int = _DEEPEST) -> _Steps:
    """Return the numbers that a source may be."""
    if isinstance(src, AluSrc):
        if src.negate or src.abs:
            return _ANY
        component = src.swizzle[component] if component < len(src.swizzle) else 0
    maker = src.def_instr
    if isinstance(maker, LoadConstInstr) and component < len(maker.values):
        bits = maker.values[component]
        return _Steps(bits - (1 << 32) if bits >> 31 else bits, 0)
    if not isinstance(maker, AluInstr) or not depth or src.def_ is None or src.def_.num_components != 1:
        return _ANY
    given = [_steps(source, 0, depth - 1) for source in maker.sources]
    match maker.op, given:
        case "mov", [one]:
            return one
        case "iadd", [first, second]:
            return first.plus(second)
        case "imul" | "imul_32x16" | "amul" | "umul24" | "imul24", [first, second]:
            if not second.step:
                return first.times(second.first)
            return second.times(first.first) if not first.step else _ANY
        case "ishl", [first, second] if not second.step:
            return first.times(1 << (second.first & 31))
        case "ishr" | "ushr", [first, second] if not second.step:
            return first.shifted_right(second.first & 31)
    return _ANY


def _lanes_read(load: IntrinsicInstr) -> tuple[int, ...]:
    """Return the components of a load that are used; it loads whole vec4s. All if none is used."""
    value = load.def_
    assert value is not None
    everything = range(value.num_components)
    read: set[int] = set()
    for use in value.uses:
        read.update(use.swizzle if isinstance(use, AluSrc) else everything)
    return tuple(lane for lane in everything if lane in read or not read)
