"""Collection of the findings of one dump, with names and places as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nirls.ir.finding import Finding, Place, Related, Severity
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.span import Span
from nirls.ir.model.values import Def, Register, Src
from nirls.ir.validation.catalogue import KINDS

NOWHERE = Span(0, 0, 0)


class Fault(NamedTuple):
    """A finding about the shape of an instruction: at a source slot, at the destination, or of the whole."""

    code: str
    message: str
    source: int | None = None
    at_dest: bool = False
    severity: Severity | None = None
    """None for the severity of the catalogue."""


class Reporter:
    """Collector of findings, unordered."""

    __slots__ = (
        "_block_prefix",
        "_def_prefix",
        "dialect_value",
        "functions",
        "problems",
        "shader",
        "stage_value",
    )

    def __init__(self, shader: Shader) -> None:
        self.shader = shader
        self.problems: list[Finding] = []
        # Plain strings, because hashing enumeration members is slow.
        self.stage_value: str | None = None if shader.stage is None else shader.stage.value
        self.dialect_value: str = shader.dialect.value
        self.functions = {function.name: function for function in reversed(shader.functions)}
        is_modern = shader.dialect is Dialect.MODERN
        self._def_prefix = "%" if is_modern else "ssa_"
        self._block_prefix = "b" if is_modern else "block_"

    def report(
        self,
        code: str,
        message: str,
        span: Span | None,
        *,
        related: Sequence[tuple[Span | None, str]] = (),
        severity: Severity | None = None,
    ) -> None:
        """Add a finding; `severity` overrides that of the catalogue."""
        places = (Related(Place.of(one), text) for one, text in related if one is not None)
        place = Place.of(span or NOWHERE)
        self.problems.append(KINDS[code].at(place, message, related=places, severity=severity))

    def report_fault(self, fault: Fault, instr: Instr) -> None:
        """Add the finding for a fault of an instruction; that of a source starts with its name."""
        message, place = fault.message, self.place_of_dest(instr) if fault.at_dest else instr.span
        if fault.source is not None:
            message = f"{self.name_of(instr.srcs()[fault.source])} {message}"
            place = self.place_of_source(instr, fault.source)
        self.report(fault.code, message, place, severity=fault.severity)

    def name_of(self, value: Def | Register | Src | Block) -> str:
        """Return the printed name: `%12` or `ssa_12`, `r3`, `b1` or `block_1`."""
        if isinstance(value, Src):
            held = value.def_ if value.def_ is not None else value.reg
            return "?" if held is None else self.name_of(held)
        if isinstance(value, Register):
            return f"r{value.index}" if value.index >= 0 else f"gr{-1 - value.index}"
        return f"{self._def_prefix if isinstance(value, Def) else self._block_prefix}{value.index}"

    def block_name(self, index: int) -> str:
        """Return the printed name of a block: `b1` or `block_1`."""
        return f"{self._block_prefix}{index}"

    def place_of_source(self, instr: Instr, position: int) -> Span | None:
        """Return the span of source number `position` in the text; the whole instruction if not found."""
        srcs = instr.srcs()
        name = self.name_of(srcs[position])
        repetition = sum(self.name_of(src) == name for src in srcs[:position])
        return self.place_of_name(instr.span, name, repetition)

    def place_of_name(self, span: Span | None, name: str, repetition: int = 0) -> Span | None:
        """Return the span of an occurrence of a name after the `=`; the whole span if there is none."""
        if span is None:
            return None
        text = self.shader.source[span.start : span.end]
        start = text.find(b"=") if _DESTINATION.match(text) is not None else 0
        for place in _words(text, name.encode(), start):
            if repetition == 0:
                first = span.start + place
                return Span(first, first + len(name.encode()), span.line)
            repetition -= 1
        return span

    def place_of_dest(self, instr: Instr) -> Span | None:
        """Return the span of the destination in the text; the whole instruction if not found."""
        span, value = instr.span, instr.def_
        if span is None or value is None:
            return span
        text = self.shader.source[span.start : span.end]
        start = text.find(self.name_of(value).encode(), 0, max(text.find(b"="), 0))
        if start < 0:
            return span
        return Span(span.start + start, span.start + start + len(self.name_of(value)), span.line)


_DESTINATION = re.compile(
    rb"\s*(?:(?:con|div)\s+)?(?:vec\d+\s+)?(?:\d[\dx]*\s+)?(?:%\d+|ssa_\d+|g?r\d\S*)\s*="
)


def _words(text: bytes, name: bytes, start: int) -> Iterator[int]:
    """Yield the offsets of a name as a whole word, without compiling a pattern for each name."""
    place = text.find(name, start) if name else -1
    while place >= 0:
        end = place + len(name)
        if not _in_word(text, place - 1, b"%") and not _in_word(text, end):
            yield place
        place = text.find(name, max(end, place + 1))


def _in_word(text: bytes, place: int, others: bytes = b"") -> bool:
    letter = text[place : place + 1] if place >= 0 else b""
    return bool(letter) and (letter.isalnum() or letter == b"_" or letter in others)
