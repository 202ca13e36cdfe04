"""Search for the first instruction whose value differs from that of the corresponding instruction."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.evaluate.arrays import FLOAT_TYPES
from nirls.ir.evaluate.compare import number_text
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.outputs import OutputStore
from nirls.ir.evaluate.result import ShaderResult
from nirls.ir.evaluate.state import RunOptions, State
from nirls.ir.evaluate.value import Value
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def

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
    corresponding sources, with the result last.
    """

    before: str
    after: str
    before_line: int | None
    after_line: int | None
    values: tuple[SideBySide, ...]


def first_difference(
    before: Machine,
    after: Machine,
    environment: Environment,
    instance: int,
    *,
    lanes: int = 64,
    iteration_limit: int = 2000,
) -> FirstDifference | None:
    """Run both sides on the same inputs and compare the values of one instance of the outputs.

    Only the entry functions are compared, by the last value of each instruction. None if all corresponding
    values are equal and no store is missing.
    """
    old, new = _Values(before), _Values(after)
    for values in (old, new):
        result = values.machine.run(
            environment, lanes=lanes, options=RunOptions(iteration_limit, True, at_end=values.keep)
        )
    first, second = before.shader.entrypoint, after.shader.entrypoint
    if first is None or second is None:
        return None
    order = {value: number for number, value in enumerate(after.program.defs)}
    found_twins = correspondence(first, second).values
    twins = dict(sorted(found_twins.items(), key=lambda pair: order.get(pair[0], 0)))
    for lane in _lanes_of(result, instance):
        old.lane = new.lane = lane
        found = _first(old, new, twins)
        if found is not None:
            return found
    return _other_store(old, new, twins)


def _lanes_of(result: ShaderResult, instance: int) -> list[int]:
    """Return the lanes of an output instance, then others, because memory does not record who wrote it."""
    own = OutputStore(result.launch).instance == instance
    return [*np.nonzero(own)[0].tolist(), *np.nonzero(~own)[0].tolist()][:_MOST_LANES]


class _Values:
    """Values at the end of one run."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.shader = machine.shader
        self.lane = 0
        self._defs = machine.program.defs
        self._values: dict[Def, Value] = {}

    def keep(self, state: State) -> None:
        self._values = dict(zip(self._defs, state.values, strict=False))

    def of(self, value: Def) -> Value | None:
        found = self._values.get(value)
        return None if found is None or found.pointer is not None else found

    def text(self, value: Def) -> str:
        """Return the components on the lane as text."""
        found = self.of(value)
        if found is None:
            return "unknown"
        rows = [
            "undefined"
            if _is_poison(found, row, self.lane)
            else number_text(int(found.bits[row, self.lane]), found.bit_size)
            for row in range(len(found.bits))
        ]
        return ", ".join(rows)


def _first(before: _Values, after: _Values, twins: dict[Def, Def]) -> FirstDifference | None:
    for value, twin in twins.items():
        if value.instr is not None and twin.instr is not None and _differs(before, twin, after, value):
            return _described(before, twin.instr, after, value.instr)
    return None


def _differs(before: _Values, one: Def, after: _Values, other: Def) -> bool:
    old, new = before.of(one), after.of(other)
    if old is None or new is None or old.bits.shape != new.bits.shape or old.bit_size != new.bit_size:
        return False
    for row in range(len(old.bits)):
        if _is_poison(old, row, before.lane):
            continue
        if _is_poison(new, row, after.lane):
            return True
        first, second = int(old.bits[row, before.lane]), int(new.bits[row, after.lane])
        if first != second and not _is_rounding(old, new, row, before.lane, after.lane):
            return True
    return False


def _is_poison(value: Value, row: int, lane: int) -> bool:
    return value.poison is not None and bool(np.broadcast_to(value.poison, value.bits.shape)[row, lane])


def _is_rounding(old: Value, new: Value, row: int, old_lane: int, new_lane: int) -> bool:
    """Whether two floats differ by no more than their error bounds, or are both NaN."""
    if old.bit_size not in FLOAT_TYPES:
        return False
    first, second = (
        float(np.ascontiguousarray(value.bits[row, lane : lane + 1]).view(FLOAT_TYPES[value.bit_size])[0])
        for value, lane in ((old, old_lane), (new, new_lane))
    )
    allowed = sum(
        0.0 if value.error is None else float(np.broadcast_to(value.error, value.bits.shape)[row, lane])
        for value, lane in ((old, old_lane), (new, new_lane))
    )
    both_nan = first != first and second != second
    return both_nan or (allowed > 0 and abs(first - second) <= allowed)


def _described(before: _Values, one: Instr, after: _Values, other: Instr) -> FirstDifference:
    values = [
        SideBySide(_name(source), _name(twin), before.text(source), after.text(twin))
        for source, twin in _sources(one, other)
    ]
    if one.def_ is not None and other.def_ is not None:
        values.append(
            SideBySide(_name(one.def_), _name(other.def_), before.text(one.def_), after.text(other.def_))
        )
    return FirstDifference(
        _line(before.shader, one), _line(after.shader, other), _number(one), _number(other), tuple(values)
    )


def _sources(one: Instr, other: Instr) -> Iterator[tuple[Def, Def]]:
    for src, twin in zip(one.srcs(), other.srcs(), strict=False):
        if src.def_ is None or twin.def_ is None or isinstance(src.def_instr, DerefInstr):
            continue
        yield src.def_, twin.def_


def _other_store(before: _Values, after: _Values, twins: dict[Def, Def]) -> FirstDifference | None:
    """Return the first store that the other side lacks, or that stores another value there."""
    old, new = (list(_stores(values.shader)) for values in (before, after))
    for one in old:
        other = next((store for store in new if _place(store) == _place(one)), None)
        if other is None:
            return FirstDifference(_line(before.shader, one), "", _number(one), None, ())
        source, twin = one.sources[0].def_, other.sources[0].def_
        if source is not None and twin is not None and twins.get(twin) is not source:
            return _described(before, one, after, other)
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
