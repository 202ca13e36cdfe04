"""The smallest set of nodes of a directed graph that separates some nodes from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cut:
    """Nodes of which one is on every way from a source to an exit.

    `nodes` are those nearest to the sources, `before` all that can be reached from the sources that the cut
    saves (see `smaller_cut`) without passing one; sources among them are separated from every exit.
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
    """A cut with fewer nodes than the sources that it separates from the exits; None if there is none.

    `exits[n]` says that n leads to the outside by itself, `may_cut[n]` that n may be in a cut; sources always
    may. Ford and Fulkerson's augmenting paths from one source after the other, in the graph where each node
    is an edge. A search that fails has seen nodes from which no later one can get out either, so all that
    fail cost O(edges) together. Gives up, with None, after `most_steps` edges. Does not recurse.
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
        """An arc and its reverse, which are at an even number and the next."""
        for origin, goal, room in ((start, end, capacity), (end, start, 0)):
            self.arcs[origin].append(len(self.target))
            self.target.append(goal)
            self.capacity.append(room)

    def augment(self, source: int) -> bool:
        """Send one more unit from a source; false if it does not get through."""
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
        """The boundary of the failed searches."""
        nodes = {place // 2 for place in self.dead if place % 2 == 0 and place + 1 not in self.dead}
        before = {place // 2 for place in self.dead if place % 2 == 1}
        return Cut(frozenset(nodes), frozenset(before))
