"""Driver intrinsics with unknown semantics whose memory effects are in the effects table.

Each invocation has a hash for each kind of memory, over all its accesses in order. Such an intrinsic adds its
name, indices and sources to the hashes of the memories it writes, and its result is a hash of these and of
the hashes of the memories it reads. So two shaders agree if they make the same accesses to each memory in the
same order. The hashes are outputs, where any difference counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import is_known, rule_of
from nirls.ir.effects.effects import Effects, effects_of
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.state.subgroup_lanes import subgroup_size
from nirls.verification.evaluate.steps.opaque_functions import takes_deref
from nirls.verification.evaluate.steps.opaque_values import generated_value
from nirls.verification.evaluate.surroundings.hashing import lane_hash, name_hash
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.result import HARDWARE, OutputKey
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, either
from nirls.verification.evaluate.values.wanted_types import wanted_base

_NEVER_WRITTEN = frozenset(("input", "uniform", "push_const", "constant", "ubo"))
_ORDER = "order"


@dataclass(frozen=True, slots=True)
class _Mixed:
    """Names of the memories that other instructions of a shader access through real storage."""

    read: frozenset[str]
    written: frozenset[str]


_MIXED: WeakKeyDictionary[Compiler, _Mixed] = WeakKeyDictionary()


def opaque_effect_step(compiler: Compiler, instr: IntrinsicInstr, has_step: frozenset[str]) -> Step:
    """Compile an intrinsic without a step of its own; `has_step` are the intrinsics that have one.

    Raises `Unsupported` if its effects are unknown, if it takes a deref, or if instructions with known
    semantics access the same memory.
    """
    effects = effects_of(instr)
    if effects.is_everything or takes_deref(instr):
        raise Unsupported(instr.name)
    read = _memories(effects, reads=True) - _NEVER_WRITTEN
    written = _memories(effects, reads=False)
    others = _others(compiler, has_step)
    if (read & others.written) or ((written - _NEVER_WRITTEN) & (others.read | others.written)):
        raise Unsupported(f"{instr.name} beside other accesses of the same memory")
    if "ordered" in effects.words:
        read, written = read | {_ORDER}, written | {_ORDER}
    if effects.is_barrier or effects.exchange == "workgroup":
        raise Unsupported(instr.name)
    return _step(compiler, instr, effects, tuple(sorted(read)), tuple(sorted(written)))


def _step(
    compiler: Compiler,
    instr: IntrinsicInstr,
    effects: Effects,
    read: tuple[str, ...],
    written: tuple[str, ...],
) -> Step:
    readers = [compiler.read(src) for src in instr.sources]
    indices = tuple((name, repr(value)) for name, value in sorted(instr.indices.items()))
    what = (instr.name, *indices)
    differs = not is_known(instr.name) or rule_of(instr, Release.MESA_25_0).is_divergent_itself(
        None, DivergenceOptions()
    )
    write = None if instr.def_ is None and instr.reg_dest is None else compiler.write(instr)
    value_of = instr.def_
    width, bit_size = (0, 32) if value_of is None else (value_of.num_components, value_of.bit_size)
    base = wanted_base(value_of)
    reads_inputs = effects.touches("input")

    def step(state: State) -> None:
        if reads_inputs and not isinstance(state.inputs, EnvironmentInputs):
            raise Unsupported(f"{instr.name} behind another stage")
        values = [reader(state) for reader in readers]
        marks = _marks(state, values, read)
        parts = [row for value in values for row in value.bits]
        if effects.crosses_lanes:
            parts.append(_of_group(state, lane_hash(1, state.lane_numbers, *parts)))
        if write is not None:
            asked = [*parts, *(state.record.trace(memory) for memory in read)]
            if differs:
                asked.append(state.lane_numbers)
            write(state, marks.marked(generated_value(state, what, asked, base, width, bit_size)))
        for memory in written:
            _trace(state, memory, lane_hash(name_hash(what), state.record.trace(memory), *parts), marks)
        if "ends" in effects.words:
            state.masks.set_active(np.zeros(state.lanes, np.bool_))

    return step


def _trace(state: State, memory: str, hashes: Array, marks: Marks) -> None:
    """Add an access of the running lanes to the hash of a memory."""
    before = state.record.trace(memory)
    state.record.traces[memory] = now = np.where(state.masks.active, hashes, before)
    shown = (now >> np.uint64(32)).astype(np.uint32)[None]
    group = state.outputs.instance
    # Invocations of a patch or a workgroup share outputs, so each gets a separate place.
    place = None
    if state.outputs.instances != state.lanes:
        place = state.lane_numbers - np.searchsorted(group, group)
    known = state.record.trace_marks.setdefault(memory, Marks())
    known.poison, known.fragile = (
        either(old, None if mark is None else mark & state.masks.active)
        for old, mark in ((known.poison, marks.poison), (known.fragile, marks.fragile))
    )
    key = OutputKey(f"{HARDWARE}{memory}", 0)
    state.outputs.store(key, known.marked(Value(shown, 32)), state.masks.effective(), place)


def _marks(state: State, values: list[Value], memories: tuple[str, ...]) -> Marks:
    """Return the marks of the values and memories that an instruction reads."""
    marks = Marks()
    for value in values:
        marks.add(value, inexact=True)
    for memory in memories:
        if memory in state.record.trace_marks:
            marks.join(state.record.trace_marks[memory])
    return marks


def _of_group(state: State, hashes: Array) -> Array:
    """Combine the hashes of the running lanes of each subgroup."""
    group = state.lane_numbers // subgroup_size(state)
    sums = np.zeros(int(group.max(initial=0)) + 1, np.uint64)
    with np.errstate(over="ignore"):
        np.add.at(sums, group[state.masks.active], hashes[state.masks.active])
    found: Array = sums[group]
    return found


def _memories(effects: Effects, *, reads: bool) -> frozenset[str]:
    return frozenset(
        memory
        for access in effects.accesses
        if (access.reads if reads else access.writes)
        for memory in access.memories
    )


def _others(compiler: Compiler, has_step: frozenset[str]) -> _Mixed:
    known = _MIXED.get(compiler)
    if known is None:
        effects = [effects_of(instr) for instr in compiler.shader.instrs() if _keeps_memory(instr, has_step)]
        read = frozenset[str]().union(*(_memories(effect, reads=True) for effect in effects))
        written = frozenset[str]().union(*(_memories(effect, reads=False) for effect in effects))
        known = _MIXED[compiler] = _Mixed(read, written)
    return known


def _keeps_memory(instr: Instr, has_step: frozenset[str]) -> bool:
    if isinstance(instr, IntrinsicInstr):
        return instr.name in has_step and not effects_of(instr).is_barrier
    return instr.def_ is None
