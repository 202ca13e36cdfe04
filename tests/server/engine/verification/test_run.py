from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import cycle, islice

import pytest

from nirls.server.engine.batch.run import in_this_process
from nirls.server.engine.batch.work import Work
from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.run import (
    comparisons_between,
    comparisons_of,
    shared_shaders,
    verdicts_of,
)
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import (
    CONSUMER,
    NEW_CONSUMER,
    NEW_PRODUCER,
    PRODUCER,
    vertex,
)

FIRST = vertex("32 %3 = fadd %2, %1", store("POS", "%3"))
SAME = vertex("32 %4 = mov %0", "32 %3 = fadd %2, %1", store("POS", "%3"))
WRONG = vertex("32 %3 = fadd %2, %2", store("POS", "%3"))
LOG = read_log(f"nir_a\n{FIRST}nir_b\n{SAME}nir_c\n{WRONG}nir_d\n{WRONG}nir_e\n{SAME}".encode())
Verdicts = Iterator[tuple[int, TransitionVerdict]]


class Computer:
    """Does units in this process, from the last on, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(
        self, work: Work[TransitionUnit, TransitionVerdict], units: Iterable[TransitionUnit]
    ) -> Verdicts:
        for number, unit in reversed(list(enumerate(units))):
            self.count += 1
            yield number, work.here(unit)


def no_progress(results: Verdicts, total: Callable[[], int | None], current: Callable[[], str]) -> Verdicts:
    return results


def verdicts(*, stop_at_first: bool = False) -> list[tuple[str, str]]:
    found = verdicts_of(
        comparisons_of("a.log", LOG), None, Computer(), no_progress, stop_at_first=stop_at_first
    )
    return [(one.pass_name, verdict.verdict) for one, verdict in found]


def test_in_the_order_of_the_log() -> None:
    assert verdicts() == [
        ("nir_b", "equivalent"),
        ("nir_c", "different"),
        ("nir_d", "unchanged"),
        ("nir_e", "different"),
    ]


def test_a_verdict_comes_before_the_next_is_computed() -> None:
    def in_order(work: Work[TransitionUnit, TransitionVerdict], units: Iterable[TransitionUnit]) -> Verdicts:
        for number, unit in enumerate(units):
            computed.append(number)
            yield number, work.here(unit)

    computed: list[int] = []
    results = verdicts_of(comparisons_of("a.log", LOG), None, in_order, no_progress)
    comparison, verdict = next(results)
    assert (comparison.pass_name, verdict.verdict) == ("nir_b", "equivalent")
    assert computed == [0]


def test_a_verdict_comes_before_the_next_comparison_is_read() -> None:
    endless = cycle(comparisons_of("a.log", LOG))
    results = verdicts_of(endless, None, in_this_process, no_progress)
    found = [verdict.verdict for _, verdict in islice(results, 4)]
    assert found == ["equivalent", "different", "unchanged", "different"]


def test_progress_names_the_shader_and_the_pass() -> None:
    def titles(results: Verdicts, total: Callable[[], int | None], current: Callable[[], str]) -> Verdicts:
        totals.append(total())
        for result in results:
            yield result
            shown.append(current())
            totals.append(total())

    shown: list[str] = []
    totals: list[int | None] = []
    comparisons = comparisons_of("a.log", LOG)
    list(verdicts_of(comparisons, None, Computer(), titles))
    # The computer starts at the end, so the first one is waited for until all are there.
    assert shown == [comparisons[0].title] * 2 + [""]
    assert totals == [None, 3, 3, 3]
    assert comparisons[0].title.endswith(": nir_b")


def test_up_to_the_first_difference() -> None:
    assert verdicts(stop_at_first=True) == [("nir_b", "equivalent"), ("nir_c", "different")]


def test_between_two_logs() -> None:
    other = read_log(FIRST.encode())
    (one,) = comparisons_between("a.log", LOG, "b.log", other)
    assert (one.against, one.pass_name, one.from_line, one.line) == (
        "b.log",
        "a.log -> b.log",
        LOG.line(4),
        0,
    )
    assert one.unit is not None
    (same,) = comparisons_between("b.log", other, "b.log", other)
    assert same.unit is None


def nameless(text: str) -> str:
    return text.replace("name: v\n", "").replace("name: f\n", "")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (PRODUCER, NEW_PRODUCER, [("VS v", 0, 0)]),
        (f"{PRODUCER}{CONSUMER}", f"{CONSUMER}x_y\n{NEW_CONSUMER}", [("FS f", 1, 1)]),
        (PRODUCER, CONSUMER, []),
        (PRODUCER, PRODUCER.replace("name: v", "name: w"), []),
        # The only one of its stage, in a log that names none.
        (PRODUCER, nameless(NEW_PRODUCER), [("VS v", 0, 0)]),
    ],
)
def test_shaders_of_two_logs(one: str, other: str, expected: list[tuple[str, int, int]]) -> None:
    found = shared_shaders(read_log(one.encode()), read_log(other.encode()))
    assert [(shader.title, shader.last_dump, twin.last_dump) for shader, twin in found] == expected
