"""The values of a shader's defs at the end of a run, recorded for what looks at them afterwards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from nirls.ir.effects import effects_of
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.values import Def
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value

PRIVATE: Final = frozenset(("register", "scratch"))
"""Memories of one invocation: variables, registers and scratch."""


@dataclass(frozen=True)
class Recorded:
    """The last values of the defs of an entry function, on the lanes of `launch`."""

    machine: Machine
    values: dict[Def, Value]
    launch: Launch

    @property
    def draw(self) -> Array:
        """The draw of each lane."""
        return self.launch.draw_of_lane

    def private_stores(self, bits: int, lane: int) -> Sequence[tuple[Def, int]]:
        """Return the components with these bits on a lane that stores write to private memory."""
        by_bits = self._private_stores.get(lane)
        if by_bits is None:
            by_bits = self._private_stores[lane] = defaultdict(list)
            for stored, component in self._stored_components:
                held = self.bits(stored, component, lane)
                if held is not None:
                    by_bits[held].append((stored, component))
        return by_bits.get(bits, ())

    @cached_property
    def _private_stores(self) -> dict[int, defaultdict[int, list[tuple[Def, int]]]]:
        """The components that stores write to private memory, by lane and bits."""
        return {}

    @cached_property
    def _stored_components(self) -> tuple[tuple[Def, int], ...]:
        return tuple(
            (src.ssa, component)
            for instr in self.machine.shader.instrs()
            if isinstance(instr, IntrinsicInstr) and effects_of(instr).writes(PRIVATE)
            for src in instr.sources
            if src.def_ is not None
            for component in range(src.ssa.num_components)
        )

    def known(self, value: Def | None) -> Value | None:
        """Return the value of a def; None for a pointer, or a def of another function."""
        found = None if value is None else self.values.get(value)
        return None if found is None or found.pointer is not None else found

    def bits(self, value: Def | None, component: int, lane: int) -> int | None:
        """Return the bits of a component on a lane; None if they are undefined or unknown."""
        found = self.known(value)
        if found is None or component >= len(found.bits) or is_undefined(found, component, lane):
            return None
        return int(found.bits[component, lane])


def is_undefined(value: Value, component: int, lane: int) -> bool:
    """Whether a component is undefined on a lane."""
    return value.poison is not None and bool(value.poison[component, lane])


def recorder(machines: Sequence[Machine], recorded: list[Recorded]) -> Callable[[State], None]:
    """Return a callback for `RunOptions.at_end` that adds the values of each of these shaders to a list."""
    by_stage = {machine.shader.stage: machine for machine in machines}

    def record(state: State) -> None:
        machine = by_stage.get(state.launch.stage)
        if machine is not None:
            values = dict(zip(machine.program.defs, state.frame.values, strict=False))
            recorded.append(Recorded(machine, values, state.launch))

    return record


def recorded_run(machine: Machine, environment: Environment, lanes: int, options: RunOptions) -> Recorded:
    """Run a shader, and return its values at the end."""
    recorded: list[Recorded] = []
    machine.run(environment, lanes=lanes, options=replace(options, at_end=recorder([machine], recorded)))
    return recorded[0]
