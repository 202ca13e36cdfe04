"""Comparison of two runs of a pipeline by what is visible outside of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.compare.results import (
    OPTIONAL_SLOTS,
    Difference,
    compare_results,
    is_told_to_hardware,
    unsettled_cells,
)
from nirls.verification.evaluate.pipeline import PipelineResult
from nirls.verification.evaluate.surroundings.culling import LEVEL_SLOTS
from nirls.verification.evaluate.surroundings.result import MemoryKey, OutputKey

_SYSTEM_SLOTS = OPTIONAL_SLOTS | {varying_slot(name) for name in ("POS", "BOUNDING_BOX0", "BOUNDING_BOX1")}
_MESH_SLOTS = frozenset(slot_number(f"VARYING_SLOT_PRIMITIVE_{what}") for what in ("COUNT", "INDICES"))


def compare_pipelines(
    before: PipelineResult,
    after: PipelineResult,
    *,
    float_tolerance: bool = False,
    new_outputs_count: bool = True,
) -> list[Difference]:
    """Compare the visible results of two pipelines stage by stage, without inter-stage varyings.

    Compared are the outputs and discards of the last stage, the outputs that the hardware reads (position,
    clip distances, tessellation levels, ...), transform feedback, and the memory that any stage wrote; of
    culled patches only that they are culled.
    """
    if [result.stage for result in before.results] != [result.stage for result in after.results]:
        return [Difference("stages that ran", 0, _stages_text(before), _stages_text(after))]
    differences: list[Difference] = []
    unsettled: set[MemoryKey] = set()
    for old, new in zip(before.results, after.results, strict=True):
        if old.launch.lanes != new.launch.lanes:
            differences.append(
                Difference("number of invocations", 0, str(old.launch.lanes), str(new.launch.lanes))
            )
            return differences
        alive = old.launch.is_alive, new.launch.is_alive
        changed = (alive[0] != alive[1]) & ~old.launch.is_lost & ~new.launch.is_lost
        if changed.any() and not float_tolerance:
            lane = int(np.argmax(changed))
            differences.append(Difference("culling of patches", lane, *(str(side[lane]) for side in alive)))
        last = old.stage is before.stages[-1]
        visible = _visible_slots(old.stage, before, last)
        # Later stages find in memory what this one stored.
        unsettled |= unsettled_cells(old, new, float_tolerance)
        differences += compare_results(
            old,
            new,
            float_tolerance=float_tolerance,
            concerns=None if visible is None else _Visible(visible),
            culling=before.culling,
            new_outputs_count=new_outputs_count,
            unsettled=unsettled,
        )
    return differences


@dataclass(frozen=True, slots=True)
class _Visible:
    """Predicate for the outputs that fixed-function hardware reads: those of some slots."""

    slots: frozenset[int]

    def __call__(self, key: OutputKey) -> bool:
        return is_told_to_hardware(key) or key.slot in self.slots


def _visible_slots(stage: Stage, pipeline: PipelineResult, last: bool) -> frozenset[int] | None:
    """Return the slots of a stage's externally visible outputs; None for all of them."""
    if last:
        return None
    if stage is Stage.TESS_CTRL:
        return LEVEL_SLOTS
    if stage is Stage.MESH:
        return _SYSTEM_SLOTS | _MESH_SLOTS
    following = pipeline.stages[pipeline.stages.index(stage) + 1]
    return _SYSTEM_SLOTS if following is Stage.FRAGMENT else frozenset()


def _stages_text(result: PipelineResult) -> str:
    return " ".join(item.stage.abbreviation for item in result.results)
