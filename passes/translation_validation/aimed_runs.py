"""Runs in which uniforms and memory hold what the shader compares them with.

Memory has one content in a run, so a test such as `mode == 3` is hardly ever passed by chance. What it was
about is found in a run, by value; then the same run is done again with other numbers in that place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.passes.translation_validation.comparisons import compared_values
from nirls.passes.translation_validation.worlds import Constants, SeekingEnvironment

Array = NDArray[Any]
NAME = "what the shader compares with constants is at these or next to them"
_MOST_RUNS = 8


@dataclass(slots=True)
class RememberingEnvironment(SeekingEnvironment):
    """One that knows what it has told for each hash, and can be made to tell something else."""

    told: dict[int, int] = field(default_factory=dict)
    wanted: Mapping[int, int] = field(default_factory=dict)

    def numbers(self, hashes: Array, base: str, bit_size: int, special: Array | bool = False) -> Array:
        """See `Environment.numbers`."""
        bits = SeekingEnvironment.numbers(self, hashes, base, bit_size, special)
        if self.wanted:
            for number, wanted in self.wanted.items():
                wanted &= (1 << bit_size) - 1
                bits = np.where(hashes == np.uint64(number), bits.dtype.type(wanted), bits)
            return bits
        self.told.update(zip(hashes.ravel().tolist(), bits.ravel().tolist(), strict=False))
        return bits


class AimedRuns:
    """Runs in which what is compared has the numbers that it is compared with, one after the other.

    The first of them is as any other, and shows what was told (`keep` is for `RunOptions.at_end`). What a
    comparison found the same in all invocations came of memory if memory holds that number.
    """

    def __init__(self, machines: Sequence[Machine], constants: Constants, seed: int) -> None:
        self.seed = seed
        self._constants = constants
        self._compared = {machine: compared_values(machine.shader) for machine in machines}
        self._found: dict[int, dict[int, None]] = {}
        self._values: dict[Machine, list[Value]] = {}

    @property
    def has_any(self) -> bool:
        """Whether anything is compared with a constant."""
        return any(self._compared.values())

    def first(self) -> RememberingEnvironment:
        """The environment of the first run."""
        return self._environment({})

    def keep(self, state: State) -> None:
        """Take the values of a stage that has ended."""
        for machine in self._compared:
            if machine.shader.stage is state.launch.stage:
                self._values[machine] = list(state.values)

    def look(self, environment: RememberingEnvironment) -> None:
        """Find out what the first run compared."""
        told: dict[int, list[int]] = {}
        for number, bits in environment.told.items():
            told.setdefault(bits, []).append(number)
        for machine, values in self._values.items():
            answers = dict(zip(machine.program.defs, values, strict=False))
            for compared in self._compared[machine]:
                held = _one_number(answers.get(compared.value), compared.component)
                for number in () if held is None else told.get(held, ()):
                    self._found.setdefault(number, {}).update(compared.numbers)

    def others(self) -> Iterator[Callable[[], Environment]]:
        """Makers of the environments of the other runs."""
        most = max((len(numbers) for numbers in self._found.values()), default=0)
        for turn in range(min(most, _MOST_RUNS)):
            yield partial(self._environment, self._wanted(turn))

    def _wanted(self, turn: int) -> dict[int, int]:
        """What each place holds in a turn: its numbers in order, from different ones on."""
        return {
            place: list(numbers)[(turn + place + turn // len(numbers) * (place >> 8)) % len(numbers)]
            for place, numbers in self._found.items()
        }

    def _environment(self, wanted: Mapping[int, int]) -> RememberingEnvironment:
        return RememberingEnvironment(self.seed, special=0.0, constants=self._constants, wanted=wanted)


def _one_number(value: Value | None, component: int) -> int | None:
    """What a component is in all invocations that have it; None if that is not one number."""
    if value is None or value.pointer is not None or component >= value.bits.shape[0]:
        return None
    bits = value.bits[component]
    if value.poison is not None:
        bits = bits[~value.poison[component]]
    return int(bits[0]) if len(bits) and (bits == bits[0]).all() else None
