"""Candidates for each kind of place, in the dump's dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache

from nirls.ir.model.io_semantics import FLAG_ORDER
from nirls.ir.model.shader import Dialect
from nirls.ir.model.slots import FRAG_RESULTS, VARYING_SLOTS, VERT_ATTRIBS
from nirls.ir.model.stage import Stage
from nirls.ir.tables import intrinsic_names, opcode_names
from nirls.ir.text.declarations import declarations, variables
from nirls.ir.text.lowering.index_values import INTERP_MODES, TABLE_NAMES
from nirls.ir.text.release import RELEASES_OF_DIALECT, detect_dialect, intrinsic_of
from nirls.server.ide.completion.context import (
    BlockPlace,
    CursorPlace,
    DeclarationPlace,
    FunctionNamePlace,
    HeaderKeyPlace,
    IndexNamePlace,
    IndexValuePlace,
    IoFlagPlace,
    OperationPlace,
    SourcePlace,
    StagePlace,
    StatementPlace,
    SwizzlePlace,
    ValueSize,
    VariableNamePlace,
)
from nirls.server.ide.completion.index_words import VARIABLE_MODES, WORDS
from nirls.server.ide.completion.snippets import escaped
from nirls.server.ide.completion.wanted import wanted_source
from nirls.server.ide.cursor.glossary import HEADER_FIELDS, INDICES, INSTRUCTIONS
from nirls.server.ide.cursor.outline import FunctionOutline, Outline
from nirls.server.ide.cursor.scope import Scope, ScopeValue


class CandidateKind(StrEnum):
    """The kind of a candidate, shown as an icon by editors."""

    OPCODE = "opcode"
    INTRINSIC = "intrinsic"
    KEYWORD = "keyword"
    VALUE = "value"
    REGISTER = "register"
    BLOCK = "block"
    VARIABLE = "variable"
    FUNCTION = "function"
    SLOT = "slot"
    INDEX = "index"
    WORD = "word"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate. `text` is the inserted text, `snippet` the same with placeholders.

    Lower ranks come first. `about` is the key for `documentation`; `value` is the named value, if any.
    """

    label: str
    kind: CandidateKind
    detail: str = ""
    text: str = ""
    snippet: str = ""
    rank: int = 0
    about: tuple[str, str] | None = None
    value: ScopeValue | None = None

    @property
    def typed(self) -> str:
        """The inserted text without placeholders."""
        return self.text or self.label


_NEARBY = 8_192
_NAMES = re.compile(rb"@?[a-z_][a-z_0-9]{2,}")
_QUALIFIERS = ("patch", "centroid", "sample", "invariant", "bindless", "explicit_location")
_ACCESS = ("none", "restrict", "readonly", "writeonly", "coherent", "volatile")
_TYPES = ("float", "vec2", "vec3", "vec4", "int", "ivec2", "ivec4", "uint", "uvec2", "uvec4", "bool", "mat4")
_NUMBERED_INDICES = frozenset(("access", "interp_mode"))


@dataclass(frozen=True)
class CursorPosition:
    """A position in a dump: byte offset, start of its line, and enclosing function body."""

    text: bytes
    shape: Outline
    offset: int
    line_start: int
    function: FunctionOutline | None

    @cached_property
    def dialect(self) -> Dialect:
        """The dialect of the dump."""
        return detect_dialect(self.text)

    @cached_property
    def stage(self) -> Stage | None:
        """The stage in the header."""
        return Stage.from_mesa_name(self.shape.stage)

    @cached_property
    def scope(self) -> Scope:
        """The blocks of the function above the line."""
        start = 0 if self.function is None else self.function.head_end
        return Scope(self.text, start, self.line_start)

    @cached_property
    def used_nearby(self) -> frozenset[str]:
        """The words near the position; operations used nearby rank higher."""
        from_, to = max(self.offset - _NEARBY, 0), self.offset + _NEARBY
        return frozenset(word.decode() for word in _NAMES.findall(self.text, from_, to))


