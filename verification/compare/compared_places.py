"""Measure of how much was compared: agreement that rests on rounding or discards alone proves nothing.

Rounding excuses differences that follow from a decision close to its threshold, which is rare: where
discards or memory differ and rounding could be the reason, the result is not called equivalent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.compare.results import cells_agree, key_text
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.culling import culled_patches
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane, ShaderResult
from nirls.verification.evaluate.values.arrays import Array

ENOUGH = 16
"""Number of compared places after which an output needs no more runs, if it was compared in enough draws."""


_ENOUGH_DRAWS = 2
"""Number of draws in which an output must be compared, and must vary between invocations."""

_PATIENCE = 12
"""Number of draws after which an output that never varies between invocations is accepted as constant."""

_SMALL = 1 / 16
"""Maximum ratio of error bound to variation of an output for a comparison to count."""


class ComparedPlaces:
    """Counts of the places at which each output was compared over all runs, with and without NaNs.

    `literals` are outputs that are constants. Any other output that is the same for all invocations of a
    run may be so by accident: if something is multiplied by 0, every result is right. With
    `undefined_is_free`, an output that was undefined in all runs needs no comparison.
    """

    def __init__(
        self, literals: Collection[tuple[Stage, OutputKey]] = (), *, undefined_is_free: bool = False
    ) -> None:
        self._literals = literals
        self._undefined_is_free = undefined_is_free
        self._demanded: set[tuple[Stage, OutputKey]] = set()
        self._compared: dict[tuple[Stage, OutputKey], int] = {}
        self._numbers: dict[tuple[Stage, OutputKey], int] = {}
        self._draws: dict[tuple[Stage, OutputKey], int] = {}
        self._varied: Counter[tuple[Stage, OutputKey]] = Counter()
        self._ordinary: Counter[tuple[Stage, OutputKey]] = Counter()
        self._defined_for_ordinary: set[tuple[Stage, OutputKey]] = set()
        self._discards = 0
        self._certain_discards = 0
        self._excused_discards = 0
        self._excused_words = 0
        self._memory_written = 0
        self._memory_compared = 0

    def add(
        self,
        before: ShaderResult,
        after: ShaderResult,
        culling: CullingRule | None = None,
        usual: Array | None = None,
        ordinary: Array | None = None,
    ) -> None:
        """Add one run of a shader on both sides.

        The outputs of geometry shaders are compared as emitted vertices, not here. Patches of a control
        shader that `culling` drops do not count, and outputs count only in the draws that `usual` marks.
        `ordinary` marks the draws without special values (None: all, as for `usual`).
        """
        if before.stage is Stage.GEOMETRY:
            return
        alive = _living_instances(before)
        draw = _draw_of_instances(before)
        if usual is not None:
            alive &= usual[draw]
        if before.stage is Stage.TESS_CTRL:
            patches = culled_patches(before, culling or CullingRule())
            alive &= ~(patches.culled | patches.undefined)
        uncertain = before.poisoned | before.fragile | after.fragile
        self._discards += int(before.discarded.sum())
        self._certain_discards += int((before.discarded & ~uncertain).sum())
        excused = uncertain & ~_given_up(before, after)
        self._excused_discards += int(((before.discarded != after.discarded) & excused).sum())
        if before.memory:
            self._memory_written += 1
            lost = frozenset(np.nonzero(uncertain)[0].tolist())
            self._memory_compared += any(
                not cell.poison and (not lost or lost.isdisjoint(before.writers.get(key, lost)))
                for key, cell in before.memory.items()
            )
        if excused.any():
            self._excused_words += _differing_words(before, after)
        for key, plane in before.outputs.items():
            at = (before.stage, key)
            is_enough = self._numbers.get(at, 0) >= ENOUGH and self._was_in_enough_draws(at)
            if at in self._demanded and is_enough and self._ordinary[at]:
                continue
            twin = after.outputs.get(key)
            if not plane.written.any():
                continue
            defined = plane.written & ~plane.poison & alive[:, None]
            certain = defined & ~plane.fragile
            error = plane.error
            if twin is not None and twin.bits.shape == plane.bits.shape:
                certain &= ~twin.fragile
                error = error + twin.error
            certain &= _says_something(plane, error)
            if defined.any():
                self._demanded.add(at)
            self._compared[at] = self._compared.get(at, 0) + int(certain.sum())
            is_ordinary = np.ones(len(draw), np.bool_) if ordinary is None else ordinary[draw]
            self._ordinary[at] += int(certain[is_ordinary].sum())
            if defined[is_ordinary].any():
                self._defined_for_ordinary.add(at)
            counts = certain & ~_is_nan(plane)
            total = int(counts.sum())
            self._numbers[at] = self._numbers.get(at, 0) + total
            if total and not (self._varied[at] >= _ENOUGH_DRAWS or at in self._literals):
                for number in np.unique(draw[counts.any(axis=1)]).tolist():
                    numbers = plane.bits[counts & (draw == number)[:, None]]
                    self._draws[at] = self._draws.get(at, 0) + 1
                    self._varied[at] += bool((numbers != numbers[0]).any())
            elif total:
                self._draws[at] = self._draws.get(at, 0) + 1

    @property
    def is_enough(self) -> bool:
        """Whether every output was compared at enough places, in more than one draw."""
        knows = self._knows_discards and (self._memory_compared > 0 or self._memory_written == 0)
        return knows and all(
            (count >= ENOUGH and self._was_in_enough_draws(at)) or self._is_free(at)
            for at, count in self._numbers.items()
        )

    def _was_in_enough_draws(self, at: tuple[Stage, OutputKey]) -> bool:
        draws = self._draws.get(at, 0)
        varied = self._varied[at] >= _ENOUGH_DRAWS
        return draws >= _ENOUGH_DRAWS and (at in self._literals or varied or draws >= _PATIENCE)

    @property
    def _knows_discards(self) -> bool:
        return self._certain_discards > 0 or self._discards == 0

    def _is_free(self, at: tuple[Stage, OutputKey]) -> bool:
        """Whether an output may hold anything, because it was undefined in all runs."""
        return self._undefined_is_free and at not in self._demanded

    def undefined_outputs(self) -> tuple[str, ...]:
        """Return the names of the outputs that were written but undefined in all runs."""
        return tuple(
            key_text(key, stage) for stage, key in self._compared if (stage, key) not in self._demanded
        )

    def never_compared(self) -> str | None:
        """Return what occurred but was never compared (an output, discards); None if there is nothing."""
        if not self._knows_discards:
            return "every discard"
        if self._excused_words:
            return f"what differs in {self._excused_words} words of memory"
        if self._excused_discards:
            return f"what differs in the discards of {self._excused_discards} invocations"
        if self._memory_written and not self._memory_compared:
            return "memory"
        for (stage, key), count in self._compared.items():
            if count == 0 and not self._is_free((stage, key)):
                return f"{stage.abbreviation} {key_text(key, stage)}"
        for stage, key in self._compared:
            if (stage, key) in self._defined_for_ordinary and not self._ordinary[stage, key]:
                return f"{stage.abbreviation} {key_text(key, stage)}, but for special values,"
        return None


def literal_outputs(shader: Shader) -> frozenset[tuple[Stage, OutputKey]]:
    """Return the outputs of lowered I/O to which a shader stores constants only."""
    literals: dict[tuple[Stage, OutputKey], bool] = {}
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.name != "store_output" or shader.stage is None:
            continue
        semantics, value = instr.io_semantics, instr.sources[0].def_
        if semantics is None or value is None:
            continue
        is_literal = isinstance(value.instr, LoadConstInstr)
        for lane in range(value.num_components):
            component = instr.int_index("component") + lane
            key = OutputKey(semantics.location, component, semantics.has("high_16bits"))
            at = (shader.stage, key)
            literals[at] = literals.get(at, True) and is_literal
    return frozenset(at for at, is_literal in literals.items() if is_literal)


def written_components(shader: Shader) -> frozenset[tuple[int, int]]:
    """Return the slots and components of all stores of lowered outputs."""
    written: set[tuple[int, int]] = set()
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or not instr.name.startswith("store_"):
            continue
        if instr.io_semantics is None:
            continue
        first, mask = instr.int_index("component"), instr.write_mask
        width = instr.sources[0].num_components
        components = [first + number for number in range(width) if mask >> number & 1]
        written.update((slot, component) for slot in instr.io_semantics.slots for component in components)
    return frozenset(written)


def _given_up(before: ShaderResult, after: ShaderResult) -> Array:
    """Return the lanes that were stopped on either side, which are not compared and do not count."""
    lanes = np.zeros(before.launch.lanes, np.bool_)
    for side in (before, after):
        for stopped in side.given_up.values():
            lanes |= stopped
    return lanes


def _differing_words(before: ShaderResult, after: ShaderResult) -> int:
    """Count the words whose difference is excused by rounding or undefined values."""
    stopped = frozenset(np.nonzero(_given_up(before, after))[0].tolist())
    return sum(
        1
        for key, cell in before.memory.items()
        if not cell.poison
        and stopped.isdisjoint(before.writers.get(key, ()))
        and (key not in after.memory or not cells_agree(cell, after.memory[key], True, before.flushed))
    )


def _living_instances(result: ShaderResult) -> Array:
    """Return the output instances all of whose invocations count and were not discarded."""
    store = OutputStore(result.launch)
    dead = result.poisoned | result.fragile | result.discarded
    alive = np.ones(store.instances, np.bool_)
    alive[store.instance[dead]] = False
    return alive


def _draw_of_instances(result: ShaderResult) -> Array:
    """Return the draw of each instance of the outputs."""
    store = OutputStore(result.launch)
    draw = np.zeros(store.instances, np.int64)
    draw[store.instance] = result.launch.draw_of_lane
    return draw


def _says_something(plane: OutputPlane, error: Array) -> Array:
    """Return where the error bound is small compared with the variation of the output."""
    if not error.any():
        return np.ones(error.shape, np.bool_)
    with np.errstate(invalid="ignore"):  # signaling NaNs
        values = np.ascontiguousarray(plane.bits.astype(np.uint32)).view(np.float32).astype(np.float64)
    usual = values[plane.written & (plane.bit_size == 32) & np.isfinite(values)]
    scale = float(usual.std()) if len(usual) else 0.0
    if scale == 0.0:
        scale = float(np.abs(usual).max(initial=0.0)) or 1.0
    says: Array = np.isfinite(error) & ((error <= _SMALL * scale) | (plane.bit_size != 32))
    return says


def _is_nan(plane: OutputPlane) -> Array:
    """Return which places hold a 32-bit NaN. Others are too rare to affect the number of runs."""
    is_nan: Array = (plane.bit_size == 32) & ((plane.bits & np.uint64(0x7FFFFFFF)) > np.uint64(0x7F800000))
    return is_nan
