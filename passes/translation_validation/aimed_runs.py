"""Runs in which uniforms, memory and integer inputs hold what the shader compares them with.

Memory has one content in a run, and a flat input one for each primitive, so a test such as `mode == 3` is
hardly ever passed by chance. What it was about is found in a run, by value; then the same run is done again
with other numbers in that place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.passes.translation_validation.comparisons import compared_values
from nirls.passes.translation_validation.worlds import Constants, SeekingEnvironment

Array = NDArray[Any]
NAME = "what the shader compares with constants is at these or next to them"
_MOST_TURNS = 6
_MOST_NUMBERS = 16


@dataclass(slots=True)
class RememberingEnvironment(SeekingEnvironment):
    """One that knows what it has told, and can be made to tell something else.

    `told` has the bits for each hash, and whether they were meant as a float. Float inputs are left out.
    """

    told: dict[int, tuple[int, bool]] = field(default_factory=dict)
    wanted: Mapping[int, int] = field(default_factory=dict)

    def numbers(self, hashes: Array, base: str, bit_size: int, special: Array | bool = False) -> Array:
        """See `Environment.numbers`."""
        bits = SeekingEnvironment.numbers(self, hashes, base, bit_size, special)
        rows, made = np.atleast_2d(hashes), np.atleast_2d(bits)
        is_float = base == "float"
        for row in range(len(rows)):
            alike = (rows[row] == rows[row, 0]).all()
            if is_float and not alike:
                continue  # an input; many different numbers of it are tried in every run
            for lane in range(1 if alike else rows.shape[1]):
                place = int(rows[row, lane])
                wanted = self.wanted.get(place)
                if wanted is not None:
                    made[row, slice(None) if alike else lane] = wanted & ((1 << bit_size) - 1)
                self.told[place] = int(made[row, lane]), is_float
        return bits

    def words(self, hashes: Array, odd: Array, base: str, bit_size: int) -> Array:
        """See `Environment.words`; each word is the same for all invocations."""
        made = [
            SeekingEnvironment.words(
                self, hashes[number : number + 1], odd[number : number + 1], base, bit_size
            )
            for number in range(len(hashes))
        ]
        return np.concatenate(made)


class AimedRuns:
    """Runs in which what is compared has the numbers that it is compared with, one after the other.

    The first of them is as any other. What a comparison found came of places that told that number; in later
    runs these places tell others, and more may be compared.
    """

    def __init__(self, machines: Sequence[Machine], constants: Constants, seed: int) -> None:
        self.seed = seed
        self._constants = constants
        self._compared = {machine: compared_values(machine.shader) for machine in machines}
        self._found: dict[int, dict[int, None]] = {}
        self._values: dict[Machine, list[Value]] = {}

    def environments(self) -> Iterator[RememberingEnvironment]:
        """The environments of the runs, each to be run (with `keep`) before the next is asked for."""
        if not any(self._compared.values()):
            return
        for turn in range(_MOST_TURNS):
            environment = self.environment(self._wanted(turn))
            yield environment
            self._look(environment)
            if turn > max((len(numbers) for numbers in self._found.values()), default=0):
                return

    def environment(self, wanted: Mapping[int, int]) -> RememberingEnvironment:
        """A new environment in which some places tell what is wanted."""
        return RememberingEnvironment(self.seed, special=0.0, constants=self._constants, wanted=wanted)

    def keep(self, state: State) -> None:
        """Take the values of a stage that has ended; for `RunOptions.at_end`."""
        for machine in self._compared:
            if machine.shader.stage is state.launch.stage:
                self._values[machine] = list(state.values)

    def _look(self, environment: RememberingEnvironment) -> None:
        """Find out what a run compared."""
        told: dict[tuple[int, bool], list[int]] = {}
        for place, bits in environment.told.items():
            told.setdefault(bits, []).append(place)
        for machine, values in self._values.items():
            answers = dict(zip(machine.program.defs, values, strict=False))
            for compared in self._compared[machine]:
                for held in _numbers_of(answers.get(compared.value), compared.component):
                    for place in told.get((held, compared.as_float), ()):
                        self._found.setdefault(place, {}).update(compared.numbers)
        self._values.clear()

    def _wanted(self, turn: int) -> dict[int, int]:
        """What each place holds in a turn: its numbers in order, from different ones on."""
        return {
            place: list(numbers)[(turn + place + turn // len(numbers) * (place >> 8)) % len(numbers)]
            for place, numbers in self._found.items()
        }


def _numbers_of(value: Value | None, component: int) -> list[int]:
    """The numbers that a component is in some invocation that has it, unless they are too many to tell."""
    if value is None or value.pointer is not None or component >= value.bits.shape[0]:
        return []
    bits = value.bits[component]
    if value.poison is not None:
        bits = bits[~value.poison[component]]
    found: list[int] = np.unique(bits).tolist()
    return found if len(found) <= _MOST_NUMBERS else []