def candidates(place: CursorPlace, around: CursorPosition) -> Iterator[Candidate]:
    """Yield all candidates for a place, independent of the typed letters."""
    match place:
        case StatementPlace():
            yield from _statements(around)
        case OperationPlace():
            yield from _operations(place, around)
        case SourcePlace():
            yield from _sources(place, around)
        case IndexNamePlace():
            yield from _index_names(place, around)
        case IndexValuePlace():
            yield from _index_values(place, around)
        case IoFlagPlace():
            yield from _words(("slots=1", *FLAG_ORDER), "of the slot")
        case SwizzlePlace():
            yield from _swizzles(place, around)
        case BlockPlace():
            yield from _blocks(around)
        case VariableNamePlace():
            yield from _variables(around)
        case FunctionNamePlace():
            yield from _functions(around)
        case StagePlace():
            yield from _words((f"MESA_SHADER_{stage.value}" for stage in Stage), "stage")
        case HeaderKeyPlace():
            yield from _header(around)
        case DeclarationPlace():
            yield from _declaration(place, around)


def _statements(around: CursorPosition) -> Iterator[Candidate]:
    is_modern = around.dialect is Dialect.MODERN
    snippets = {
        "if": "if ${1:condition} {\n\t$2\n} else {\n\t$3\n}$0",
        "loop": "loop {\n\t$1\n}$0",
        "call": "call ${1:function}$0",
        "block": "block ${1:b0}:$0" if is_modern else "block block_${1:0}:$0",
    }
    for word in ("if", "loop", "break", "continue", "return", "halt", "call", "block"):
        about = ("instruction", word) if word in INSTRUCTIONS else None
        yield Candidate(word, CandidateKind.KEYWORD, snippet=snippets.get(word, ""), rank=1, about=about)
    if is_modern:
        yield from _intrinsics(around, wants_value=False, mark="@")
    else:
        yield Candidate("intrinsic", CandidateKind.KEYWORD, rank=1)
    yield from _words(("decl_var", "decl_reg"), "declaration", rank=5)


def _operations(place: OperationPlace, around: CursorPosition) -> Iterator[Candidate]:
    modern = around.dialect is Dialect.MODERN
    if place.intrinsics_only:
        yield from _intrinsics(around, wants_value=place.dest is not None, mark="")
        return
    if modern:
        yield from _intrinsics(around, wants_value=True, mark="@")
        if place.word.startswith("@"):
            return
    else:
        yield Candidate("intrinsic", CandidateKind.KEYWORD, rank=0)
    used = around.used_nearby
    for name, output in opcode_names(RELEASES_OF_DIALECT[around.dialect]).items():
        rank = (0 if name in used else 2) + (0 if _fits(name, output, place.dest) else 4)
        yield _operation(name, CandidateKind.OPCODE, rank, name)
    undefined = "undefined" if b"ssa_undef" not in around.text else "ssa_undef"
    for word in ("load_const", "phi", undefined, "deref_var", "deref_array", "deref_struct", "deref_cast"):
        yield Candidate(word, CandidateKind.KEYWORD, rank=1, about=("instruction", word))
    for word in ("tex", "txb", "txl", "txd", "txf", "txf_ms", "txs", "lod", "tg4", "query_levels"):
        dressed = f"(float32){word}" if modern or around.dialect is Dialect.CLASSIC else word
        yield Candidate(word, CandidateKind.KEYWORD, text=dressed, rank=2, about=("instruction", word))


def _fits(name: str, output: str, dest: ValueSize | None) -> bool:
    """Whether an opcode may have this destination; True if the size of the destination is unknown."""
    if dest is None or not dest.bit_size:
        return True
    makes, width = _made_by(output)
    if dest.bit_size == 1 and makes != 1:
        return name.startswith(("i", "b", "mov", "vec")) and makes == 0
    return makes in (0, dest.bit_size) and width in (0, dest.num_components)


