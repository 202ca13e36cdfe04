from __future__ import annotations

import warnings

import numpy as np

from nirls.ir.evaluate.launch import Launch
from nirls.ir.evaluate.result import MemoryCell, OutputKey, OutputPlane, ShaderResult
from nirls.ir.model.slots import varying_slot
from nirls.ir.model.stage import Stage
from nirls.passes.translation_validation.what_counts import Seen, literal_outputs
from tests.passes.shader_text import ONE, ZERO, shader, store

LANES = 32
KEY = OutputKey(4, 0)


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
    seen = Seen()
    seen.add(result(), result())
    assert not seen.is_enough
    seen.add(result(), result())
    assert seen.is_enough
    assert seen.never_compared() is None


def test_what_is_the_same_everywhere_may_be_so_by_accident() -> None:
    flat = result()
    flat.outputs[KEY].bits[:] = 7
    seen, literal = Seen(), Seen({(Stage.FRAGMENT, KEY)})
    for number in range(1, 13):
        seen.add(flat, flat)
        literal.add(flat, flat)
        assert seen.is_enough == (number == 12)
        assert literal.is_enough == (number >= 2)


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
        seen = Seen()
        seen.add(result(error), result())
        assert seen.never_compared() == "FS FRAG_RESULT_DATA0.x"
    seen = Seen()
    seen.add(result(0.01), result(0.01))
    assert seen.never_compared() is None
    # If it is the same everywhere, its size counts instead of the variation.
    for error, expected in ((2.0, None), (2000.0, "FS FRAG_RESULT_DATA0.x")):
        one = result(error)
        one.outputs[KEY].bits[:, 0] = np.float32(1000.0).view(np.uint32)
        seen = Seen()
        seen.add(one, one)
        assert seen.never_compared() == expected


def test_signaling_nans_are_looked_at_without_a_warning() -> None:
    odd = result(0.01)
    odd.outputs[KEY].bits[0] = 0x7F800001
    seen = Seen()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        seen.add(odd, odd)
    assert seen.never_compared() is None


def test_discarded_invocations_say_nothing_about_outputs() -> None:
    seen = Seen()
    gone = result()
    gone.discarded[:] = True
    seen.add(gone, gone)
    assert seen.never_compared() == "FS FRAG_RESULT_DATA0.x"


def test_discards_must_be_certain_somewhere() -> None:
    seen = Seen()
    one = result()
    one.discarded[0] = one.fragile[0] = True
    seen.add(one, one)
    assert seen.never_compared() == "every discard"
    one.discarded[1] = True
    seen.add(one, one)
    assert seen.never_compared() is None


def test_what_rounding_excuses_is_not_called_the_same() -> None:
    seen = Seen()
    one, other = result(), result()
    one.discarded[:4] = True
    one.fragile[1:4] = True
    other.discarded[:1] = True
    seen.add(one, other)
    assert seen.never_compared() == "what differs in the discards of 3 invocations"


def test_memory_must_have_been_compared() -> None:
    seen = Seen()
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
