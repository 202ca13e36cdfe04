"""The worlds that shaders are run in: kinds of numbers and API state that take turns from run to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu_operation import container_type
from nirls.ir.evaluate.environment import Environment, PipelineState
from nirls.ir.evaluate.hashing import fraction, scramble
from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation.comparisons import FLOAT_TYPES, compared_values

Array = NDArray[Any]
Constants = Mapping[int, Array]
"""By bit size, the constants that stand in a shader."""


@dataclass(slots=True)
class SeekingEnvironment(Environment):
    """An environment in which the numbers that a shader names turn up now and then.

    A branch on `mode == 42` is otherwise never taken. With `same_corners`, an input is the same at all
    vertices of a primitive, so that interpolation keeps it.
    """

    constants: Constants = field(default_factory=dict)
    same_corners: bool = False

    def numbers(self, hashes: Array, base: str, bit_size: int, special: Array | bool = False) -> Array:
        """See `Environment.numbers`; a quarter of the numbers are constants of the shader."""
        bits = Environment.numbers(self, hashes, base, bit_size, special)
        known = self.constants.get(bit_size)
        if known is None:
            return bits
        choice = scramble(hashes ^ np.uint64(0x5EEC))
        chosen = known[((choice >> np.uint64(8)) % np.uint64(len(known))).astype(np.int64)]
        return np.where((choice & np.uint64(3)) == 0, chosen.astype(bits.dtype), bits)

    def hash_of(self, space: object, *parts: Array | int) -> Array:
        """See `Environment.hash_of`."""
        if self.same_corners and isinstance(space, tuple) and space[0] == "input":
            parts = parts[:2]  # slot and primitive, but not the vertex
        return Environment.hash_of(self, space, *parts)


class GentleEnvironment(Environment):
    """An environment in which floats are between a quarter and one.

    Nothing overflows or cancels out, so that what long computations give can be told from rounding.
    """

    __slots__ = ()

    def numbers(self, hashes: Array, base: str, bit_size: int, special: Array | bool = False) -> Array:
        """See `Environment.numbers`."""
        if base != "float" or bit_size not in FLOAT_TYPES:
            return Environment.numbers(self, hashes, base, bit_size, special)
        values = 0.25 + 0.75 * fraction(scramble(hashes))
        return values.astype(FLOAT_TYPES[bit_size]).view(container_type(bit_size))


@dataclass(frozen=True, slots=True)
class World:
    """What an environment is made of, but for its seed; `name` says it in words."""

    name: str
    special: float = 0.0
    special_memory: bool = False
    state: PipelineState = field(default_factory=PipelineState)
    seeks: bool = False
    same_corners: bool = False
    gentle: bool = False

    def environment(self, seed: int, constants: Constants) -> Environment:
        """A fresh environment. Both sides of a comparison must use the same object."""
        if self.gentle:
            return GentleEnvironment(seed, special=0.0, state=self.state)
        if not self.seeks:
            return Environment(
                seed, special=self.special, special_memory=self.special_memory, state=self.state
            )
        return SeekingEnvironment(
            seed,
            special=self.special,
            special_memory=self.special_memory,
            state=self.state,
            constants=constants,
            same_corners=self.same_corners,
        )


_FLAT = PipelineState(flat_shade=True, two_side=True, provoking_last=True)
_SPRITES = PipelineState(sprite_coords=0xFF)
_NAMED = "constants of the shader among the inputs"

FIRST: tuple[World, ...] = (
    World("plain numbers"),
    World("NaN, infinities and extremes among the inputs, flat colours, two sides", 0.25, False, _FLAT),
    World(f"{_NAMED}, the same at all vertices", seeks=True, same_corners=True),
    World("NaN, infinities and extremes in memory too, sprite coordinates", 0.25, True, _SPRITES),
)
MORE: tuple[World, ...] = (
    World("floats between a quarter and one", gentle=True),
    World(_NAMED, seeks=True),
    World(f"{_NAMED}, the same at all vertices", seeks=True, same_corners=True),
    World("plain numbers, flat colours", state=_FLAT),
    World(f"{_NAMED}, with NaN, infinities and extremes", 0.25, True, seeks=True, same_corners=True),
)


def world_of_run(number: int) -> World:
    """The world of the run with that number, counted from 0."""
    if number < len(FIRST):
        return FIRST[number]
    return MORE[(number - len(FIRST)) % len(MORE)]


def constants_of(shaders: Sequence[Shader]) -> Constants:
    """The constants that stand in shaders, and what is next to those that something is compared with."""
    found: dict[int, set[int]] = {}
    for shader in shaders:
        for compared in compared_values(shader):
            found.setdefault(compared.value.bit_size, set()).update(compared.numbers)
        for impl in shader.impls():
            for instr in impl.instrs():
                if isinstance(instr, LoadConstInstr) and instr.def_ is not None and instr.def_.bit_size > 1:
                    found.setdefault(instr.def_.bit_size, set()).update(instr.values)
    return {bit_size: np.array(sorted(values), np.uint64) for bit_size, values in found.items()}
