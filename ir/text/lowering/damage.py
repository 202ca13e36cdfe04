"""Detection of damaged dumps: truncated, or interleaved with the output of another thread."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If
from nirls.ir.model.shader import Damage, Dialect, Shader
from nirls.ir.model.span import Span

_MANY_BREAKS = 3
"""Minimum number of breaks in a damaged dump; fewer may be typing errors."""


def find_damage(shader: Shader) -> Damage | None:
    """Return where and why a damaged dump breaks; None for a whole dump, or one with a few wrong lines.

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
    if is_mixed:
        first = min([*breaks, *foreign], key=lambda span: span.start)
        return Damage(first, "lines of another writer are mixed into the dump from here on")
    opened = _open_constructs(shader)
    if not opened:
        return None
    last = min(breaks, key=lambda span: span.start) if breaks else _last_line(shader.source)
    unclosed = max(
        opened, key=lambda item: item.is_indented_differently * len(shader.source) + item.start.start
    )
    if not unclosed.is_indented_differently and len(opened) > 1:
        return Damage(last, "the dump is cut off here")
    return Damage(last, f"missing `}}` of the {unclosed.word}", unclosed.start)


@dataclass(frozen=True, slots=True)
class _OpenConstruct:
    """A function, an if or a loop without a closing brace of its own.

    `is_indented_differently`: the brace that ends it is that of a construct around it.
    """

    word: str
    start: Span
    is_indented_differently: bool


def _open_constructs(shader: Shader) -> list[_OpenConstruct]:
    open_constructs: list[_OpenConstruct] = []
    for impl in shader.impls():
        if impl.span is None:
            continue
        nodes: list[FunctionImpl | CfNode] = [impl, *impl.cf_nodes()]
        constructs = [node for node in nodes if not isinstance(node, Block)]
        ends = Counter(node.end_span for node in constructs)
        for node in constructs:
            start, end = node.span, node.end_span
            if start is None or (end is not None and ends[end] == 1 and not _is_mismatch(shader, start, end)):
                continue
            if end is None or ends[end] > 1 or ends[None]:
                word = (
                    "function" if isinstance(node, FunctionImpl) else "if" if isinstance(node, If) else "loop"
                )
                differs = end is not None and _is_mismatch(shader, start, end)
                open_constructs.append(_OpenConstruct(word, start, differs))
    return open_constructs


def _is_mismatch(shader: Shader, start: Span, end: Span) -> bool:
    """Return whether a closing brace is less indented than the line that it would close."""
    return (_indent(shader.source, end) or 0) < (_indent(shader.source, start) or 0)


def _indent(source: bytes, span: Span) -> int:
    line_start = source.rfind(b"\n", 0, span.start) + 1
    line = source[line_start : span.start + 1]
    return len(line) - len(line.lstrip(b" \t"))


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
