"""Classification of the word at the cursor, from the text of its line up to there.

Lines may be incomplete: an operation is recognized by its first word, a source by the number of commas before
it, an index by its name.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from nirls.ir.tables import intrinsic

_DESTINATION = re.compile(
    r"""\s*(?:(?:con|div)\s+)?(?:
      (?P<bits>\d+)(?:x(?P<width>\d+))?\s+%\d+(?:\.[^\s=]+)?
    | vec(?P<older_width>\d+)(?:\s+(?P<older_bits>\d+))?\s+(?:(?:con|div)\s+)?ssa_\d+
    | g?r\d+(?:\[[^\]]*\])?(?:\.[a-z]+)?
    )\s*=\s*""",
    re.VERBOSE,
)
_NEW_DESTINATION = re.compile(r"\s*(?:(?:con|div)\s+)?(?:\d+(?:x\d+)?\s+%\d*|vec\d+\s.*)\Z")
_EDGES = re.compile(r"(?://|/\*|,)\s*+(?:preds|succs):")
_LABELLED = re.compile(r"\A\s*(?:(?:con|div)\s+)?block\b")
_CLOSED_COMMENT = re.compile(r"/\*(?:[^*/]|\*(?!/)|/(?!\*))*+\*/")
_WORD_BEHIND = re.compile(r"(?:[@%&]|(?<![A-Za-z0-9_]))[A-Za-z0-9_]*+\Z")
_SWIZZLE = re.compile(r"(%\d++|(?<![\w.])(?:ssa_|r)\d++)((?:\.[A-Za-z_]\w*+)*?)(?: \([^()%]*+\))?\.(\w*+)\Z")
_INLINED = re.compile(
    r"(%\d+(?:\.[A-Za-z_][\w.]*)?) \((?:0x|-?\d|true|false|-?nan|-?inf)[^()]*\)|(ssa_\d+) /\*[^*]*\*/"
)
_OPERATION = re.compile(r"(?:\([a-z0-9]+\))?(@?[A-Za-z_][A-Za-z0-9_]*)((?:!|\.[a-z_]+)*)")
_PHI_SOURCE = re.compile(r"(b\d++|block_\d++)\s*+:\s*+[^\s:,]*+\Z")
_INDEX_VALUE = re.compile(r"\b(\w++)\s*+=\s*+([^=,()\s]*)\Z")
_HEADER_VALUE = re.compile(r"(shader|next_stage|prev_stage):\s*(\w*)\Z")
_JUMP = re.compile(r"\s*goto\s")


@dataclass(frozen=True, slots=True)
class ValueSize:
    """The size of the value that a line defines; `bit_size` is 0 if not printed."""

    num_components: int
    bit_size: int


@dataclass(frozen=True, slots=True)
class CursorPlace:
    """The place of the cursor; `word` is the typed part of its word. Subclasses are the kinds of places."""

    word: str


@dataclass(frozen=True, slots=True)
class StatementPlace(CursorPlace):
    """The first word of a line."""


@dataclass(frozen=True, slots=True)
class OperationPlace(CursorPlace):
    """The operation after an equals sign; the word may begin with `@`.

    `intrinsics_only`: it follows the word `intrinsic` of older dialects.
    """

    dest: ValueSize | None
    intrinsics_only: bool = False


@dataclass(frozen=True, slots=True)
class SourcePlace(CursorPlace):
    """Source number `position` of an operation.

    `operation` is the opcode, `@` with the name of the intrinsic, or `if`, `call`, `tex`, `deref`, `index`;
    `block` is the predecessor of a phi source. `given` are the texts of the sources before.
    """

    operation: str
    position: int
    dest: ValueSize | None = None
    given: tuple[str, ...] = ()
    block: str | None = None
    callee: str | None = None


@dataclass(frozen=True, slots=True)
class IndexNamePlace(CursorPlace):
    """The name of index number `position` of an intrinsic, after those in `given`."""

    intrinsic: str
    given: frozenset[str]
    position: int


@dataclass(frozen=True, slots=True)
class IndexValuePlace(CursorPlace):
    """The value of an index of an intrinsic."""

    intrinsic: str
    index: str
    position: int


@dataclass(frozen=True, slots=True)
class IoFlagPlace(CursorPlace):
    """Slot count and flags after the location in `io`."""

    intrinsic: str
    position: int


@dataclass(frozen=True, slots=True)
class SwizzlePlace(CursorPlace):
    """A swizzle after a value, or the name of the value, unless it is written already (`is_named`)."""

    value: str
    is_named: bool = False


@dataclass(frozen=True, slots=True)
class BlockPlace(CursorPlace):
    """The name of a block."""


@dataclass(frozen=True, slots=True)
class VariableNamePlace(CursorPlace):
    """The name of a variable after `&`."""


@dataclass(frozen=True, slots=True)
class FunctionNamePlace(CursorPlace):
    """The name of a function after `call`."""


@dataclass(frozen=True, slots=True)
class HeaderKeyPlace(CursorPlace):
    """The first word of a line before the functions."""


@dataclass(frozen=True, slots=True)
class StagePlace(CursorPlace):
    """A stage in the header."""


@dataclass(frozen=True, slots=True)
class DeclarationPlace(CursorPlace):
    """A word of a variable declaration; `is_location`: the slot in parentheses."""

    words: tuple[str, ...] = ()
    is_location: bool = False


def place_at(line: str, *, in_function: bool) -> CursorPlace | None:
    """Classify the place at the end of `line`, the text of a line up to the cursor; None if unknown."""
    if _is_in_comment(line) and _is_behind_edges(line):
        return BlockPlace(_word(line))
    plain = _INLINED.sub(r"\1\2", line)
    plain = _CLOSED_COMMENT.sub("", plain)
    if _is_in_comment(plain):
        return None
    if plain.lstrip().startswith("decl_var"):
        return _in_declaration(plain)
    if not in_function:
        return _in_header(plain)
    return _in_code(plain)


def _is_in_comment(line: str) -> bool:
    return "//" in line or ("/*" in line and line.find("*/", line.rfind("/*") + 2) < 0)


def _is_behind_edges(line: str) -> bool:
    """Whether the end of the line is in a list of predecessors or successors."""
    ends = [match.end() for match in _EDGES.finditer(line)]
    return bool(ends) and "*" not in line[ends[-1] :]


def _word(text: str) -> str:
    match = _WORD_BEHIND.search(text)
    return match[0] if match is not None else ""


def _in_header(line: str) -> CursorPlace | None:
    if (stage := _HEADER_VALUE.match(line)) is not None:
        return StagePlace(stage[2])
    return HeaderKeyPlace(line) if re.fullmatch(r"\w*", line) else None


def _in_declaration(line: str) -> CursorPlace | None:
    inside = line.rpartition("(")
    if inside[1] and ")" not in inside[2]:
        return DeclarationPlace(inside[2].strip(), is_location=True) if "," not in inside[2] else None
    words = line.split()
    if line[-1:].isspace():
        return DeclarationPlace("", tuple(words[1:]))
    return DeclarationPlace(words[-1], tuple(words[1:-1])) if len(words) > 1 else StatementPlace(words[0])


def _in_code(line: str) -> CursorPlace | None:
    if _LABELLED.match(line) and ":" not in line:
        return None  # a new block's name is free
    if (swizzle := _SWIZZLE.search(line)) is not None:
        return SwizzlePlace(swizzle[3], swizzle[1], bool(swizzle[2]))
    if _JUMP.match(line):
        return _in_goto(line)
    dest_match = _DESTINATION.match(line)
    if dest_match is None:
        if _NEW_DESTINATION.match(line):
            return None
        return _in_statement(line.lstrip())
    return _in_operation(line[dest_match.end() :], _shape(dest_match))


def _shape(match: re.Match[str]) -> ValueSize | None:
    width, bits = match["width"] or match["older_width"], match["bits"] or match["older_bits"]
    if width is None and bits is None:
        return None
    return ValueSize(int(width or 1), int(bits or 0))


def _in_goto(line: str) -> CursorPlace:
    behind_if = line.rpartition(" if ")
    if behind_if[1] and " else" not in behind_if[2]:
        return SourcePlace(_word(line), "if", 0)
    return BlockPlace(_word(line))


def _in_statement(text: str) -> CursorPlace | None:
    if re.fullmatch(r"[@}]?\s*\w*", text):
        return StatementPlace(_word(text))
    first = text.split(None, 1)[0]
    if first == "if":
        return SourcePlace(_word(text), "if", 0) if "{" not in text else None
    if first == "call":
        return _in_call(text[len("call") :].lstrip())
    if first == "intrinsic" or text.startswith("@"):
        return _in_operation(text, None)
    return None


def _in_call(text: str) -> CursorPlace:
    callee, space, rest = text.partition(" ")
    if not space:
        return FunctionNamePlace(callee)
    given = _split(rest)
    return SourcePlace(_word(rest), "call", len(given) - 1, None, tuple(given[:-1]), callee=callee)


def _in_operation(text: str, dest: ValueSize | None) -> CursorPlace | None:
    is_intrinsic = re.match(r"intrinsic\s", text) is not None
    if is_intrinsic:
        text = text[len("intrinsic") :].lstrip()
    operation = _OPERATION.match(text)
    if operation is None or operation.end() == len(text):
        if not text or operation is not None or text == "@" or re.fullmatch(r"\([a-z0-9]*\)?", text):
            return OperationPlace(_word(text), dest, is_intrinsic)
        return None
    name, rest = operation[1], text[operation.end() :]
    if is_intrinsic or name.startswith("@"):
        return _in_intrinsic(name.removeprefix("@"), rest, dest, always_sources=is_intrinsic)
    if name in ("load_const", "undefined", "undef", "ssa_undef"):
        return None
    if name == "phi":
        source = _PHI_SOURCE.search(rest)
        given = _split(rest)
        if source is not None:
            return SourcePlace(_word(rest), "phi", len(given) - 1, dest, tuple(given[:-1]), source[1])
        return BlockPlace(_word(rest))
    if name.startswith("deref_"):
        return _in_deref(name, rest)
    given = _split(rest)
    word = _word(rest)
    kind = "tex" if text.startswith("(") or name.startswith("tx") or name in ("tex", "tg4", "lod") else name
    return SourcePlace(word, kind, len(given) - 1, dest, tuple(given[:-1]))


def _in_deref(name: str, rest: str) -> CursorPlace | None:
    if name == "deref_var":
        behind = rest.partition("&")
        return VariableNamePlace(behind[2]) if not re.search(r"\s", behind[2]) else None
    opened = rest.rpartition("[")
    if opened[1] and "]" not in opened[2]:
        return SourcePlace(_word(rest), "index", 0)
    if "->" in rest or re.search(r"[)\]]\s*\(", rest):
        return None  # a member name, or the kind of deref
    return SourcePlace(_word(rest), "deref", 0)


def _in_intrinsic(
    name: str, rest: str, dest: ValueSize | None, *, always_sources: bool
) -> CursorPlace | None:
    within = _open_group(rest)
    if within is None:
        return None
    number, inside = within
    given = _split(inside)
    entry = intrinsic(name)
    # Modern dumps print no parentheses for intrinsics without sources.
    has_sources = always_sources or entry is None or bool(entry.src_components)
    value = _INDEX_VALUE.search(inside)
    if number == 0 and has_sources and "=" not in inside:
        return SourcePlace(_word(inside), f"@{name}", len(given) - 1, dest, tuple(given[:-1]))
    if value is not None:
        typed = value[2].rpartition("|")[2]
        return IndexValuePlace(typed, name, value[1], len(given) - 1)
    last = given[-1]
    if last.startswith("io ") and "location" in last:
        return IoFlagPlace(_word(inside), name, len(given) - 1)
    if last.startswith("xfb"):
        return None
    names = frozenset(item.partition("=")[0].partition("(")[0].split(" ")[0].strip() for item in given[:-1])
    return IndexNamePlace(_word(inside), name, names, len(given) - 1)


def _open_group(rest: str) -> tuple[int, str] | None:
    """Return number and text of the parenthesis group open at the end; None if none is open."""
    depth, number, start = 0, -1, 0
    for position, letter in enumerate(rest):
        if letter == "(":
            depth += 1
            if depth == 1:
                number += 1
                start = position + 1
        elif letter == ")":
            depth = max(depth - 1, 0)
    return (number, rest[start:]) if depth else None


def _split(text: str) -> list[str]:
    """Split an incomplete list at commas outside of brackets."""
    items, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth <= 0:
            items.append(text[start:position].strip())
            start = position + 1
    items.append(text[start:].strip())
    return items
