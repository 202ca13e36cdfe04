"""Renumbering of the values and blocks of a function, by edits of the numbers only.

A number also occurs in phis and jumps, in comments with block edges or deref paths, and in user comments.
Within one function it always refers to the same value or block, so occurrences are found by their syntax.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import UNREADABLE_INDEX
from nirls.ir.text.declarations import declarations
from nirls.ir.text.edits import TextEdit
from nirls.ir.text.structure import LINE_WITH_BLOCKS
from nirls.server.ide.cursor.places import body_range

_VALUE = re.compile(rb"%(\d+)\b|(?<!deref_var &)(?<!\w)ssa_(\d+)\b")
# The gap before the number of a modern value, which right-aligns the numbers.
_DEFINITION = re.compile(
    rb"^[ \t]*(?:(?:con|div)[ \t]+)?\d+(?:x\d+)?(?P<gap> +)%(?P<number>\d+)[ \t]*=", re.MULTILINE
)
_BLOCK = re.compile(rb"(?<![\w%&.])(b|block_)(\d+)\b")
_PHI_BLOCK = re.compile(rb"(?<![\w%&.])(b|block_)(\d+)(?=[ \t]*:)")
_MOST_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Numbers:
    """New numbers by old number, for the values and the blocks of one function."""

    values: Mapping[int, int] = field(default_factory=dict)
    blocks: Mapping[int, int] = field(default_factory=dict)


def number_edits(text: bytes, start: int, end: int, numbers: Numbers) -> list[TextEdit]:
    """Compute the edits that renumber the function in bytes [start, end) of a dump, sorted.

    Columns are kept if the gaps before the numbers allow it.
    """
    edits: list[TextEdit] = []
    if numbers.values:
        edits += _of_values(text, start, end, numbers.values)
    if numbers.blocks:
        edits += _of_blocks(text, start, end, numbers.blocks)
    return sorted(edits, key=lambda edit: edit.start)


def _of_values(text: bytes, start: int, end: int, values: Mapping[int, int]) -> Iterator[TextEdit]:
    gaps = {match.start("number"): match.start("gap") for match in _DEFINITION.finditer(text, start, end)}
    declared = [match.span() for match in declarations(text, start, end)]
    for match in _VALUE.finditer(text, start, end):
        group = 1 if match[1] is not None else 2
        new = _changed(match[group], values)
        if new is None or any(from_ <= match.start() < to for from_, to in declared):
            continue
        at = match.start(group)
        gap_start = gaps.get(at)
        if gap_start is None:
            yield TextEdit(at, match.end(group), new)
            continue
        gap = at - 1 - gap_start
        kept = max(1, gap - (len(new) - len(match[group])))
        if kept == gap:
            yield TextEdit(at, match.end(group), new)
        else:
            yield TextEdit(gap_start, match.end(group), f"{' ' * kept}%{new}")


def _of_blocks(text: bytes, start: int, end: int, blocks: Mapping[int, int]) -> Iterator[TextEdit]:
    for line in LINE_WITH_BLOCKS.finditer(text, start, end):
        if line["label"] is not None:
            yield from _of_label(line, blocks)
            if not line["rest"].startswith((b"//", b"/*")):
                continue
        for group in ("rest", "edges", "goto", "phi"):
            if line[group] is None:
                continue
            pattern = _PHI_BLOCK if group == "phi" else _BLOCK
            for match in pattern.finditer(text, *line.span(group)):
                new = _changed(match[2], blocks)
                if new is not None:
                    yield TextEdit(match.start(2), match.end(2), new)


def _of_label(line: re.Match[bytes], blocks: Mapping[int, int]) -> Iterator[TextEdit]:
    name = line["label"]
    prefix = b"block_" if name.startswith(b"block_") else b"b"
    new = _changed(name[len(prefix) :], blocks)
    if new is None:
        return
    at = line.start("label") + len(prefix)
    grown = len(new) - (line.end("label") - at)
    gap = line.end("gap") - line.start("gap")
    # A block without instructions has all its edges on this line, two spaces after its name.
    is_aligned = line["rest"].startswith(b"//") and b"succs:" not in line["rest"]
    if not grown or not is_aligned:
        yield TextEdit(at, line.end("label"), new)
        return
    yield TextEdit(at, line.end("gap"), f"{new}:{' ' * max(0, gap - grown)}")


def _changed(number: bytes, numbers: Mapping[int, int]) -> str | None:
    """Return the new number in digits; None if unchanged."""
    if len(number) > _MOST_DIGITS:
        return None
    old = int(number)
    new = numbers.get(old, old)
    return None if new == old else str(new)


class NotNumberedError(ValueError):
    """A function defines a value or block number twice, so references are ambiguous."""


def renumbering_edits(shader: Shader) -> list[TextEdit]:
    """Compute edits that number values and blocks of each function from 0, as Mesa does before printing.

    Undefined references get the last numbers. Raises NotNumberedError if a function defines
    a number twice.
    """
    edits: list[TextEdit] = []
    for impl in shader.impls():
        body = body_range(shader, impl)
        if body is not None:
            edits += number_edits(shader.source, *body, _numbers(impl))
    return edits


def _numbers(impl: FunctionImpl) -> Numbers:
    name = impl.function.name
    undefined = [value for value in impl.undefined_references if value.index != UNREADABLE_INDEX]
    values: dict[int, int] = {}
    for new, value in enumerate((*impl.defs(), *undefined)):
        if value.index in values:
            raise NotNumberedError(f"{name} defines the value number {value.index} twice")
        values[value.index] = new
    blocks: dict[int, int] = {}
    for new, block in enumerate((*impl.blocks(), impl.end_block)):
        if block.index in blocks:
            raise NotNumberedError(f"{name} has two blocks of the number {block.index}")
        blocks[block.index] = new
    return Numbers(values, blocks)
