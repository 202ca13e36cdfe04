"""An environment and a supply of inputs that give a run the values of a user, and make up all others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Base, Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value
from nirls.verification.tracing.given_values import PlacedValues

_WORD = 32


@dataclass(slots=True)
class GivenEnvironment(Environment):
    """An environment of one draw in which some words and uniforms are given.

    `read` collects the names of those that a shader has read.
    """

    placed: PlacedValues = field(default_factory=PlacedValues)
    read: set[str] = field(default_factory=set)

    def _types_of_words(
        self, space: str, places: Sequence[tuple[int, int]], base: Base, bit_size: int
    ) -> list[tuple[Base, int]]:
        """Fix the number types of words; a given word gets its bits then."""
        types = Environment._types_of_words(self, space, places, base, bit_size)
        for place, (kind, size) in zip(places, types, strict=True):
            given = self.placed.words.get((space, *place))
            if given is not None:
                name, value = given
                self.read.add(name)
                bits = value.bits(kind, size) if size == _WORD else value.bits("uint", _WORD)
                self._words[space].fixed[*place, 0] = bits
        return types

    def uniform(self, spaces: Sequence[object], numbers: Sequence[int], base: Base, bit_size: int) -> Array:
        """Return uniforms by variable; see `Environment.uniform`."""
        rows = Environment.uniform(self, spaces, numbers, base, bit_size)
        return self._with_variables(spaces, numbers, rows, base, bit_size)

    def uniform_at(
        self, spaces: Sequence[object], indices: Sequence[Array | int], base: Base, bit_size: int
    ) -> Array:
        """Return uniforms at indices that differ between lanes; see `Environment.uniform_at`."""
        rows = Environment.uniform_at(self, spaces, indices, base, bit_size)
        return self._with_variables(spaces, indices, rows, base, bit_size)

    def _with_variables(
        self, spaces: Sequence[object], indices: Sequence[Array | int], rows: Array, base: Base, bit_size: int
    ) -> Array:
        if not self.placed.variables:
            return rows
        given = rows.copy()
        for row, space in enumerate(spaces):
            path, component = _path_of(space)
            for (own, elements, number), (name, value) in self.placed.variables.items():
                if (own, number) != (path, component) or len(elements) != len(indices):
                    continue
                here: Array = np.ones(given.shape[1], np.bool_)
                for index, element in zip(indices, elements, strict=True):
                    here = here & (np.asarray(index) == element)
                if here.any():
                    self.read.add(name)
                    given[row, here] = value.bits(base, bit_size)
        return given


def _path_of(space: object) -> tuple[str, int]:
    """Return the path of a uniform and its component: `("uniform", "lights", ("[]", "pos"), 2)`."""
    match space:
        case (str(), str(name), tuple(shape), int(component)):
            return name + "".join(step if step == "[]" else f".{step}" for step in shape), component
    return "", 0


class GivenInputs:
    """Inputs of the first stage, of which some components are given on all invocations."""

    __slots__ = ("_environment", "_made_up")

    def __init__(self, environment: GivenEnvironment) -> None:
        self._environment = environment
        self._made_up = EnvironmentInputs(environment)

    def read(
        self, launch: Launch, slots: Array, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        """See `InputSupply.read`."""
        value = self._made_up.read(launch, slots, key, base, bit_size, vertex)
        given = [
            (place.slot, *found)
            for place, found in self._environment.placed.inputs.items()
            if place.component == key.component and not key.high_16bits
        ]
        chosen = [(one, slots == one[0]) for one in given]
        if isinstance(key.slot, str) or not any(here.any() for _, here in chosen):
            return value
        bits = value.bits.copy()
        for (_, name, number), here in chosen:
            if here.any():
                self._environment.read.add(name)
                bits[:, here] = number.bits(base, bit_size)
        return Value(bits, bit_size)
