"""What a proof needs to know of the two shaders around the bodies that it compares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.verification.proof.prepared import Prepared, prepared
from nirls.verification.proof.values import Number


class StoredComponent(NamedTuple):
    """The value that the stage in front stores to a component; `bits` if it is a constant."""

    number: Number
    bits: int | None


Varyings = dict[tuple[int, int], StoredComponent]
"""Values of varyings by slot and component."""


@dataclass(frozen=True, slots=True)
class StoredVaryings:
    """What a shader stores to its varyings, and the numbers of its defs that are not in loops."""

    shader: Prepared
    varyings: Varyings
    numbers: Mapping[Def, tuple[Number, ...]]


@dataclass(frozen=True, slots=True)
class Context:
    """Two shaders with the same surroundings, before and after, and the bodies to compare.

    Without `new_outputs_count`, the store of an undefined value to an output may be new. With `feeds_next`,
    varyings are no results: `stored` in the context of the next stage has their values on either side.
    """

    sides: tuple[Prepared, Prepared]
    bodies: tuple[tuple[FunctionImpl, FunctionImpl], ...]
    controls: FloatControls
    new_outputs_count: bool
    feeds_next: bool = False
    stored: tuple[StoredVaryings, StoredVaryings] | None = None

    @classmethod
    def of(
        cls, before: Shader | Prepared, after: Shader | Prepared, *, new_outputs_count: bool
    ) -> Context | None:
        """Prepare two shaders; None if they differ outside of the bodies."""
        one, other = prepared(before), prepared(after)
        if one.shader is other.shader:
            # Values are numbered by their defs, and linking may give those of one side other numbers.
            other = Prepared(clone_shader(other.shader))
        if not one.surroundings.same_as(other.surroundings):
            return None
        bodies = tuple(
            (first.impl, second.impl)
            for first, second in zip(one.surroundings.functions, other.surroundings.functions, strict=True)
            if first.impl is not None and second.impl is not None
        )
        return cls((one, other), bodies, FloatControls.of(one.shader), new_outputs_count)

    @property
    def is_alone(self) -> bool:
        """Whether only one function runs."""
        return len(self.bodies) == 1

    @property
    def stage(self) -> Stage | None:
        """The stage of both shaders."""
        return self.sides[0].shader.stage
