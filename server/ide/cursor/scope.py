"""The values in scope at a position of a function, found by a scan of its lines.

There is no parse, because completion runs at every keystroke, on incomplete lines. NIR's structured control
flow makes one pass over the lines sufficient: the immediate dominator of a block is known when the block
begins, because all its predecessors come before it, except for loop back edges. These do not matter, because
the loop header dominates their sources. The immediate dominator of a block with several predecessors is their
nearest common dominator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nirls.ir.text.structure import SCOPE_LINE


class ScopeValue(NamedTuple):
    """A value by its number, `%12`; `start` is the offset of its line, `made_by` that of its operation.

    `bit_size` is 0 if the dump does not print it. `label` is the name of debug information that is printed
    behind the number, `.color`, or "".
    """

    name: str
    num_components: int
    bit_size: int
    start: int
    made_by: int
    label: str = ""

    def operation(self, text: bytes) -> str:
        """Return the text after the equals sign, shortened."""
        end = text.find(b"\n", self.made_by, self.made_by + 400)
        shown = text[self.made_by : end if end >= 0 else self.made_by + 400]
        return shown[:80].decode("utf-8", "replace").strip()


class _Block:
    __slots__ = ("depth", "idom", "is_dead", "values")

    def __init__(self, idom: _Block | None, *, is_dead: bool = False) -> None:
        self.idom = idom
        self.depth: int = 0 if idom is None else idom.depth + 1
        self.is_dead = is_dead
        self.values: list[ScopeValue] = []


@dataclass(slots=True)
class _Frame:
    """An open if or loop: the block before it, and the blocks with an edge to its exit or continue."""

    head: _Block
    is_loop: bool
    exits: list[_Block]
    continues: list[_Block]


class Scope:
    """The blocks of a function body up to a position, with their dominators."""

    def __init__(self, text: bytes, start: int, end: int) -> None:
        """Scan bytes [start, end) of a dump, from the function's first line or before it."""
        self._text = text
        self._current = _Block(None)
        self._blocks: dict[str, _Block] = {}
        self._is_fresh = True
        self._frames: list[_Frame] = []
        self._loops: list[_Frame] = []
        for match in SCOPE_LINE.finditer(text, start, end):
            self._line(match)

    def values(self) -> list[ScopeValue]:
        """Return the values that dominate the end of the text, the nearest first."""
        return list(_values_above(self._current))

    def values_at_end_of(self, block: str) -> list[ScopeValue]:
        """Return the values that a phi may read from the block of that name; empty for an unknown block."""
        found = self._blocks.get(block)
        return [] if found is None else list(_values_above(found))

    def _line(self, match: re.Match[bytes]) -> None:
        if match["number"]:
            self._define("%", match["number"], match["width"] or b"1", match["bits"], match)
        elif match["older_number"]:
            self._define("ssa_", match["older_number"], match["older_width"], match["older_bits"], match)
        elif match["block"]:
            self._label(match["block"].decode())
        elif match["if"]:
            self._frames.append(_Frame(self._current, False, [], []))
            self._begin(_Block(self._current, is_dead=self._current.is_dead))
        elif match["loop"]:
            self._frames.append(_Frame(self._current, True, [], []))
            self._loops.append(self._frames[-1])
            self._begin(_Block(self._current, is_dead=self._current.is_dead))
        elif match["middle"]:
            self._middle(match["middle_word"])
        elif match["close"]:
            self._close()
        else:
            self._jump(match["jump"])

    def _define(
        self, prefix: str, number: bytes, width: bytes, bits: bytes | None, match: re.Match[bytes]
    ) -> None:
        # Longer numbers do not occur in valid dumps.
        if len(number) > 9 or len(width) > 3 or len(bits or b"") > 3:
            return
        name = f"{prefix}{int(number)}"
        label = (match["label"] or match["older_label"] or b"").decode("utf-8", "replace")
        value = ScopeValue(name, int(width), int(bits or 0), match.start(), match.end(), label)
        self._current.values.append(value)
        self._is_fresh = False

    def _label(self, name: str) -> None:
        if not self._is_fresh:
            self._begin(_Block(self._current, is_dead=self._current.is_dead))
        self._is_fresh = False
        self._blocks[name] = self._current

    def _begin(self, block: _Block) -> None:
        self._current = block
        self._is_fresh = True

    def _middle(self, word: bytes) -> None:
        if not self._frames:
            return
        frame = self._frames[-1]
        if frame.is_loop:
            self._begin(_merged([*frame.continues, self._current], frame.head))
            frame.continues = []
            return
        if word == b"else":
            frame.exits.append(self._current)
            self._begin(_Block(frame.head, is_dead=frame.head.is_dead))

    def _close(self) -> None:
        if not self._frames:
            return
        frame = self._frames.pop()
        if frame.is_loop:
            self._loops.pop()
            self._begin(_merged(frame.exits, frame.head))
            return
        # Without an else, the block before the if is a predecessor.
        other = frame.exits or [frame.head]
        self._begin(_merged([*other, self._current], frame.head))

    def _jump(self, word: bytes) -> None:
        if self._loops and not self._current.is_dead:
            if word == b"break":
                self._loops[-1].exits.append(self._current)
            elif word == b"continue":
                self._loops[-1].continues.append(self._current)
        # The block keeps its name and values; the code after the jump is unreachable.
        self._begin(_Block(self._current, is_dead=True))


def _merged(preds: list[_Block], head: _Block) -> _Block:
    """Create the block after an if or loop; its dominator is the nearest common one of its predecessors."""
    alive = [block for block in preds if not block.is_dead]
    if not alive:
        # Unreachable; offer the values from before the if or loop.
        return _Block(head, is_dead=True)
    # From the deepest up, so that no path of the tree is walked twice.
    alive.sort(key=lambda block: block.depth, reverse=True)
    above = alive[0]
    for block in alive[1:]:
        above = _common(above, block)
    return _Block(above)


def _common(first: _Block, second: _Block) -> _Block:
    while first is not second:
        if first.depth < second.depth:
            first, second = second, first
        assert first.idom is not None
        first = first.idom
    return first


def _values_above(block: _Block | None) -> Iterator[ScopeValue]:
    while block is not None:
        yield from reversed(block.values)
        block = block.idom
