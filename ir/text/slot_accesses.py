"""Accesses of inputs and outputs by slot in the text of a dump, without a parse."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Patterns that start with a literal are several times as fast as others.
_PLACE: Final = re.compile(
    rb"location=(?<=\blocation=)(?P<slot>\w+) slots=(?P<count>\d{1,9})(?P<flags>[^,\n]*)"
)
_NAME: Final = re.compile(rb"\b(?P<name>(?P<verb>load|store)_\w{0,60}?(?P<way>input|output)\w{0,60}+) \(")
_BASE: Final = re.compile(rb"\bbase=(\d+)")
_COMPONENT: Final = re.compile(rb"\bcomponent=(\d)")
_WRITE_MASK: Final = re.compile(rb"\bwrmask=([xyzw]+)")
_WIDTH: Final = re.compile(rb"\s*(?:con |div )?(?:\d+x(?P<modern>\d{1,3})\b|vec(?P<older>\d{1,3})\b)")


@dataclass(frozen=True, slots=True)
class PrintedAccess:
    """An intrinsic such as `load_input` or `store_per_vertex_output`, as a line prints it.

    `line` is without the newline, and `start` and `end` are the bytes of the intrinsic's name in the dump.
    `slot` is a name or a number, `count` the number of slots, `flags` what `io` lists behind it.
    """

    line: bytes
    line_start: int
    start: int
    end: int
    is_store: bool
    is_output: bool
    slot: bytes
    count: int
    flags: bytes

    @property
    def name(self) -> str:
        """The name of the intrinsic."""
        return self.line[self.start - self.line_start : self.end - self.line_start].decode("utf-8", "replace")

    @property
    def line_end(self) -> int:
        """The end of the line in the dump."""
        return self.line_start + len(self.line)

    @property
    def base(self) -> bytes | None:
        """The digits of `base`; None where it is not printed."""
        match = _BASE.search(self.line)
        return None if match is None else match[1]

    @property
    def component(self) -> int:
        """The first component."""
        match = _COMPONENT.search(self.line)
        return 0 if match is None else int(match[1])

    @property
    def write_mask(self) -> bytes:
        """The letters of the components that are stored; `x` where no mask is printed."""
        match = _WRITE_MASK.search(self.line)
        return b"x" if match is None else match[1]

    @property
    def width(self) -> int:
        """The number of components that are loaded."""
        match = _WIDTH.match(self.line)
        return 1 if match is None else int(match["modern"] or match["older"])

    @property
    def last_source(self) -> bytes:
        """The text of the last source, which is the offset in slots of most intrinsics."""
        sources = self.line[self.end - self.line_start :].partition(b"=")[0]
        return sources.rpartition(b"(")[0].rstrip(b" )").rpartition(b",")[2].strip(b" (")


def slot_accesses(text: bytes, start: int = 0) -> Iterator[PrintedAccess]:
    """Yield the accesses of slots from byte `start` on, in order."""
    for place in _PLACE.finditer(text, start):
        line_start = text.rfind(b"\n", 0, place.start()) + 1
        name = _NAME.search(text, line_start, place.start())
        if name is None:
            continue
        line_end = text.find(b"\n", place.end())
        yield PrintedAccess(
            text[line_start : line_end if line_end >= 0 else len(text)],
            line_start,
            *name.span("name"),
            name["verb"] == b"store",
            name["way"] == b"output",
            place["slot"],
            int(place["count"]),
            place["flags"],
        )
