"""Instructions of two successive snapshots of a shader, matched by structure, without their IR.

A `CodeChange` is small and can be pickled: histories of values over many snapshots are made of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from nirls.ir.analysis.correspondence import Correspondence, correspondence, is_rewritten
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, Src
from nirls.ir.text.parse import parse_dump

NEW = -1
"""The origin of an instruction that the snapshot before does not have."""


@dataclass(frozen=True, slots=True)
class CodeLines:
    """The instructions and ifs of a dump in printed order.

    Each has its line in the dump, from 0, the number of its value (None without one), and its function.
    """

    lines: tuple[int, ...]
    values: tuple[int | None, ...]
    functions: tuple[str, ...]

    def at_line(self, line: int) -> int | None:
        """Return the index of the instruction on a line; None if there is none."""
        return self.lines.index(line) if line in self.lines else None

    def of_value(self, value: int, function: str | None = None) -> int | None:
        """Return the index of the instruction that defines a value, in the first function by default."""
        for index, number in enumerate(self.values):
            if number == value and function in (None, self.functions[index]):
                return index
        return None


@dataclass(frozen=True)
class CodeChange:
    """The instructions of a snapshot (`after`) matched with those of the one before, by index.

    `origins` has an index in `before`, or `NEW`, for each index in `after`. `rewritten` are the indices in
    `after` of matched instructions that changed. `replaced` gives for removed indices in `before` the index
    in `after` of the value that their readers read instead.
    """

    before: CodeLines
    after: CodeLines
    origins: tuple[int, ...]
    rewritten: frozenset[int] = frozenset()
    replaced: dict[int, int] = field(default_factory=dict)

    @cached_property
    def twins(self) -> dict[int, int]:
        """The index in `after` by the index in `before`, for matched instructions."""
        return {origin: index for index, origin in enumerate(self.origins) if origin != NEW}

    @cached_property
    def changed_lines(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Lines that were removed, made or rewritten: of the dump before, and of the dump after."""
        old = [line for index, line in enumerate(self.before.lines) if index not in self.twins]
        old += [self.before.lines[self.origins[index]] for index in self.rewritten]
        new = [
            line
            for index, line in enumerate(self.after.lines)
            if self.origins[index] == NEW or index in self.rewritten
        ]
        return tuple(sorted(old)), tuple(new)


def code_change(before: bytes, after: bytes) -> CodeChange:
    """Match the instructions of two dumps. Functions are matched by name."""
    first, second = _parsed(before), _parsed(after)
    nodes, new_nodes = list(_nodes(first)), list(_nodes(second))
    place = {node: index for index, (_, node) in enumerate(nodes)}
    new_place = {node: index for index, (_, node) in enumerate(new_nodes)}
    origins = [NEW] * len(new_nodes)
    rewritten: set[int] = set()
    replaced: dict[int, int] = {}
    impls = {impl.function.name: impl for impl in first.impls()}
    for impl in second.impls():
        if impl.function.name not in impls:
            continue
        found = correspondence(impls[impl.function.name], impl)
        kept = set(found.values.values())
        matched: list[tuple[Node, Node]] = [*found.instrs.items(), *_matched_ifs(impl, found)]
        for node, origin in matched:
            index = new_place[node]
            origins[index] = place[origin]
            if _is_rewritten(node, origin, found):
                rewritten.add(index)
                for old, new in _replaced(node, origin, found, kept):
                    replaced[place[old]] = new_place[new]
    return CodeChange(_lines(nodes), _lines(new_nodes), tuple(origins), frozenset(rewritten), replaced)


Node = Instr | If


@lru_cache(maxsize=2)
def _parsed(text: bytes) -> Shader:
    # The second dump of a transition is the first of the next one.
    return parse_dump(text)


def _nodes(shader: Shader) -> Iterator[tuple[str, Node]]:
    for impl in shader.impls():
        for node in impl.cf_nodes():
            if isinstance(node, Block):
                yield from ((impl.function.name, instr) for instr in node)
            elif isinstance(node, If):
                yield impl.function.name, node


def _lines(nodes: list[tuple[str, Node]]) -> CodeLines:
    values = [() if isinstance(node, If) else node.defs() for _, node in nodes]
    return CodeLines(
        tuple(-1 if node.span is None else node.span.line for _, node in nodes),
        tuple(defs[0].index if defs else None for defs in values),
        tuple(name for name, _ in nodes),
    )


def _matched_ifs(impl: FunctionImpl, found: Correspondence) -> Iterator[tuple[If, If]]:
    """Yield the ifs of the second body with the ifs of the first whose then-branches start alike."""
    for node in impl.cf_nodes():
        if not isinstance(node, If) or not node.then_body or not isinstance(node.then_body[0], Block):
            continue
        start = found.blocks.get(node.then_body[0])
        parent = None if start is None else start.parent
        if isinstance(parent, If) and parent.then_body and parent.then_body[0] is start:
            yield node, parent


def _is_rewritten(node: Node, origin: Node, found: Correspondence) -> bool:
    if isinstance(node, Instr) and isinstance(origin, Instr):
        return is_rewritten(node, origin, found)
    (condition,), (before,) = _reads(node), _reads(origin)
    value = condition.def_
    return value is not None and found.values.get(value, value) is not before.def_


def _reads(node: Node) -> Sequence[Src]:
    return (node.condition,) if isinstance(node, If) else tuple(node.all_srcs())


def _replaced(node: Node, origin: Node, found: Correspondence, kept: Set[Def]) -> Iterator[tuple[Node, Node]]:
    """Yield the makers of the removed values that `origin` read and of those that `node` reads instead."""
    for src, other in zip(_reads(origin), _reads(node), strict=False):
        old, new = src.def_, other.def_
        if old is None or new is None or old in kept:
            continue
        if old.instr is not None and new.instr is not None:
            yield old.instr, new.instr
