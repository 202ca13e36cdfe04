"""Pointers: the values of derefs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np

from nirls.ir.model.glsl_types import LeafType, array_parts, bare_type, leaf_type
from nirls.ir.model.shader import Variable, unnumbered
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported

_OPAQUE = re.compile(r"(?:[iuv]|i64|u64)?(?:sampler|texture|image)")


class PointerIndex(NamedTuple):
    """An array index: the element of each lane (or one number for all), and the array's length.

    The length is 0 for an unsized array. `poison` and `fragile` are those of the index, shape
    (1, lanes). `is_every` means all elements in order, the `[*]` of copies.
    """

    at: Array | int
    length: int
    poison: Array | None = None
    fragile: Array | None = None
    is_every: bool = False

    def plus(self, more: Array | int) -> PointerIndex:
        return self._replace(at=self.at + more)


_COUNTER = LeafType("uint", 1, 32)
"""The content of GLSL's `atomic_uint`."""


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """Start of a pointer: a variable, or a buffer named by a descriptor.

    `mode` is the printed mode. `frame` is the storage of a local variable. `descriptor` has the
    first component of the descriptor on every lane.
    """

    mode: str
    variable: Variable | None = None
    frame: dict[object, object] | None = None
    descriptor: Array | None = None
    descriptor_poison: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """A location in a variable or buffer: a path of fields and array elements from its root.

    `component` selects inside a vector. `others` are (mask, pointer) alternatives: on the lanes of a mask
    its pointer applies.
    """

    root: Root
    path: tuple[str | PointerIndex, ...]
    type_name: str
    component: PointerIndex | None = None
    others: tuple[tuple[Array, Pointer], ...] = ()

    def member(self, field: str, type_name: str) -> Pointer:
        """Return a pointer to a field of a struct."""
        return self._on_each(lambda one: Pointer(one.root, (*one.path, field), type_name))

    def element(self, index: PointerIndex, type_name: str) -> Pointer:
        """Return a pointer to an element of an array or matrix, or a component of a vector."""
        return self._on_each(lambda one: one._element(index, type_name))

    def _element(self, index: PointerIndex, type_name: str) -> Pointer:
        parts = array_parts(self.type_name)
        if parts is not None:
            return Pointer(self.root, (*self.path, index._replace(length=parts[1])), type_name)
        leaf = leaf_type(self.type_name)
        if leaf is None or self.component is not None:
            raise Unsupported(f"an array deref of {self.type_name}")
        return Pointer(self.root, self.path, self.type_name, index._replace(length=leaf.num_components))

    def beyond(self, index: PointerIndex) -> Pointer:
        """Return a pointer `index` elements further on in the same array."""
        return self._on_each(lambda one: one._beyond(index))

    def _beyond(self, index: PointerIndex) -> Pointer:
        if self.path and isinstance(self.path[-1], PointerIndex):
            last = self.path[-1]
            return Pointer(self.root, (*self.path[:-1], last.plus(index.at)), self.type_name)
        if isinstance(index.at, int) and index.at == 0:
            return self
        raise Unsupported("pointer arithmetic outside of an array")

    def cast(self, type_name: str) -> Pointer:
        """Return the same location as another type, which must have the same layout."""
        if bare_type(type_name) == bare_type(self.type_name):
            return self
        if _OPAQUE.match(type_name) and _OPAQUE.match(self.type_name):
            return self
        raise Unsupported(f"a cast from {self.type_name} to {type_name}")

    def spelled_out(self) -> Iterator[Pointer]:
        """Yield a pointer for each element of the `[*]` steps; the pointer itself without such steps."""
        is_whole = not any(isinstance(step, PointerIndex) and step.is_every for step in self.path)
        if self.others and not is_whole:
            raise Unsupported("all elements of a pointer that differs between invocations")
        steps = [
            [step._replace(at=number, is_every=False) for number in range(step.length)]
            if isinstance(step, PointerIndex) and step.is_every
            else [step]
            for step in self.path
        ]
        for path in product(*steps):
            yield Pointer(self.root, path, self.type_name, self.component, self.others)

    def shape(self) -> tuple[str, ...]:
        """Return the path with `[]` for every array step."""
        return tuple(step if isinstance(step, str) else "[]" for step in self.path)

    def indices(self) -> list[PointerIndex]:
        """Return the array steps of the path."""
        return [step for step in self.path if isinstance(step, PointerIndex)]

    @property
    def leaf(self) -> LeafType:
        """The scalar or vector type of the target (the vector's, for one of its components)."""
        leaf = _COUNTER if self.type_name == "atomic_uint" else leaf_type(self.type_name)
        if leaf is not None and leaf.base == "bfloat":
            raise Unsupported(f"access to a {self.type_name}")
        if leaf is None:
            raise Unsupported(f"access to a whole {self.type_name}")
        return leaf

    def where(self, mask: Array, other: Pointer) -> Pointer:
        """Combine two pointers: `other` on the lanes outside of the mask."""
        if other is self:
            return self
        return Pointer(
            other.root, other.path, other.type_name, other.component, (*other.others, (mask, self))
        )

    def _on_each(self, change: Callable[[Pointer], Pointer]) -> Pointer:
        """Return a pointer of which each alternative is changed."""
        if not self.others:
            return change(self)
        others = tuple((mask, other._on_each(change)) for mask, other in self.others)
        return replace(change(replace(self, others=())), others=others)


def variable_name(variable: Variable) -> str:
    """Identity of a uniform, buffer or opaque variable: its name, else its binding.

    Printers number variables with equal names (`color#0`, formerly `color@0`); two uniforms of one
    name are the same uniform.
    """
    return unnumbered(variable.name) or "/".join((variable.location or "", *variable.data))


def lanes_of(index: PointerIndex, lanes: int) -> Array:
    """Return the element index of every lane."""
    return np.broadcast_to(np.asarray(index.at), (lanes,))
