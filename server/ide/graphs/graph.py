"""A directed graph for drawing. Its texts are not escaped; the output format must do so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span

LONGEST_LINE = 90
"""Largest length of a label line in characters; longer lines are cut."""


class NodeKind(Enum):
    """The kind of a node, which determines its style."""

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
    """The source text of a node: bytes [start, end) of the dump of a stage, from its line `line` on.

    `shader` is the position of the stage in the pipeline drawn, 0 for a single shader.
    """

    start: int
    end: int
    line: int
    shader: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """A node. `name` is unique in its graph and has only letters, digits and `_`; `group` is its cluster."""

    name: str
    label: tuple[str, ...]
    kind: NodeKind
    place: NodePlace | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, by name. `is_back` marks a loop back edge."""

    source: str
    target: str
    label: str = ""
    is_back: bool = False


@dataclass(slots=True)
class Graph:
    """A graph with a title.

    `left_out` counts the nodes omitted for size, `cut_blocks` those whose label lacks instructions.
    """

    title: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    left_out: int = 0
    cut_blocks: int = 0
    left_to_right: bool = False


def place_of(span: Span | None, shader: int = 0) -> NodePlace | None:
    """Convert a source span to a place."""
    return None if span is None else NodePlace(span.start, span.end, span.line, shader)


def cut(text: str) -> str:
    """Join white space, and cut the text to `LONGEST_LINE`."""
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 1]}…"


def texts_of(lines: Sequence[str], most: int) -> tuple[str, ...]:
    """Return the lines of a label; above `most`, the last line is the number of omitted lines."""
    if len(lines) <= most:
        return tuple(lines)
    return (*lines[: most - 1], f"… {len(lines) - most + 1} more")


def instr_text(shader: Shader, instr: Instr) -> str:
    """Return the text in one line, cut to `LONGEST_LINE`."""
    if instr.span is None:
        return cut(repr(instr))
    text = shader.source[instr.span.start : instr.span.end].decode("utf-8", "replace")
    if instr.comment:
        text = text.replace(instr.comment, "")
    return cut(text)
