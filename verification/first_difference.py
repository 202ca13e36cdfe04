"""Search for the first instruction whose value differs from that of the corresponding instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.verification.compare.results import number_text
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES
from nirls.verification.evaluate.values.value import Value
from nirls.verification.inputs.recorded import Recorded, is_undefined, recorded_run

_MOST_LANES = 16


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Names and contents of a value on both sides, as text."""

    before_name: str
    after_name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """Two corresponding instructions with equal sources but different results.

    `before` and `after` are their texts, `before_line` and `after_line` their lines in the dumps, from 0.
    For a store that the second side lacks, `after` is "" and `after_line` None. `values` are those of the
    corresponding sources, with the result last. `lane` is the invocation.
    """

    before: str
    after: str
    before_line: int | None
    after_line: int | None
    values: tuple[SideBySide, ...]
    lane: int = 0


def first_difference(
    before: Machine,
    after: Machine,
    environment: Environment,
    lane: int,
    *,
    lanes: int = 64,
    iteration_limit: int = 2000,
) -> FirstDifference | None:
    """Run both sides on the same inputs and compare the values of a lane, then those of others.

    Only the entry functions are compared, by the last value of each instruction. None if all corresponding
    values are equal and no store is missing.
    """
    options = RunOptions(iteration_limit, track_error=True)
    old, new = (recorded_run(machine, environment, lanes, options) for machine in (before, after))
    first, second = before.shader.entrypoint, after.shader.entrypoint
    if first is None or second is None:
        return None
    order = {value: number for number, value in enumerate(after.program.defs)}
    found_twins = correspondence(first, second).values
    twins = dict(sorted(found_twins.items(), key=lambda pair: order.get(pair[0], 0)))
    for each in _lanes_to_try(new.launch, lane):
        difference = _first(old, new, twins, each)
        if difference is not None:
            return difference
    return _other_store(old, new, twins, lane)


def _lanes_to_try(launch: Launch, lane: int) -> list[int]:
    """Return a lane, those that share its outputs, then others: any of them may have stored to its memory."""
    instance = OutputStore(launch).instance
    own = instance == instance[lane]
    found = dict.fromkeys([lane, *np.nonzero(own)[0].tolist(), *np.nonzero(~own)[0].tolist()])
    return list(found)[:_MOST_LANES]


def _first(before: Recorded, after: Recorded, twins: dict[Def, Def], lane: int) -> FirstDifference | None:
    for value, twin in twins.items():
        if value.instr is None or twin.instr is None:
            continue
        if _differs(before.known(twin), after.known(value), lane):
            return _described(before, twin.instr, after, value.instr, lane)
    return None


def _differs(old: Value | None, new: Value | None, lane: int) -> bool:
    if old is None or new is None or old.bits.shape != new.bits.shape or old.bit_size != new.bit_size:
        return False
    for row in range(len(old.bits)):
        if is_undefined(old, row, lane):
            continue
        if is_undefined(new, row, lane):
            return True
        if old.bits[row, lane] != new.bits[row, lane] and not _is_rounding(old, new, row, lane):
            return True
    return False


def _is_rounding(old: Value, new: Value, row: int, lane: int) -> bool:
    """Whether two floats differ by no more than their error bounds, or are both NaN."""
    if old.bit_size not in FLOAT_TYPES:
        return False
    first, second = (float_of(int(value.bits[row, lane]), value.bit_size) for value in (old, new))
    allowed = sum(
        0.0 if value.error is None else float(np.broadcast_to(value.error, value.bits.shape)[row, lane])
        for value in (old, new)
    )
    both_nan = first != first and second != second
    return both_nan or (allowed > 0 and abs(first - second) <= allowed)


def _text(recorded: Recorded, value: Def, lane: int) -> str:
    """Return the components of a value on a lane as text."""
    found = recorded.known(value)
    if found is None:
        return "unknown"
    rows = [
        "undefined"
        if is_undefined(found, row, lane)
        else number_text(int(found.bits[row, lane]), found.bit_size)
        for row in range(len(found.bits))
    ]
    return ", ".join(rows)


def _described(before: Recorded, one: Instr, after: Recorded, other: Instr, lane: int) -> FirstDifference:
    pairs = list(_sources(one, other))
    if one.def_ is not None and other.def_ is not None:
        pairs.append((one.def_, other.def_))
    values = tuple(
        SideBySide(_name(value), _name(twin), _text(before, value, lane), _text(after, twin, lane))
        for value, twin in pairs
    )
    lines = _line(before.machine.shader, one), _line(after.machine.shader, other)
    return FirstDifference(*lines, _number(one), _number(other), values, lane)


def _sources(one: Instr, other: Instr) -> Iterator[tuple[Def, Def]]:
    for src, twin in zip(one.srcs(), other.srcs(), strict=False):
        if src.def_ is None or twin.def_ is None or isinstance(src.def_instr, DerefInstr):
            continue
        yield src.def_, twin.def_


def _other_store(
    before: Recorded, after: Recorded, twins: dict[Def, Def], lane: int
) -> FirstDifference | None:
    """Return the first store that the other side lacks, or that stores another value there."""
    old, new = (list(_stores(side.machine.shader)) for side in (before, after))
    for intrinsic in old:
        other = next((store for store in new if _place(store) == _place(intrinsic)), None)
        if other is None:
            line, number = _line(before.machine.shader, intrinsic), _number(intrinsic)
            return FirstDifference(line, "", number, None, (), lane)
        source, twin = intrinsic.sources[0].def_, other.sources[0].def_
        if source is not None and twin is not None and twins.get(twin) is not source:
            return _described(before, intrinsic, after, other, lane)
    return None


def _stores(shader: Shader) -> Iterator[IntrinsicInstr]:
    if shader.entrypoint is None:
        return
    for instr in shader.entrypoint.instrs():
        if isinstance(instr, IntrinsicInstr) and instr.name.startswith("store_") and instr.io_semantics:
            yield instr


def _place(store: IntrinsicInstr) -> tuple[object, ...]:
    semantics = store.io_semantics
    assert semantics is not None
    return store.name, semantics.location, store.int_index("component"), semantics.has("high_16bits")


def _name(value: Def) -> str:
    return f"%{value.index}"


def _line(shader: Shader, instr: Instr) -> str:
    if instr.span is None:
        return ""
    return " ".join(shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace").split())


def _number(instr: Instr) -> int | None:
    return None if instr.span is None else instr.span.line
