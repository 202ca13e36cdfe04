"""The smallest cut, the cheapest closure and the assignment, against all that there are."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.passes.varyings.values.minimum_cut import cheapest_closure, one_each, smaller_cut

ENOUGH = 100_000


def reached(successors: list[list[int]], starts: list[int], stop: set[int]) -> set[int]:
    seen = {start for start in starts if start not in stop}
    work = list(seen)
    while work:
        for following in successors[work.pop()]:
            if following not in seen and following not in stop:
                seen.add(following)
                work.append(following)
    return seen


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[list[int]], list[int], list[bool], list[bool]]:
    """Successors, sources, exits and what may be cut, of a graph whose edges lead to higher numbers."""
    count = draw(st.integers(3, 9))
    sources = list(range(draw(st.integers(1, min(4, count - 1)))))
    later = range(len(sources), count)
    successors = [
        sorted(
            draw(
                st.sets(st.sampled_from([node for node in later if node > start] or [count - 1]), max_size=3)
            )
        )
        for start in range(count)
    ]
    successors[count - 1] = []
    exits = [draw(st.booleans()) or not following for following in successors]
    may_cut = [draw(st.booleans()) for _ in range(count)]
    return successors, sources, exits, may_cut


@settings(max_examples=300, deadline=None)
@given(graphs())
@pytest.mark.sweep
def test_found_exactly_if_there_is_one(
    graph: tuple[list[list[int]], list[int], list[bool], list[bool]],
) -> None:
    successors, sources, exits, may_cut = graph
    cut = smaller_cut(successors, sources, exits, may_cut, ENOUGH)
    allowed = [node for node in range(len(successors)) if may_cut[node] or node in sources]
    smallest = next(
        size
        for size in range(len(sources) + 1)
        for nodes in combinations(allowed, size)
        if not any(exits[node] for node in reached(successors, sources, set(nodes)))
    )
    assert (cut is None) == (smallest == len(sources))
    if cut is None:
        return
    assert all(node in allowed for node in cut.nodes)
    freed = [source for source in sources if source in cut.before]
    assert len(cut.nodes - set(sources)) < len(freed)
    inside = reached(successors, freed, set(cut.nodes))
    assert not any(exits[node] for node in inside)
    assert len(sources) - len(freed) + len(cut.nodes - set(sources)) == smallest


def test_three_inputs_two_sums() -> None:
    # 0, 1, 2 go into 3 and 4, 1 through 5 on its way to 4; these two are read elsewhere.
    successors = [[3, 4], [3, 5], [3, 4], [], [], [4]]
    cut = smaller_cut(successors, [0, 1, 2], [False] * 3 + [True, True, False], [True] * 6, ENOUGH)
    assert cut is not None
    assert cut.nodes == {3, 4}
    assert cut.before == {0, 1, 2, 5}


def test_what_may_not_be_cut_is_passed() -> None:
    successors = [[3, 4], [3, 4], [3, 4], [], []]
    may_cut = [True, True, True, True, False]
    assert smaller_cut(successors, [0, 1, 2], [False] * 3 + [True, True], may_cut, ENOUGH) is None


def test_search_is_bounded() -> None:
    successors = [[3, 4], [3, 4], [3, 4], [], []]
    assert smaller_cut(successors, [0, 1, 2], [False] * 3 + [True, True], [True] * 5, 5) is None
    assert smaller_cut(successors, [0, 1, 2], [False] * 3 + [True, True], [True] * 5, 200) is not None


@pytest.mark.sweep
def test_long_chain_does_not_recurse() -> None:
    length = 50_000
    successors = [[2], [2], *([node + 1] for node in range(2, length)), []]
    exits = [False] * length + [True]
    cut = smaller_cut(successors, [0, 1], exits, [True] * (length + 1), 10 * length)
    assert cut is not None
    assert cut.nodes == {2}


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(-5, 5), min_size=1, max_size=7),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=12),
)
def test_closure_is_the_smallest_of_the_cheapest(costs: list[int], pairs: list[tuple[int, int]]) -> None:
    implied = [(one, other) for one, other in pairs if max(one, other) < len(costs)]
    closed = [
        set(nodes)
        for size in range(len(costs) + 1)
        for nodes in combinations(range(len(costs)), size)
        if all(other in nodes for one, other in implied if one in nodes)
    ]
    best = min(sum(costs[node] for node in nodes) for nodes in closed)
    cheapest = [nodes for nodes in closed if sum(costs[node] for node in nodes) == best]
    found = cheapest_closure(costs, implied)
    assert found in cheapest
    assert all(found <= other for other in cheapest)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.integers(0, 4), max_size=3, unique=True), max_size=4))
def test_one_each_if_there_is_an_assignment(choices: list[list[int]]) -> None:
    found = one_each(choices)
    possible = [
        order
        for order in permutations(range(5), len(choices))
        if all(item in options for item, options in zip(order, choices, strict=True))
    ]
    assert (found is None) == (not possible)
    assert found is None or tuple(found) in possible
