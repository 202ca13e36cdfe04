"""Minimum cuts: of the nodes between sources and exits, and the cheapest closure of a graph of implications.

Both are maximum flows (Ford and Fulkerson; Edmonds and Karp for the order of the paths).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Choice = TypeVar("Choice", bound=Hashable)


@dataclass(frozen=True, slots=True)
class MinimumCut:
    """A set of nodes that every path from a source to an exit passes.

    `nodes` are the cut nodes nearest to the sources. `before` are all nodes reachable without passing a cut
    node from the sources that the cut saves (see `smaller_cut`); sources among them are separated from
    every exit.
    """

    nodes: frozenset[int]
    before: frozenset[int]


def smaller_cut(
    successors: Sequence[Sequence[int]],
    sources: Sequence[int],
    exits: Sequence[bool],
    may_cut: Sequence[bool],
    most_steps: int,
) -> MinimumCut | None:
    """Return a cut with fewer nodes than the sources that it separates from the exits; None if there is none.

    `exits[n]` is set if node n leads to the outside by itself, `may_cut[n]` if n may be in a cut; sources
    always may. Each node is an arc of the network, from 2n to 2n + 1. Returns None after `most_steps` arcs.
    """
    count = len(successors)
    endless, end = count + 1, 2 * count
    network = _Network(end + 1, most_steps)
    starts = set(sources)
    for node in range(count):
        network.add(2 * node, 2 * node + 1, 1 if may_cut[node] or node in starts else endless)
        for following in successors[node]:
            network.add(2 * node + 1, 2 * following, endless)
        if exits[node]:
            network.add(2 * node + 1, end, endless)
    stuck = [not network.send(2 * source, end, 1) for source in sources]
    if network.steps_left <= 0 or not any(stuck):
        return None
    dead = network.dead
    nodes = {place // 2 for place in dead if place % 2 == 0 and place + 1 not in dead}
    before = {place // 2 for place in dead if place % 2 == 1}
    return MinimumCut(frozenset(nodes), frozenset(before))


def cheapest_closure(costs: Sequence[int], implied: Iterable[tuple[int, int]]) -> frozenset[int]:
    """Return the nodes to choose for the least total cost: a node's choice implies that of others.

    `implied` has pairs of a node and one that it implies; costs may be negative. Of several sets, the
    result is the smallest, which is part of all others. Source: Picard, "Maximal closure of a graph", 1976.
    """
    count = len(costs)
    endless = sum(map(abs, costs)) + 1
    network = _Network(count + 1, None)
    for node, other in implied:
        network.add(node, other, endless)
    for node, cost in enumerate(costs):
        if cost > 0:
            network.add(node, count, cost)
    for node, cost in enumerate(costs):
        if cost < 0:
            network.send(node, count, -cost)
    return frozenset(network.dead)


def one_each(choices: Sequence[Sequence[Choice]]) -> list[Choice] | None:
    """Return a different choice for each, or None if there is no such assignment (augmenting paths)."""
    taken_by: dict[Choice, int] = {}
    for start in range(len(choices)):
        came_from: dict[Choice, tuple[int, Choice | None]] = {}
        work: list[tuple[int, Choice | None]] = [(start, None)]
        free: Choice | None = None
        while work and free is None:
            chooser, through = work.pop()
            for item in choices[chooser]:
                if item in came_from:
                    continue
                came_from[item] = (chooser, through)
                if item not in taken_by:
                    free = item
                    break
                work.append((taken_by[item], item))
        if free is None:
            return None
        step: Choice | None = free
        while step is not None:
            chooser, before = came_from[step]
            taken_by[step] = chooser
            step = before
    chosen = {chooser: item for item, chooser in taken_by.items()}
    return [chosen[position] for position in range(len(choices))]


class _Network:
    """A directed graph with capacities and a flow.

    No later search can get out from the nodes that a failed search has visited (`dead`), so all failed
    searches together cost O(arcs). `steps_left` limits the arcs visited; None for no limit.
    """

    __slots__ = ("arcs", "capacity", "dead", "steps_left", "target")

    def __init__(self, nodes: int, most_steps: int | None) -> None:
        self.arcs: list[list[int]] = [[] for _ in range(nodes)]
        self.target: list[int] = []
        self.capacity: list[int] = []
        self.dead: set[int] = set()
        self.steps_left: float = math.inf if most_steps is None else most_steps

    def add(self, start: int, end: int, capacity: int) -> None:
        """Add an arc and its reverse, with an even number and the next odd one."""
        for origin, goal, room in ((start, end, capacity), (end, start, 0)):
            self.arcs[origin].append(len(self.target))
            self.target.append(goal)
            self.capacity.append(room)

    def send(self, start: int, end: int, amount: int) -> bool:
        """Send more flow between two nodes; return whether there is a way for all of it."""
        while amount:
            path = self._path(start, end)
            if path is None:
                return False
            units = min(amount, *(self.capacity[arc] for arc in path))
            amount -= units
            for arc in path:
                self.capacity[arc] -= units
                self.capacity[arc ^ 1] += units
        return True

    def _path(self, start: int, end: int) -> list[int] | None:
        """Return the arcs of a shortest path with room; None if there is none, or the limit is reached."""
        if start in self.dead:
            return None
        came_by: dict[int, int] = {start: -1}
        work = deque((start,))
        while work:
            place = work.popleft()
            for arc in self.arcs[place]:
                self.steps_left -= 1
                goal = self.target[arc]
                if not self.capacity[arc] or goal in came_by or goal in self.dead:
                    continue
                came_by[goal] = arc
                if goal == end:
                    return self._back_from(end, came_by)
                work.append(goal)
            if self.steps_left <= 0:
                return None
        self.dead.update(came_by)
        return None

    def _back_from(self, end: int, came_by: dict[int, int]) -> list[int]:
        path = []
        place = end
        while (arc := came_by[place]) >= 0:
            path.append(arc)
            place = self.target[arc ^ 1]
        return path
