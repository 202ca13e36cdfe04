"""The outline of a dump from its structural lines: functions, blocks, ifs and loops.

One regular expression finds the lines, without a parse: outlines are needed for all dumps of a log at once,
and for damaged dumps.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_STRUCTURE = re.compile(
    rb"""^[ \t]*(?=[bcdil}])(?:
      (?:con[ \t]+|div[ \t]+)?block[ \t]+(?P<block>b\d+|block_\d+):
    | impl[ \t]+(?P<impl>[^\n{]*?)[ \t]*\{
    | (?P<middle>\}[ \t]*(?:else|continue)\b)
    | (?P<close>\})
    | (?P<open>(?:if\b[^\n]*|(?:con[ \t]+|div[ \t]+)?loop[ \t]*)\{)
    )[^\n]*""",
    re.MULTILINE | re.VERBOSE,
)
_END_OF_HEADER = re.compile(rb"^(?:decl_|impl\b)", re.MULTILINE)
_FIELD = re.compile(rb"^(shader|name|label):[ \t]*([^\r\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class BlockOutline:
    """A block: the byte range of its label, and the end of its last line."""

    name: str
    start: int
    label_end: int
    end: int


@dataclass(frozen=True, slots=True)
class FunctionOutline:
    """A function body, from its `impl` line to its closing brace."""

    name: str
    start: int
    head_end: int
    end: int
    blocks: tuple[BlockOutline, ...]


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
    fields = {match[1]: _decoded(match[2].strip()) for match in _FIELD.finditer(text, 0, 4096)}
    scan = _Scan(text)
    for match in _STRUCTURE.finditer(text):
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
        fields.get(b"shader", "").removeprefix("MESA_SHADER_"),
        fields.get(b"name") or fields.get(b"label") or "",
        tuple(scan.functions),
        tuple(folds),
    )


class _Scan:
    """Pairs the structural lines of a dump in order."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.functions: list[FunctionOutline] = []
        self.folds: list[Fold] = []
        self.open: list[int] = []
        self.blocks: list[BlockOutline] = []
        self.block: re.Match[bytes] | None = None
        self.function: re.Match[bytes] | None = None

    def line(self, match: re.Match[bytes]) -> None:
        self._close_block(match.start())
        if match["block"]:
            self.block = match
        elif match["impl"] is not None:
            self._close_function(match.start())
            self.function = match
        elif match["open"]:
            self.open.append(match.start())
        elif self.open:
            # The brace line stays visible: it starts the next part or ends the construct.
            self._fold(self.open.pop(), match.start())
            if match["middle"]:
                self.open.append(match.start())
        elif match["close"]:
            self._close_function(match.end(), folded_to=match.start())

    def finish(self) -> None:
        end = len(self.text)
        self._close_block(end)
        while self.open:
            self._fold(self.open.pop(), end)
        self._close_function(end)

    def _close_block(self, limit: int) -> None:
        match, self.block = self.block, None
        if match is None:
            return
        end = _end_of_text_before(self.text, match.end(), limit)
        start = _behind_indent(self.text, match.start())
        self.blocks.append(BlockOutline(_decoded(match["block"]), start, match.end("block"), end))
        self._fold(match.start(), limit)

    def _close_function(self, end: int, folded_to: int | None = None) -> None:
        match, self.function = self.function, None
        if match is None:
            return
        end = _end_of_text_before(self.text, match.end(), end)
        name = _decoded(match["impl"]) or "impl"
        start = match.start()
        self.functions.append(FunctionOutline(name, start, match.end("impl"), end, tuple(self.blocks)))
        self.blocks.clear()
        self._fold(start, end if folded_to is None else folded_to)

    def _fold(self, start: int, limit: int) -> None:
        end = _end_of_text_before(self.text, start, limit)
        if self.text.find(b"\n", start, end) >= 0:
            self.folds.append(Fold(start, end))


def _header_fold(text: bytes) -> Fold | None:
    start = _start_of_shader_line(text)
    behind = _END_OF_HEADER.search(text)
    end = _end_of_text_before(text, start, behind.start() if behind else len(text))
    # Editors allow one fold per line. The dump folds at line one, so the header folds at line two.
    second_line = text.find(b"\n", start) + 1
    if second_line <= 0 or text.find(b"\n", second_line, end) < 0:
        return None
    return Fold(second_line, end)


def _start_of_shader_line(text: bytes) -> int:
    match = re.search(rb"^shader:", text, re.MULTILINE)
    return match.start() if match else 0


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