@lru_cache(maxsize=256)
def _made_by(output: str) -> tuple[int, int]:
    """Parse a result type such as `float32[3]` to bits and components, 0 if they depend on the operands."""
    kind, _, width = output.partition("[")
    size = kind.lstrip("abcdefghijklmnopqrstuvwxyz")
    return (int(size) if size.isdecimal() else 0), int(width.rstrip("]") or 0)


def _intrinsics(around: CursorPosition, *, wants_value: bool, mark: str) -> Iterator[Candidate]:
    used = around.used_nearby
    for name, makes_value in intrinsic_names(RELEASES_OF_DIALECT[around.dialect]).items():
        if makes_value is wants_value:
            label = f"{mark}{name}"
            yield _operation(label, CandidateKind.INTRINSIC, 0 if label in used else 3, name)


@lru_cache(maxsize=8192)
def _operation(label: str, kind: CandidateKind, rank: int, name: str) -> Candidate:
    """Create the candidate of an operation. Cached: each keystroke needs about a thousand of them."""
    return Candidate(label, kind, rank=rank, about=(kind.value, name))


def _sources(place: SourcePlace, around: CursorPosition) -> Iterator[Candidate]:
    if place.operation == "phi" and place.block is not None:
        function = around.function
        assert function is not None
        scope = Scope(around.text, function.head_end, function.end)
        found = scope.values_at_end_of(place.block)
    else:
        found = around.scope.values()
    wanted = wanted_source(place, found)
    for value in found:
        rank = 0 if wanted.fits(value, around.text) else 5
        yield Candidate(f"{value.name}{value.label}", CandidateKind.VALUE, rank=rank, value=value)
    if around.dialect is not Dialect.MODERN and around.function is not None:
        for declaration in declarations(around.text, 0, around.line_start):
            if declaration["kind"] == b"reg":
                name, size = (declaration[group].decode("utf-8", "replace") for group in ("name", "words"))
                yield Candidate(name.partition("[")[0], CandidateKind.REGISTER, size.strip(), rank=1)


def _index_names(place: IndexNamePlace, around: CursorPosition) -> Iterator[Candidate]:
    entry = intrinsic_of(place.intrinsic, around.dialect)
    if entry is None or around.dialect is Dialect.OLD:
        return
    printed = {table: name for name, table in TABLE_NAMES.items()}
    for order, index in enumerate(entry.indices):
        name = printed.get(index, index)
        if name in place.given:
            continue
        text = {"io": "io location=", "xfb": "xfb()", "xfb2": "xfb2()"}.get(name, f"{name}=")
        yield Candidate(name, CandidateKind.INDEX, INDICES.get(index, ""), text=text, rank=order)


def _index_values(place: IndexValuePlace, around: CursorPosition) -> Iterator[Candidate]:
    index = TABLE_NAMES.get(place.index, place.index)
    index = {"exec_scope": "execution_scope", "mem_scope": "memory_scope"}.get(index, index)
    if index == "location":
        yield from _slots_of_access(place.intrinsic, around)
        return
    words = WORDS.get(index, ())
    if index in _NUMBERED_INDICES and around.dialect is not Dialect.MODERN:
        # Older printers print these as numbers.
        if index == "interp_mode":
            for number, word in enumerate(INTERP_MODES):
                yield Candidate(str(number), CandidateKind.WORD, word)
        return
    for order, word in enumerate(words):
        yield Candidate(word, CandidateKind.WORD, rank=min(order, 2))


def _slots_of_access(name: str, around: CursorPosition) -> Iterator[Candidate]:
    is_output = "output" in name
    if around.dialect is not Dialect.MODERN:
        prefix, names = _slot_family(around.stage, is_output=is_output)
        for number, slot in enumerate(names):
            yield Candidate(str(number), CandidateKind.SLOT, f"{prefix}{slot}", rank=_rank_of_slot(slot))
        return
    yield from _slot_names(around.stage, is_output=is_output)


