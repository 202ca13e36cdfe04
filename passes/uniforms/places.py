"""Locations of uniforms: buffer and byte offset of a load."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.access import VOLATILE
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, constant_of
from nirls.ir.model.values import Def, Src
from nirls.passes.cleanup.copies import copied_component, is_copy

PUSH = "push"
MOST_BYTES = 0xFFFF * 4
"""Maximum byte offset that can be inlined: Mesa's word numbers have 16 bits."""

UNIFORM_LOADS = frozenset(("load_push_constant", "load_ubo", "load_ubo_vec4"))


@dataclass(frozen=True, slots=True, order=True)
class UniformWord:
    """A 32-bit word of a buffer. `buffer` is a UBO number, `push`, or SET.BINDING of a descriptor.

    `offset` is in bytes, a multiple of 4. Printed `0:16`.
    """

    buffer: str
    offset: int

    def __str__(self) -> str:
        return f"{self.buffer}:{self.offset}"


@dataclass(frozen=True, slots=True)
class UniformLoad:
    """A load from a constant location. `offset` is the byte offset of its first component."""

    instr: IntrinsicInstr
    value: Def
    buffer: str
    offset: int

    def place(self, component: int) -> UniformWord:
        """Return the word with the first byte of a component."""
        return UniformWord(self.buffer, self.byte(component) & ~3)

    def words(self, component: int) -> tuple[UniformWord, ...]:
        """Return the words that a component overlaps, lowest first."""
        first = self.byte(component)
        last = first + max(self.value.bit_size // 8, 1) - 1
        return tuple(UniformWord(self.buffer, word) for word in range(first & ~3, last + 1, 4))

    def byte(self, component: int) -> int:
        """Return the byte offset of a component."""
        return self.offset + component * max(self.value.bit_size // 8, 1)


def uniform_load(instr: Instr | None) -> UniformLoad | None:
    """Return the location of a uniform load; None for other instructions and for variable locations.

    Boolean and volatile loads are excluded. Offsets of `load_ubo_vec4` are in units of 16 bytes.
    """
    if not isinstance(instr, IntrinsicInstr) or instr.name not in UNIFORM_LOADS or instr.def_ is None:
        return None
    if instr.int_index("access") & VOLATILE or instr.def_.bit_size % 8:
        return None
    base = instr.int_index("base")
    if instr.name == "load_push_constant":
        offset = _offset(instr.sources[0], None) if len(instr.sources) == 1 else None
        return None if offset is None else UniformLoad(instr, instr.def_, PUSH, offset + base)
    if len(instr.sources) != 2:
        return None
    named = _buffer(instr.sources[0])
    if named is None:
        return None
    offset = _offset(instr.sources[1], named[1])
    if offset is None:
        return None
    if instr.name == "load_ubo_vec4":
        size = max(instr.def_.bit_size // 8, 1)
        offset = (offset + base) * 16 + instr.int_index("component") * size
    return UniformLoad(instr, instr.def_, named[0], offset)


def _buffer(src: Src) -> tuple[str, Def | None] | None:
    """Return the name of a buffer, and its descriptor if it has one; None if not constant."""
    if src.def_ is None:
        return None
    index = _constant(src.def_, 0)
    if index is not None:
        return (str(index), None) if src.def_.num_components == 1 else None
    descriptor, component = _origin(src.def_, 0)
    name = _descriptor_name(descriptor) if component == 0 else None
    return None if name is None else (name, descriptor)


def _descriptor_name(value: Def) -> str | None:
    loaded = value.instr
    if not isinstance(loaded, IntrinsicInstr) or loaded.name != "load_vulkan_descriptor":
        return None
    instr = loaded.sources[0].def_instr if loaded.sources else None
    if not isinstance(instr, IntrinsicInstr) or instr.name != "vulkan_resource_index" or not instr.sources:
        return None
    array_index = instr.sources[0].def_
    if array_index is None or _constant(array_index, 0) != 0:
        return None
    return f"{instr.int_index('desc_set')}.{instr.int_index('binding')}"


def _offset(src: Src, descriptor: Def | None) -> int | None:
    """Return a constant offset, relative to the offset in the buffer's descriptor; None if not constant."""
    if src.def_ is None or src.def_.num_components != 1:
        return None
    known = _constant(src.def_, 0)
    if known is not None or descriptor is None:
        return known
    if _origin(src.def_, 0) == (descriptor, 1):
        return 0
    added = src.def_.instr
    if not isinstance(added, AluInstr) or added.op != "iadd" or any(s.def_ is None for s in added.sources):
        return None
    for one, other in (added.sources, reversed(added.sources)):
        if one.negate or one.abs or other.negate or other.abs or "sat" in added.flags:
            return None
        if _origin(one.ssa, one.swizzle[0]) == (descriptor, 1):
            return _constant(other.ssa, other.swizzle[0])
    return None


def _constant(value: Def, component: int) -> int | None:
    origin, place = _origin(value, component)
    bits = constant_of(origin)
    return None if bits is None or place >= len(bits) else bits[place]


def _origin(value: Def, component: int) -> tuple[Def, int]:
    """Return the value and component that a component is copied from."""
    seen: set[Def] = set()
    while value.instr is not None and is_copy(value.instr) and value not in seen:
        seen.add(value)
        assert isinstance(value.instr, AluInstr)
        value, component = copied_component(value.instr, component)
    return value, component
