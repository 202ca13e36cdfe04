"""Alias analysis of memory accesses.

Accesses to one kind of memory are distinguished by variable, buffer index and byte range, as far as the
header and the access flags of the shader allow.
"""

from __future__ import annotations

from nirls.ir.effects.effects import Access
from nirls.ir.model.access import RESTRICT
from nirls.ir.model.instructions import DerefInstr, LoadConstInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Src

_BUFFERS = frozenset(("ssbo", "global", "counter", "gds"))
"""Memory behind addresses: a buffer that has an index has an address too."""

_BY_VARIABLE = frozenset(("shared", "output", "task_payload", "register", "input", "ray", "query"))
"""Memory whose variables are places of their own, unless the shader lays them out explicitly."""


class MemoryModel:
    """Alias analysis of one shader."""

    __slots__ = ("shared_variables_overlap",)

    def __init__(self, shader: Shader) -> None:
        self.shared_variables_overlap = shader.header_value("shared_memory_explicit_layout") == "true"
        """Whether variables of shared memory may overlap."""

    def may_alias(self, one: Access, other: Access) -> bool:
        """Whether two accesses may overlap; those of two invocations may have different values in ranges."""
        common = one.memories & other.memories
        if not common:
            return bool(one.memories & _BUFFERS and other.memories & _BUFFERS) and not self._are_restricted(
                one, other
            )
        if len(one.memories | other.memories) > 1:
            return True
        (memory,) = common
        if one.deref is not None or other.deref is not None:
            return self._derefs_alias(memory, one, other)
        if not _same_resource(one.resource, other.resource) and memory == "ssbo":
            return not self._are_restricted(one, other)
        if one.range is None or other.range is None or (one.per_subgroup or other.per_subgroup):
            return True
        return not one.range.is_constant or one.range.overlaps(other.range)

    def _derefs_alias(self, memory: str, one: Access, other: Access) -> bool:
        first, second = variable_of(one.deref), variable_of(other.deref)
        if first is None or second is None or first is second:
            return True
        if memory in _BY_VARIABLE:
            return memory == "shared" and self.shared_variables_overlap
        return not self._are_restricted(one, other)

    def _are_restricted(self, one: Access, other: Access) -> bool:
        """Whether one of two different variables is `restrict`, so that no other accesses its memory."""
        return any(is_restricted(access) for access in (one, other))


def is_restricted(access: Access) -> bool:
    """Whether an access or its variable is `restrict`."""
    if access.flags & RESTRICT:
        return True
    variable = variable_of(access.deref)
    return variable is not None and "restrict" in (*variable.access, *variable.qualifiers)


def variable_of(deref: DerefInstr | None) -> Variable | None:
    """Return the variable of a deref chain; None if the chain starts with a cast."""
    at = deref
    while at is not None and at.deref_kind != "var":
        if at.deref_kind == "cast":
            return None
        at = at.parent_deref
    return None if at is None else at.var


def _same_resource(one: Src | None, other: Src | None) -> bool:
    """Whether two buffer indices may be equal, which they are not if they are different constants."""
    first, second = _constant(one), _constant(other)
    return first is None or second is None or first == second


def _constant(src: Src | None) -> int | None:
    maker = None if src is None else src.def_instr
    return maker.values[0] if isinstance(maker, LoadConstInstr) and maker.values else None
