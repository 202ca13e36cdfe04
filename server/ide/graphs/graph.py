"""A directed graph to be drawn. Its texts are as the dump has them: whoever writes them escapes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from nirls.ir.model.span import Span

LONGEST_LINE = 90
"""Characters of a line of a label; what is longer is cut."""


class NodeKind(Enum):
    """What a node is, which decides how it looks."""

    BLOCK = "block"
    END = "end"
    INSTR = "instr"
    EFFECT = "effect"
    CONSTANT = "constant"
    PHI = "phi"
    FOCUS = "focus"
    OUTPUT = "output"
    INPUT = "input"
    UNMATCHED = "unmatched"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class NodePlace:
    """The text that a node stands for: bytes [start, end) of the dump of a stage, from line `line` of it.

    `shader` is the position of the stage among those drawn, 0 where there is one.
    """

    start: int
    end: int
    line: int
    shader: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A node. `name` is unique in its graph, of letters, digits and `_` only; `group` names its frame."""

    name: str
    label: tuple[str, ...]
    kind: NodeKind
    place: NodePlace | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, by name. `is_back`: it leads back to where a loop starts."""

    source: str
    target: str
    label: str = ""
    is_back: bool = False


@dataclass(slots=True)
class Graph:
    """A graph with a title. `left_out` counts the nodes that were not drawn because there are too many."""

    title: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    left_out: int = 0
    left_to_right: bool = False


def place_of(span: Span | None, shader: int = 0) -> NodePlace | None:
    """The place of a piece of IR that was read from text."""
    return None if span is None else NodePlace(span.start, span.end, span.line, shader)


def cut(text: str) -> str:
    """A line of a label, not too long."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


def texts_of(lines: Sequence[str], most: int) -> tuple[str, ...]:
    """Lines of a label, those behind the first ones counted only."""
    if len(lines) <= most:
        return tuple(lines)
    return (*lines[: most - 1], f"… {len(lines) - most + 1} more")
