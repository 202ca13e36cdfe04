"""Formatting to the columns and indentation that Mesa prints, by edits of white space only.

Each line is compared with the printer's output without white space. If both have the same characters, the
printer's spaces are used; a line with other characters (another spelling of a number, for example) keeps its
spaces, and only its indentation is changed. Lines without IR are not changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.span import Span
from nirls.ir.text.edits import TextEdit
from nirls.ir.text.printing.lines import LineKind, LineSlot
from nirls.ir.text.printing.render import Renderer
from nirls.ir.text.printing.style import FunctionStyle, PrintStyle, digits
from nirls.server.ide.cursor.places import body_range

_VALUE = re.compile(rb"^[ \t]*(?:(?:con|div) +)?(\d+)(x\d+)?( +)%(\d+) *=", re.MULTILINE)
_WIDTH_OF_SIZE = len("x4 ")
_LEFT_ALONE = frozenset({LineKind.HEADER, LineKind.BLANK})


def formatting_edits(shader: Shader, first_line: int = 0, last_line: int | None = None) -> list[TextEdit]:
    """Compute the edits of lines first_line to last_line (from 0, inclusive) of the dump, sorted."""
    if not shader.source:
        return []
    lines = _Lines(shader.source)
    style = _style(shader)
    renderer = Renderer(shader, style)
    slots: dict[int, list[LineSlot]] = {}
    for slot in renderer.slots():
        number = _line_of(slot, lines)
        if number is not None:
            slots.setdefault(number, []).append(slot)
    last = lines.count - 1 if last_line is None else min(last_line, lines.count - 1)
    edits: list[TextEdit] = []
    for number in range(max(first_line, 0), last + 1):
        start, end = lines.span(number)
        on_line = slots.get(number, ())
        if len(on_line) == 1 and on_line[0].kind not in _LEFT_ALONE:
            edits += _edits_of_line(renderer, on_line[0], start, end, shader.source)
        elif start < end and not shader.source[start:end].strip(b" \t"):
            edits.append(TextEdit(start, end, ""))
    return edits


def _style(shader: Shader) -> PrintStyle:
    """Return the dump's style with Mesa's indentation, and the most common column width of each function."""
    style = PrintStyle.of(shader)
    functions = {
        impl.function.name: FunctionStyle(
            _number_width(shader, impl), style.function(impl.function.name).divergence
        )
        for impl in shader.impls()
    }
    return replace(style, indent=PrintStyle.default(style.dialect).indent, functions=functions)


def _number_width(shader: Shader, impl: FunctionImpl) -> int:
    """Return the width of the number column in digits: Mesa includes numbers of removed values."""
    needed = digits(max((value.index for value in impl.defs()), default=0))
    body = body_range(shader, impl)
    if body is None or shader.dialect is not Dialect.MODERN:
        return needed
    widths: Counter[int] = Counter()
    for match in _VALUE.finditer(shader.source, *body):
        size = len(match[2] or b"")
        room = len(match[3]) - (_WIDTH_OF_SIZE - size) - (len(match[1]) == 1) - 1 + len(match[4])
        if room >= len(match[4]):
            widths[room] += 1
    most = widths.most_common(1)
    return max(needed, most[0][0]) if most else needed


class _Lines:
    """The lines of a dump without their line ends."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *(match.end() for match in re.finditer(rb"\n", source)), len(source) + 1]

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    def span(self, number: int) -> tuple[int, int]:
        """Return the start and end of a line."""
        start, behind = self.starts[number], self.starts[number + 1]
        end = max(start, behind - 1)
        if self.source[start:end].endswith(b"\r"):
            end -= 1
        return start, end

    def has(self, number: int, word: bytes) -> bool:
        """Whether the line exists and contains the word."""
        return number + 1 < len(self.starts) and word in self.source[slice(*self.span(number))]


def _line_of(slot: LineSlot, lines: _Lines) -> int | None:
    """Return the dump's line number for a line of the printer; None if the dump does not have it."""
    node = slot.node
    span: object
    match slot.kind:
        case LineKind.ELSE:
            span = node.else_span if isinstance(node, If) else None
        case LineKind.CONTINUE:
            span = node.continue_span if isinstance(node, Loop) else None
        case LineKind.END:
            span = node.end_span if isinstance(node, If | Loop | FunctionImpl) else None
        case LineKind.SUCCESSORS:
            span = node.end_span if isinstance(node, Block) else None
            if isinstance(span, Span) and not lines.has(span.line, b"succs:"):
                return None
        case LineKind.PREDECESSORS | LineKind.PREAMBLE:
            word = b"preds:" if slot.kind is LineKind.PREDECESSORS else b"preamble"
            span = node.span
            if isinstance(span, Span):
                return span.line + 1 if lines.has(span.line + 1, word) else None
        case _:
            span = node.span
    return span.line if isinstance(span, Span) else None


def _edits_of_line(
    renderer: Renderer, slot: LineSlot, start: int, end: int, source: bytes
) -> Iterator[TextEdit]:
    try:
        actual = source[start:end].decode()
    except UnicodeDecodeError:
        return
    wanted = _respaced(actual, renderer.line(slot))
    if wanted is None and isinstance(slot.node, Instr):
        # The line has another comment than the printer would write.
        wanted = _respaced(actual, f"{renderer.margin(slot)}{renderer.body(slot)}")
    if wanted is None:
        wanted = f"{renderer.margin(slot)}{_in_own_words(renderer, slot, actual.lstrip())}"
    if wanted != actual:
        yield from _space_edits(actual, wanted, start)


def _in_own_words(renderer: Renderer, slot: LineSlot, text: str) -> str:
    """Format the destination of a line that the printer would write differently; keep the rest."""
    node = slot.node
    if not isinstance(node, Instr) or node.def_ is None:
        return text
    value, _, rest = text.partition("=")
    wanted = renderer.writer(slot.impl).def_text(node.def_)
    if value.split() != wanted.split():
        return text
    return f"{wanted} = {rest.lstrip()}"


def _respaced(actual: str, wanted: str) -> str | None:
    """Return `wanted` with the additional end of `actual`; None if they differ in more than white space.

    The additional end must be a comment or annotation; it keeps the space before it.
    """
    position = 0
    for letter in wanted:
        if letter.isspace():
            continue
        while position < len(actual) and actual[position].isspace():
            position += 1
        if position == len(actual) or actual[position] != letter:
            return None
        position += 1
    rest = actual[position:]
    if not rest.strip():
        return wanted
    if not rest.lstrip().startswith(("//", "/*", "(pass_flags", "error:")):
        return None
    return f"{wanted.rstrip()}{rest}" if rest[0].isspace() else f"{wanted.rstrip()} {rest}"


def _space_edits(actual: str, wanted: str, start: int) -> Iterator[TextEdit]:
    """Yield an edit for each run of white space that differs; all other characters must be equal."""
    gaps, new_gaps = _gaps(actual), _gaps(wanted)
    offset = start
    previous = 0
    for (from_, to), (new_from, new_to) in zip(gaps, new_gaps, strict=True):
        offset += len(actual[previous:from_].encode())
        size = len(actual[from_:to].encode())
        if actual[from_:to] != wanted[new_from:new_to]:
            yield TextEdit(offset, offset + size, wanted[new_from:new_to])
        offset += size
        previous = to


def _gaps(text: str) -> list[tuple[int, int]]:
    """Return the runs of white space, possibly empty, before each other character and at the end."""
    places = [position for position, letter in enumerate(text) if not letter.isspace()]
    return [(above + 1, below) for above, below in pairwise((-1, *places, len(text)))]
