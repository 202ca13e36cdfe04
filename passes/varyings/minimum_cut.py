"""Minimum vertex cut of a directed graph between sources and exits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cut:
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
) -> Cut | None:
    """Return a cut with fewer nodes than the sources that it separates from the exits; None if there is none.

    `exits[n]` is set if node n leads to the outside by itself, `may_cut[n]` if n may be in a cut; sources
    always may. Uses Ford and Fulkerson's augmenting paths from one source after the other, in the graph
    where each node is an edge. No later search can get out from the nodes that a failed search has visited,
    so all failed searches together cost O(edges). Returns None after `most_steps` edges. Not recursive.
    """
    flow = _Flow(successors, exits, may_cut, sources, most_steps)
    stuck = [not flow.augment(source) for source in sources]
    if flow.steps_left <= 0 or not any(stuck):
        return None
    return flow.cut()


class _Flow:
    """A flow in the split graph: node n is the edge from 2n to 2n + 1."""

    __slots__ = ("arcs", "capacity", "dead", "exit", "seen", "steps_left", "target")

    def __init__(
        self,
        successors: Sequence[Sequence[int]],
        exits: Sequence[bool],
        may_cut: Sequence[bool],
        sources: Sequence[int],
        most_steps: int,
    ) -> None:
        count = len(successors)
        endless = count + 1
        self.exit = 2 * count
        self.arcs: list[list[int]] = [[] for _ in range(self.exit + 1)]
        self.target: list[int] = []
        self.capacity: list[int] = []
        self.dead: set[int] = set()
        self.steps_left = most_steps
        starts = set(sources)
        for node in range(count):
            self._add(2 * node, 2 * node + 1, 1 if may_cut[node] or node in starts else endless)
            for following in successors[node]:
                self._add(2 * node + 1, 2 * following, endless)
            if exits[node]:
                self._add(2 * node + 1, self.exit, endless)

    def _add(self, start: int, end: int, capacity: int) -> None:
        """Add an arc and its reverse, with an even number and the next odd one."""
        for origin, goal, room in ((start, end, capacity), (end, start, 0)):
            self.arcs[origin].append(len(self.target))
            self.target.append(goal)
            self.capacity.append(room)

    def augment(self, source: int) -> bool:
        """Send one more unit of flow from a source; return false if no path is left."""
        start = 2 * source
        if start in self.dead:
            return False
        came_by: dict[int, int] = {start: -1}
        work = [start]
        while work:
            place = work.pop()
            for arc in self.arcs[place]:
                self.steps_left -= 1
                goal = self.target[arc]
                if not self.capacity[arc] or goal in came_by or goal in self.dead:
                    continue
                came_by[goal] = arc
                if goal == self.exit:
                    self._send(came_by)
                    return True
                work.append(goal)
            if self.steps_left <= 0:
                return False
        self.dead.update(came_by)
        return False

    def _send(self, came_by: dict[int, int]) -> None:
        place = self.exit
        while (arc := came_by[place]) >= 0:
            self.capacity[arc] -= 1
            self.capacity[arc ^ 1] += 1
            place = self.target[arc ^ 1]

    def cut(self) -> Cut:
        """Return the cut at the boundary of the failed searches."""
        nodes = {place // 2 for place in self.dead if place % 2 == 0 and place + 1 not in self.dead}
        before = {place // 2 for place in self.dead if place % 2 == 1}
        return Cut(frozenset(nodes), frozenset(before))
