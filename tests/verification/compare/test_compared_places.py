from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest

from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.verification.compare.compared_places import ComparedPlaces, literal_outputs, written_components
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.result import MemoryCell, OutputKey, OutputPlane, ShaderResult
from tests.passes.shader_text import ONE, ZERO, shader, store

LANES = 32
KEY = OutputKey(4, 0)
Change = Callable[[ShaderResult], None]


def result(error: float = 0.0) -> ShaderResult:
    """A fragment shader's run that wrote 0, 1, 2, ... to one output."""
    numbers = np.arange(LANES)
    plane = OutputPlane(LANES, 1)
    plane.bits[:, 0] = numbers.astype(np.float32).view(np.uint32)
    plane.bit_size[:] = 32
    plane.written[:] = True
    plane.error[:] = error
    nobody = np.zeros(LANES, np.bool_)
    return ShaderResult(
        Stage.FRAGMENT,
        Launch(Stage.FRAGMENT, LANES, numbers, numbers * 0, numbers // 8),
        {KEY: plane},
        discarded=nobody.copy(),
        poisoned=nobody.copy(),
        fragile=nobody.copy(),
    )


def test_two_runs_of_numbers_are_enough() -> None:
    seen = ComparedPlaces()
    seen.add(result(), result())
    assert not seen.is_enough
    seen.add(result(), result())
    assert seen.is_enough
    assert seen.never_compared() is None


def test_what_is_the_same_everywhere_may_be_so_by_accident() -> None:
    flat = result()
    flat.outputs[KEY].bits[:] = 7
    seen, literal = ComparedPlaces(), ComparedPlaces({(Stage.FRAGMENT, KEY)})
    for number in range(1, 13):
        seen.add(flat, flat)
        literal.add(flat, flat)
        assert seen.is_enough == (number == 12)
        assert literal.is_enough == (number >= 2)


def test_special_values_alone_say_too_little() -> None:
    """An output that is excused for all ordinary numbers is not compared for them."""
    seen = ComparedPlaces()
    for _ in range(2):
        seen.add(result(), result(), ordinary=np.array([False]))
    assert seen.never_compared() is None, "the output may be undefined for ordinary numbers"
    excused = result()
    excused.outputs[KEY].fragile[:] = True
    seen.add(excused, result(), ordinary=np.array([True]))
    assert seen.never_compared() == "FS FRAG_RESULT_DATA0.x, but for special values,"
    seen.add(result(), result(), ordinary=np.array([True]))
    assert seen.never_compared() is None


def test_literal_outputs() -> None:
    parsed = shader(
        "VERTEX",
        ZERO,
        ONE,
        "32 %2 = fadd! %0, %1",
        store("VAR0", "%1", 1),
        store("VAR0", "%2", 2),
        store("VAR1", "%1"),
        store("VAR1", "%2"),
    )
    assert literal_outputs(parsed) == {(Stage.VERTEX, OutputKey(varying_slot("VAR0"), 1))}


def test_wide_bounds_say_nothing() -> None:
    for error in (100.0, np.inf, np.nan):
        seen = ComparedPlaces()
        seen.add(result(error), result())
        assert seen.never_compared() == "FS FRAG_RESULT_DATA0.x"
    seen = ComparedPlaces()
    seen.add(result(0.01), result(0.01))
    assert seen.never_compared() is None
    # If it is the same everywhere, its size counts instead of the variation.
    for error, expected in ((2.0, None), (2000.0, "FS FRAG_RESULT_DATA0.x")):
        one = result(error)
        one.outputs[KEY].bits[:, 0] = np.float32(1000.0).view(np.uint32)
        seen = ComparedPlaces()
        seen.add(one, one)
        assert seen.never_compared() == expected


def test_signaling_nans_are_looked_at_without_a_warning() -> None:
    odd = result(0.01)
    odd.outputs[KEY].bits[0] = 0x7F800001
    seen = ComparedPlaces()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen.add(odd, odd)
    assert seen.never_compared() is None


def test_discarded_invocations_say_nothing_about_outputs() -> None:
    seen = ComparedPlaces()
    gone = result()
    gone.discarded[:] = True
    seen.add(gone, gone)
    assert seen.never_compared() == "FS FRAG_RESULT_DATA0.x"


def test_discards_must_be_certain_somewhere() -> None:
    seen = ComparedPlaces()
    one = result()
    one.discarded[0] = one.fragile[0] = True
    seen.add(one, one)
    assert seen.never_compared() == "every discard"
    one.discarded[1] = True
    seen.add(one, one)
    assert seen.never_compared() is None


def test_what_rounding_excuses_is_not_called_the_same() -> None:
    seen = ComparedPlaces()
    one, other = result(), result()
    one.discarded[:4] = True
    one.fragile[1:4] = True
    other.discarded[:1] = True
    seen.add(one, other)
    assert seen.never_compared() == "what differs in the discards of 3 invocations"


def test_memory_must_have_been_compared() -> None:
    seen = ComparedPlaces()
    one = result()
    one.memory["ssbo", 0, 0] = MemoryCell(1, 32)
    one.fragile[0] = True
    seen.add(one, one)
    assert seen.never_compared() == "memory"
    one.fragile[0] = False
    one.memory["ssbo", 0, 1] = MemoryCell(1, 32, poison=True)
    seen.add(one, one)
    assert seen.never_compared() is None
    one.fragile[0] = True
    seen.add(one, result())
    assert seen.never_compared() == "what differs in 1 words of memory"


NAME = "FS FRAG_RESULT_DATA0.x"


@pytest.mark.parametrize(
    ("before", "after", "is_free"),
    [
        (lambda one: one.outputs[KEY].poison.fill(True), None, True),
        (lambda one: one.poisoned.fill(True), None, True),
        (lambda one: one.fragile.fill(True), None, True),
        (lambda one: one.outputs[KEY].fragile.fill(True), None, False),
        (None, lambda other: other.outputs[KEY].fragile.fill(True), False),
    ],
    ids=["undefined", "undefined lanes", "lanes within rounding", "within rounding", "within rounding after"],
)
def test_what_is_not_certain_was_not_compared(
    before: Change | None, after: Change | None, is_free: bool
) -> None:
    for undefined_is_free in (False, True):
        one, other = result(), result()
        for side, change in ((one, before), (other, after)):
            if change is not None:
                change(side)
        seen = ComparedPlaces(undefined_is_free=undefined_is_free)
        seen.add(one, other)
        assert seen.never_compared() == (None if is_free and undefined_is_free else NAME)
        assert seen.undefined_outputs() == ((NAME.removeprefix("FS "),) if is_free else ())
        seen.add(result(), result())
        assert seen.never_compared() is None


def test_nans_are_compared_but_are_no_numbers() -> None:
    one, seen = result(), ComparedPlaces()
    one.outputs[KEY].bits.fill(0x7FC00001)
    for _ in range(20):
        seen.add(one, one)
    assert seen.never_compared() is None
    assert not seen.is_enough
    for _ in range(2):
        seen.add(result(), result())
    assert seen.is_enough


def test_every_output_must_be_compared_enough() -> None:
    one, seen = result(), ComparedPlaces()
    one.outputs[OutputKey(4, 1)] = result().outputs[KEY]
    one.outputs[OutputKey(4, 1)].bits.fill(0x7FC00001)
    for _ in range(3):
        seen.add(one, one)
    assert not seen.is_enough


@pytest.mark.parametrize("what", ["discards", "memory"])
def test_discards_and_memory_must_be_compared(what: str) -> None:
    one, seen = result(), ComparedPlaces()
    one.memory["ssbo", 0, 0] = MemoryCell(1, 32, poison=what == "memory")
    one.writers["ssbo", 0, 0] = frozenset((1,))
    one.discarded[0] = True
    one.fragile[0] = what == "discards"
    for _ in range(3):
        seen.add(one, one)
    assert not seen.is_enough
    one.fragile[0] = False
    one.memory["ssbo", 0, 0] = MemoryCell(1, 32)
    seen.add(one, one)
    assert seen.is_enough


def test_words_count_if_no_uncertain_invocation_wrote_them() -> None:
    for writer, expected in ((0, "memory"), (1, None)):
        one, seen = result(), ComparedPlaces()
        one.memory["ssbo", 0, 0] = MemoryCell(1, 32)
        one.writers["ssbo", 0, 0] = frozenset((writer,))
        one.fragile[0] = True
        seen.add(one, one)
        assert seen.never_compared() == expected


@pytest.mark.parametrize(
    ("cell", "other", "stopped", "words"),
    [
        (MemoryCell(1, 32), MemoryCell(1, 32), False, 0),
        (MemoryCell(1, 32), MemoryCell(2, 32), False, 1),
        (MemoryCell(1, 32, poison=True), MemoryCell(2, 32), False, 0),
        (MemoryCell(1, 32), MemoryCell(2, 32), True, 0),
    ],
    ids=["equal", "different", "undefined", "by an invocation that was stopped"],
)
def test_words_that_rounding_excuses(cell: MemoryCell, other: MemoryCell, stopped: bool, words: int) -> None:
    key = ("ssbo", 0, 0)
    one, changed, seen = result(), result(), ComparedPlaces()
    one.memory[key], changed.memory[key] = cell, other
    one.memory["ssbo", 0, 1] = changed.memory["ssbo", 0, 1] = MemoryCell(1, 32)
    one.writers[key], one.writers["ssbo", 0, 1] = frozenset((1,)), frozenset((2,))
    one.fragile[0] = True
    if stopped:
        one.given_up["too long"] = np.arange(LANES) == 1
    seen.add(one, changed)
    assert seen.never_compared() == (f"what differs in {words} words of memory" if words else None)


def test_discards_of_stopped_invocations_need_no_excuse() -> None:
    one, other, seen = result(), result(), ComparedPlaces()
    one.discarded[:2] = True
    one.fragile[1] = True
    one.given_up["too long"] = np.arange(LANES) == 1
    seen.add(one, other)
    assert seen.never_compared() is None


def test_components_that_are_stored() -> None:
    two = store("VAR0", "%1").replace("component=0", "component=2")
    slot = varying_slot("VAR0")
    assert written_components(shader("VERTEX", ZERO, ONE, store("VAR0"), two)) == {(slot, 0), (slot, 2)}
