"""Detection of damaged dumps: truncated, or interleaved with the output of another thread."""

from __future__ import annotations

from collections.abc import Iterator

from nirls.ir.model.control_flow import Block
from nirls.ir.model.shader import Dialect, Shader, UnreadableLine
from nirls.ir.model.span import Span

_MANY_BREAKS = 3
"""Minimum number of breaks in a damaged dump; fewer may be typing errors."""


def find_damage(shader: Shader) -> UnreadableLine | None:
    """Return the line where a damaged dump breaks; None for a whole dump, or one with a few wrong lines.

    A dump is truncated if a function, an if or a loop has no end. It is interleaved if it has several
    unreadable lines and duplicate blocks, and text of another writer: blocks that only repeat are an editing
    error, unreadable or shifted lines among them are not.
    """
    foreign = [line.span for line in shader.unreadable]
    breaks = [*foreign, *_repeated_blocks(shader)]
    is_mixed = False
    if len(breaks) >= _MANY_BREAKS:
        foreign += _shifted_lines(shader)
        is_mixed = bool(foreign)
    if not is_mixed and not _has_open_end(shader):
        return None
    if is_mixed or breaks:
        breaks += foreign
        return _line(shader, min(breaks, key=lambda span: span.start))
    return _line(shader, _last_line(shader.source))


def _has_open_end(shader: Shader) -> bool:
    """Whether a function, if or loop has no closing brace, or only that of one inside it."""
    for impl in shader.impls():
        ends = [node.end_span for node in impl.cf_nodes() if not isinstance(node, Block)]
        if impl.span is not None:
            ends.append(impl.end_span)
        if None in ends or len(set(ends)) < len(ends):
            return True
    return False


def _repeated_blocks(shader: Shader) -> Iterator[Span]:
    for impl in shader.impls():
        seen: set[int] = set()
        for block in impl.blocks():
            if block.index in seen and block.index >= 0 and block.span is not None:
                yield block.span
            seen.add(block.index)


def _shifted_lines(shader: Shader) -> Iterator[Span]:
    """Yield instructions of modern dumps that are not aligned with their block."""
    if shader.dialect is not Dialect.MODERN:
        return
    for impl in shader.impls():
        for block in impl.blocks():
            column = _column(shader.source, block.span)
            for instr in block:
                if instr.def_ is not None and column not in (None, _column(shader.source, instr.span)):
                    yield instr.span or Span(0, 0, 0)


def _column(source: bytes, span: Span | None) -> int | None:
    return None if span is None else span.start - source.rfind(b"\n", 0, span.start) - 1


def _last_line(source: bytes) -> Span:
    end = len(source.rstrip())
    start = source.rfind(b"\n", 0, end) + 1
    return Span(start, end, source.count(b"\n", 0, start))


def _line(shader: Shader, span: Span) -> UnreadableLine:
    return UnreadableLine(span, shader.source[span.start : span.end].decode("utf-8", "replace"))
