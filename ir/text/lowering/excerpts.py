"""What an excerpt of a dump leaves out: lines, for which `...` or `(snip)` stands, and the stage."""

from __future__ import annotations

import re
from collections.abc import Iterator

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.validation.stages import stages_of_intrinsic

_WORDS = (
    r"(?:\d{1,9} )?(?:more )?(?:snip(?:ped|s)?|cut|omitted|skipped|lines?|instructions?|etc)"
    r"(?: (?:here|omitted|left out))?"
)
_WHOLE_LINE = re.compile(
    rf"[^\w%]{{0,10}}(?:8<|>8)?[^\w%]{{0,10}}(?:{_WORDS})?[^\w%]{{0,10}}\Z", re.IGNORECASE
)
_DOTS = re.compile(r"\.\.\.|\u2026|\[\.\.\]")
_COMMENT = re.compile(rb"^[ \t]*+(//|/\*)[ \t]*+(?:\[?\.\.\.\]?|\xe2\x80\xa6)[^\n]{0,200}$", re.MULTILINE)

_DECLARATION = re.compile(rb"^[ \t]*+(decl_\w)[^\n]{0,2000}? (?:\.\.\.|\xe2\x80\xa6)\r?$", re.MULTILINE)


def stands_for_others(text: str) -> bool:
    """Return whether an unreadable line says that others, or a part of it, were left out."""
    return _DOTS.search(text) is not None or _names_a_cut(text)


def _names_a_cut(text: str) -> bool:
    is_short = len(text) < 60
    return is_short and any(map(str.isalpha, text)) and _WHOLE_LINE.match(text.strip()) is not None


def comments_for_omitted(source: bytes) -> Iterator[Span]:
    """Yield the comments that stand for lines left out, and the declarations of which the end is left out."""
    if b"..." in source or b"\xe2\x80\xa6" in source:
        for pattern in (_COMMENT, _DECLARATION):
            for match in pattern.finditer(source):
                yield Span(match.start(1), match.end(), source.count(b"\n", 0, match.start(1)))


def stage_of_intrinsics(shader: Shader) -> Stage | None:
    """Return the only stage in which all intrinsics of a shader exist; None if there are several or none."""
    stages = frozenset(Stage)
    for instr in shader.instrs():
        if isinstance(instr, IntrinsicInstr):
            stages &= stages_of_intrinsic(instr.name)
    return next(iter(stages)) if len(stages) == 1 else None
