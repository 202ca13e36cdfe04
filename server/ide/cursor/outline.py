"""The outline of a dump from its structural lines: functions, blocks, ifs and loops.

One regular expression finds the lines, without a parse: outlines are needed for all dumps of a log at once,
and for damaged dumps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from nirls.ir.text.structure import STRUCTURE_LINE, header_end, header_fields, shader_line

MOST_NESTING = 32
"""Depth of ifs and loops from which on they are listed side by side."""


@dataclass(frozen=True, slots=True)
class BlockOutline:
    """A block: the byte range of its label, and the end of its last line."""

    name: str
    start: int
    label_end: int
    end: int


@dataclass(frozen=True, slots=True)
class ConstructOutline:
    """An if, else or loop: the byte range of its first line, and the end of its last line.

    `parts` are the blocks and constructs in it, in order.
    """

    name: str
    start: int
    label_end: int
    end: int
    parts: tuple[BlockOutline | ConstructOutline, ...]


@dataclass(frozen=True, slots=True)
class FunctionOutline:
    """A function body, from its `impl` line to its closing brace.

    `blocks` are all of its blocks, `parts` those that are in no if or loop, between the ifs and loops.
    """

    name: str
    start: int
    head_end: int
    end: int
    blocks: tuple[BlockOutline, ...]
    parts: tuple[BlockOutline | ConstructOutline, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A foldable range: byte offsets of the start of its first line and the end of its last line."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Outline:
    """The parts of a dump. `stage` is from the `shader:` line; `name` from `name:` or `label:`, or ""."""

    stage: str
    name: str
    functions: tuple[FunctionOutline, ...]
    folds: tuple[Fold, ...]


def outline(text: bytes) -> Outline:
    """Compute the outline of one dump. In damaged dumps, only unpaired lines are lost."""
    fields = header_fields(text)
    scan = _Scan(text)
    for match in STRUCTURE_LINE.finditer(text):
        scan.line(match)
    scan.finish()
    folds = [*scan.folds]
    end = len(text.rstrip())
    if end:
        folds.append(Fold(_start_of_shader_line(text), end))
    header = _header_fold(text)
    if header is not None:
        folds.append(header)
    folds.sort(key=lambda fold: (fold.start, -fold.end))
    return Outline(
        fields.get("shader", "").removeprefix("MESA_SHADER_"),
        fields.get("name") or fields.get("label") or "",
        tuple(scan.functions),
        tuple(folds),
    )


@dataclass(slots=True)
class _Open:
    """An if, else or loop whose closing brace has not been found; `parts` is None once its function ended."""

    start: int
    name: str
    label_start: int
    label_end: int
    parts: list[BlockOutline | ConstructOutline] | None = field(default_factory=list)


class _Scan:
    """Pairs the structural lines of a dump in order."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.functions: list[FunctionOutline] = []
        self.folds: list[Fold] = []
        self.open: list[_Open] = []
        self.blocks: list[BlockOutline] = []
        self.parts: list[BlockOutline | ConstructOutline] = []
        self.block: re.Match[bytes] | None = None
        self.function: re.Match[bytes] | None = None

    def line(self, match: re.Match[bytes]) -> None:
        self._close_block(match.start())
        if match["block"]:
            self.block = match
        elif match["impl"] is not None:
            self._close_function(match.start())
            self.function = match
        elif match["if"] or match["loop"]:
            self.open.append(self._opened(match, *match.span("if" if match["if"] else "loop")))
        elif self.open:
            # The brace line stays visible: it starts the next part or ends the construct.
            self._end_construct(self.open.pop(), match.start(), match.end("close"))
            if match["middle"]:
                name = match.start("middle") + len(b"}")
                self.open.append(self._opened(match, _behind_indent(self.text, name), match.end("middle")))
        elif match["close"]:
            self._close_function(match.end(), folded_to=match.start())

    def finish(self) -> None:
        end = len(self.text)
        self._close_block(end)
        self._close_function(end)
        while self.open:
            self._end_construct(self.open.pop(), end, end)

    def _opened(self, match: re.Match[bytes], name: int, end: int) -> _Open:
        text = self.text[name:end].rstrip(b"{ \t")
        text = text.partition(b"//")[0].partition(b"/*")[0].rstrip()
        return _Open(match.start(), _decoded(text), name, name + len(text))

    def _end_construct(self, one: _Open, folded_to: int, end: int) -> None:
        self._fold(one.start, folded_to)
        if one.parts is not None:
            self._siblings().append(self._made(one, folded_to if end < 0 else end))

    def _made(self, one: _Open, limit: int) -> ConstructOutline:
        end = _end_of_text_before(self.text, one.label_end, limit)
        return ConstructOutline(one.name, one.label_start, one.label_end, end, tuple(one.parts or ()))

    def _siblings(self) -> list[BlockOutline | ConstructOutline]:
        """The list that the next part belongs to."""
        return self._parts_within(len(self.open))

    def _parts_within(self, depth: int) -> list[BlockOutline | ConstructOutline]:
        """The parts of the innermost of the first `depth` open constructs, or else of the function."""
        for one in reversed(self.open[: min(depth, MOST_NESTING)]):
            if one.parts is not None:
                return one.parts
        return self.parts

    def _close_block(self, limit: int) -> None:
        match, self.block = self.block, None
        if match is None:
            return
        end = _end_of_text_before(self.text, match.end(), limit)
        start = _behind_indent(self.text, match.start())
        block = BlockOutline(_decoded(match["block"]), start, match.end("block"), end)
        self.blocks.append(block)
        self._siblings().append(block)
        self._fold(match.start(), limit)

    def _close_function(self, end: int, folded_to: int | None = None) -> None:
        match, self.function = self.function, None
        if match is None:
            return
        end = _end_of_text_before(self.text, match.end(), end)
        parts = self._all_parts(end)
        name = _decoded(match["impl"]) or "impl"
        start = match.start()
        self.functions.append(
            FunctionOutline(name, start, match.end("impl"), end, tuple(self.blocks), tuple(parts))
        )
        self.blocks.clear()
        self._fold(start, end if folded_to is None else folded_to)

    def _all_parts(self, end: int) -> list[BlockOutline | ConstructOutline]:
        """Take the parts of the function that ends; ifs and loops that are still open end with it."""
        for depth in reversed(range(len(self.open))):
            one = self.open[depth]
            if one.parts is not None:
                self._parts_within(depth).append(self._made(one, end))
                one.parts = None
        parts, self.parts = self.parts, []
        return parts

    def _fold(self, start: int, limit: int) -> None:
        end = _end_of_text_before(self.text, start, limit)
        if self.text.find(b"\n", start, end) >= 0:
            self.folds.append(Fold(start, end))


def _header_fold(text: bytes) -> Fold | None:
    start = _start_of_shader_line(text)
    end = _end_of_text_before(text, start, header_end(text))
    # Editors allow one fold per line. The dump folds at line one, so the header folds at line two.
    second_line = text.find(b"\n", start) + 1
    if second_line <= 0 or text.find(b"\n", second_line, end) < 0:
        return None
    return Fold(second_line, end)


def _start_of_shader_line(text: bytes) -> int:
    line = shader_line(text)
    return 0 if line is None else line[0]


def _end_of_text_before(text: bytes, floor: int, limit: int) -> int:
    end = limit
    while end > floor and text[end - 1] in b" \t\r\n":
        end -= 1
    return end


def _behind_indent(text: bytes, start: int) -> int:
    while text[start : start + 1] in (b" ", b"\t"):
        start += 1
    return start


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")