def _slot_family(stage: Stage | None, *, is_output: bool) -> tuple[str, tuple[str, ...]]:
    if stage is Stage.VERTEX and not is_output:
        return "VERT_ATTRIB_", VERT_ATTRIBS
    if stage is Stage.FRAGMENT and is_output:
        return "FRAG_RESULT_", FRAG_RESULTS
    return "VARYING_SLOT_", VARYING_SLOTS


def _slot_names(stage: Stage | None, *, is_output: bool) -> Iterator[Candidate]:
    prefix, names = _slot_family(stage, is_output=is_output)
    for number, slot in enumerate(names):
        label = f"{prefix}{slot}"
        yield Candidate(
            label, CandidateKind.SLOT, f"slot {number}", rank=_rank_of_slot(slot), about=("slot", label)
        )


def _rank_of_slot(slot: str) -> int:
    return 0 if slot.startswith(("VAR", "GENERIC", "DATA")) and "16BIT" not in slot else 1


def _swizzles(place: SwizzlePlace, around: CursorPosition) -> Iterator[Candidate]:
    value = next((value for value in around.scope.values() if value.name == place.value), None)
    if value is not None and value.label and not place.is_named:
        yield Candidate(value.label[1:], CandidateKind.VALUE, "name", value=value)
    width = 4 if value is None else value.num_components
    letters = "xyzw" if width <= 4 else "abcdefghijklmnop"
    letters = letters[:width]
    runs = [letters[:size] for size in range(2, min(width, 4) + 1)]
    yield from _words((*letters, *runs), "components")


def _blocks(around: CursorPosition) -> Iterator[Candidate]:
    if around.function is None:
        return
    for block in around.function.blocks:
        yield Candidate(block.name, CandidateKind.BLOCK)


def _variables(around: CursorPosition) -> Iterator[Candidate]:
    start = 0 if around.function is None else around.function.start
    first_impl = around.shape.functions[0].start if around.shape.functions else len(around.text)
    places = [(0, first_impl)]
    if around.function is not None:
        places.append((start, around.function.end))
    for from_, to in places:
        for declaration in variables(around.text, from_, to):
            words, name = (declaration[group].decode("utf-8", "replace") for group in ("words", "name"))
            if name:
                mode = (words.partition("INTERP")[0].split() or ["function_temp"])[-1]
                kind = (words.split() or [""])[-1]
                snippet = f"{escaped(name)} ({mode} {escaped(kind)})$0"
                yield Candidate(name, CandidateKind.VARIABLE, f"{mode} {kind}", snippet=snippet)


def _functions(around: CursorPosition) -> Iterator[Candidate]:
    for function in declarations(around.text):
        if function["kind"] == b"function":
            name, rest = (text.decode("utf-8", "replace") for text in (function["name"], function["rest"]))
            yield Candidate(name, CandidateKind.FUNCTION, rest.strip())


def _header(around: CursorPosition) -> Iterator[Candidate]:
    functions = around.shape.functions
    if not functions or around.offset < functions[0].start:
        for key, text in HEADER_FIELDS.items():
            yield Candidate(key, CandidateKind.FIELD, text, text=f"{key}: ")
    yield from _words(("decl_var", "decl_function", "impl"), "declaration")


def _declaration(place: DeclarationPlace, around: CursorPosition) -> Iterator[Candidate]:
    if place.is_location:
        mode = around.text[around.line_start : around.offset]
        yield from _slot_names(around.stage, is_output=b"shader_out" in mode)
        return
    if any(word.startswith("INTERP_MODE") for word in place.words):
        yield from _words(_ACCESS, "access", rank=0)
        yield from _words(_TYPES, "type", rank=1)
        return
    if not any(word in VARIABLE_MODES for word in place.words):
        yield from _words(VARIABLE_MODES, "mode", rank=0)
        yield from _words(_QUALIFIERS, "qualifier", rank=1)
    yield from _words(INTERP_MODES, "interpolation", rank=2)


def _words(words: Iterable[str], detail: str, rank: int = 0) -> Iterator[Candidate]:
    for word in words:
        yield Candidate(word, CandidateKind.WORD, detail, rank=rank)
