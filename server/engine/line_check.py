"""What is wrong with a dump after an edit in one line of it, from what was wrong before and that line alone.

That is possible where the line is an ALU instruction before and after, with the same result and the same
operands: every check of another line looks at values only, never at the operation that makes one. So
whoever types the name of an operation need not wait until the dump is read and checked as a whole.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from nirls.ir.finding import Finding, Place, Related
from nirls.ir.model.shader import Dialect
from nirls.server.engine.document import Splice

if TYPE_CHECKING:
    from nirls.ir.model.control_flow import Block, FunctionImpl
    from nirls.ir.model.instructions import AluInstr
    from nirls.ir.model.shader import Shader
    from nirls.server.engine.checking import CheckSettings

_OF_THE_LINE: Final = frozenset(
    {
        "unknown-opcode",
        "bad-source-count",
        "bad-swizzle",
        "bad-component-count",
        "bad-bit-size",
        "bad-modifier",
        "constant-required",
    }
)
"""What `check_alu` reports: it depends on the instruction and its operands, and on nothing around them."""

_FAR_REACHING: Final = re.compile(rb"[{}\r]|/\*|\*/|error:|nirls:")
_VALUE: Final = re.compile(rb"%\d+|\bssa_\d+")
_MODERN: Final = b"shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:  // preds:\n"
_CLASSIC: Final = b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n\t/* preds: */\n"
_MOST_MARKS: Final = 90  # near the number of which not all are shown


@dataclass(frozen=True, slots=True)
class CheckedEdit:
    """An edit of a dump of which was known what is wrong with it."""

    text: bytes
    problems: tuple[Finding, ...]
    splice: Splice


@dataclass(frozen=True, slots=True)
class _Line:
    """A line read by itself: the shader made for it, where it begins there, and what others see of it."""

    shader: Shader
    impl: FunctionImpl
    block: Block
    instr: AluInstr
    start: int
    seen: tuple[object, ...]


def problems_after(edit: CheckedEdit, text: bytes, settings: CheckSettings) -> tuple[Finding, ...] | None:
    """What is wrong with the text after the edit; None where it takes a look at all of it to know."""
    before, splice = edit.text, edit.splice
    start = before.rfind(b"\n", 0, splice.start) + 1
    old_end, new_end = _line_end(before, splice.old_end), _line_end(text, splice.new_end)
    old, new = before[start:old_end], text[start:new_end]
    if b"\n" in old or b"\n" in new or _FAR_REACHING.search(old) or _FAR_REACHING.search(new):
        return None
    if len(edit.problems) > _MOST_MARKS or before.find(b"\nimpl", 0, start) < 0:
        return None
    values = _VALUE.findall(new)
    if not values or values != _VALUE.findall(old):
        return None
    scratch = _scratch(text, values)
    if scratch is None:
        return None
    was, line = _read(scratch, old), _read(scratch, new)
    if was is None or line is None or was.seen != line.seen:
        return None
    if not _same_dialect(before, text, line.shader.dialect):
        return None
    kept = _kept(edit.problems, start, old_end, splice.growth)
    found = _found(line, len(new), start, settings)
    if kept is None or found is None or not _names_are_its_own(edit.problems, found, before, text):
        return None
    return tuple(sorted((*kept, *found), key=lambda mark: (mark.place.start, mark.place.end)))


def _line_end(text: bytes, position: int) -> int:
    end = text.find(b"\n", position)
    return len(text) if end < 0 else end


def _scratch(text: bytes, values: list[bytes]) -> bytes | None:
    """A shader that ends with the definitions of the operands; None if one is not defined just once."""
    lines = []
    for value in dict.fromkeys(values[1:]):
        mark = value + b" = "
        place = text.find(mark)
        if place < 0 or text.find(mark, place + 1) >= 0:
            return None
        lines.append(text[text.rfind(b"\n", 0, place) + 1 : _line_end(text, place) + 1])
    return (_MODERN if values[0].startswith(b"%") else _CLASSIC) + b"".join(lines)


@lru_cache(maxsize=32)
def _read(scratch: bytes, line: bytes) -> _Line | None:
    """A line behind the definitions of its operands; None if it is no ALU instruction with an SSA value."""
    from nirls.ir.model.instructions import AluInstr
    from nirls.ir.text.parse import parse_dump

    shader = parse_dump(b"%b%b\n}\n" % (scratch, line))
    impl = next(iter(shader.impls()))
    block = impl.blocks()[0]
    instr = next(reversed(list(block)), None)
    if (
        shader.unreadable
        or not isinstance(instr, AluInstr)
        or instr.span is None
        or instr.span.start < len(scratch)
        or instr.def_ is None
        or instr.reg_dest is not None
    ):
        return None
    value = instr.def_
    seen = (value.index, value.num_components, value.bit_size, value.divergent)
    return _Line(shader, impl, block, instr, len(scratch), seen)


def _same_dialect(before: bytes, text: bytes, dialect: Dialect) -> bool:
    from nirls.ir.text.lowering.dialects import detect_dialect

    # Register dumps of old printers are read in another way.
    if dialect is not Dialect.MODERN and b"decl_reg" in text:
        return False
    return detect_dialect(before) is dialect and detect_dialect(text) is dialect


def _kept(problems: tuple[Finding, ...], start: int, end: int, growth: int) -> list[Finding] | None:
    """The problems of other lines, moved; None if one reaches into the line, or is of it but not about it."""

    def moved(position: int) -> int | None:
        if position <= start:
            return position
        return position + growth if position > end else None

    kept = []
    for mark in problems:
        if start <= mark.place.start and mark.place.end <= end:
            if mark.code not in _OF_THE_LINE:
                return None
            continue
        first, last = moved(mark.place.start), moved(mark.place.end)
        related = [(moved(item.place.start), moved(item.place.end), item) for item in mark.related]
        if first is None or last is None or any(one is None or two is None for one, two, _ in related):
            return None
        places = tuple(
            Related(Place(item.place.dump, one, two), item.message)
            for one, two, item in related
            if one is not None and two is not None
        )
        kept.append(replace(mark, place=Place(mark.place.dump, first, last), related=places))
    return kept


def _found(line: _Line, length: int, start: int, settings: CheckSettings) -> list[Finding] | None:
    """What is wrong with the line, at its place in the dump; None if it is not about the line alone."""
    from nirls.ir.validation.validate import validate_instr
    from nirls.server.engine.checking import adjusted

    shader, shift = line.shader, start - line.start
    problems = validate_instr(shader, line.impl, line.block, line.instr)
    found = []
    for mark in adjusted(problems, settings):
        if line.start <= mark.place.start <= line.start + length:
            if mark.code not in _OF_THE_LINE or mark.related:
                return None
            found.append(replace(mark, place=mark.place.moved(shift)))
    return found


def _names_are_its_own(
    problems: tuple[Finding, ...], found: list[Finding], before: bytes, text: bytes
) -> bool:
    """An unknown name is reported where it is first: it must be nowhere else."""
    old = [before[mark.place.start : mark.place.end] for mark in problems if mark.code == "unknown-opcode"]
    new = [text[mark.place.start : mark.place.end] for mark in found if mark.code == "unknown-opcode"]
    return all(before.count(name) == 1 for name in old) and all(text.count(name) == 1 for name in new)
