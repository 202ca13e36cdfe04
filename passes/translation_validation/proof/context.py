"""What a proof needs to know of the two shaders around the bodies that it compares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.shader import Shader
from nirls.passes.translation_validation.proof.surroundings import bodies, same_surroundings
from nirls.passes.translation_validation.proof.values import Number


class Varying(NamedTuple):
    """The value that the stage in front stores to a component; `bits` if it is a constant."""

    number: Number
    bits: int | None


Varyings = dict[tuple[int, int], Varying]
"""Values of varyings by slot and component."""


@dataclass(frozen=True, slots=True)
class Context:
    """Two shaders with the same surroundings, before and after, and the bodies to compare.

    Without `new_outputs_count`, the store of an undefined value to an output may be new. With `feeds_next`,
    varyings are no results: `varyings` of the proof of the next stage has their values on either side.
    """

    shaders: tuple[Shader, Shader]
    bodies: tuple[tuple[FunctionImpl, FunctionImpl], ...]
    controls: FloatControls
    new_outputs_count: bool
    feeds_next: bool = False
    varyings: tuple[Varyings, Varyings] | None = None

    @classmethod
    def of(cls, before: Shader, after: Shader, *, new_outputs_count: bool) -> Context | None:
        """Prepare two shaders; None if they differ outside of the bodies."""
        if before is after:
            # Values are numbered by their defs, and linking may give those of one side other numbers.
            after = clone_shader(after)
        if not same_surroundings(before, after):
            return None
        pairs = bodies(before, after)
        if pairs is None:
            return None
        return cls((before, after), pairs, FloatControls.of(before), new_outputs_count)

    @property
    def is_alone(self) -> bool:
        """Whether only one function runs."""
        return len(self.bodies) == 1
