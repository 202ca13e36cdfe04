"""The comparison of results: by what they do, not by numbers or order."""

from __future__ import annotations

from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import OPTIONS, fragment, interpolated, vertex
from tools.corpus.varyings import Pair, effects, judge


def test_numbers_and_order_do_not_count() -> None:
    one = vertex(
        "32    %20 = fadd %10, %11", "32    %21 = fneg %12", store("VAR0", "%20"), store("VAR1", "%21")
    )
    other = vertex(
        "32    %30 = fneg %12", "32    %31 = fadd %11, %10", store("VAR1", "%30"), store("VAR0", "%31")
    )
    assert effects(one) == effects(other)


def test_values_and_slots_count() -> None:
    one = vertex(store("VAR0", "%10"))
    assert effects(one) != effects(vertex(store("VAR0", "%11")))
    assert effects(one) != effects(vertex(store("VAR1", "%10")))
    assert effects(one) != effects(vertex(store("VAR0", "%10", extra=" no_varying|")))


def judged(after_producer: str, after_consumer: str, progress: tuple[bool, bool]) -> str:
    before = vertex(store("VAR0")), fragment(load(4, "VAR0"), use("%4"))
    after = vertex(after_producer), fragment(after_consumer, use("%4"))
    return judge(Pair("case", before, after, progress, OPTIONS))[0]


CONSTANT = "32    %4 = load_const (0x3f800000 = 1.000000)"


def test_verdicts() -> None:
    nothing = "32    %20 = mov %10"
    assert judged(nothing, CONSTANT, (True, True)) == "equal"
    assert judged(nothing, CONSTANT, (False, True)) == "worse"
    assert judged(store("VAR0"), load(4, "VAR0"), (False, False)) == "better"
    # Mesa's result is another program here.
    assert judged(nothing, CONSTANT.replace("3f800000", "40000000"), (True, True)) == "better"


def test_interpolated_and_flat_loads_differ() -> None:
    assert effects(fragment(load(4, "VAR0"), use("%4"))) != effects(
        fragment(interpolated(4, "VAR0"), use("%4"))
    )
