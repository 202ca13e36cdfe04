"""Completion: classify the place, list its candidates, and filter them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from nirls.server.ide.completion.candidates import Candidate, CandidateKind, CursorPosition, candidates
from nirls.server.ide.completion.context import (
    BlockPlace,
    CursorPlace,
    FunctionNamePlace,
    IndexNamePlace,
    OperationPlace,
    SourcePlace,
    StagePlace,
    place_at,
)
from nirls.server.ide.completion.snippets import intrinsic_snippet, opcode_snippet, without_holes
from nirls.server.ide.cursor.outline import FunctionOutline, Outline
from nirls.server.ide.cursor.scope import ScopeValue
from nirls.server.ide.symbol_search import has_letters

MOST = 150
"""Largest number of candidates in a response; editors repeat the request as the word grows."""


def best(candidates: Iterable[Candidate], word: str) -> tuple[list[Candidate], bool]:
    """Return the candidates with the letters of `word` in order in their label, and whether these are all.

    Sorted by match: prefix, start of a word, substring, subsequence; then by rank; then in the order given.
    """
    wanted = word.lstrip("@%&").lower()
    found = []
    for candidate in candidates:
        name = _bare(candidate.label)
        if wanted in name:
            found.append((_quality(name, wanted), candidate.rank, candidate))
        elif len(wanted) > 1 and has_letters(name, wanted):
            found.append((_SUBSEQUENCE, candidate.rank, candidate))
    found.sort(key=lambda entry: entry[:2])
    return [candidate for _, _, candidate in found[:MOST]], len(found) <= MOST


def _quality(name: str, wanted: str) -> int:
    """Return the rank of a match, 0 for the best, of letters that the name contains."""
    place = name.find(wanted)
    if place == 0:
        return 0
    if name.startswith("ssa_") and place == 4:
        return 1
    return 2 if name[place - 1] == "_" else 3


_SUBSEQUENCE = 4


@lru_cache(maxsize=4096)
def _bare(label: str) -> str:
    """Return a label without its sigil, in lower case. Cached: labels repeat at each keystroke."""
    return label.lstrip("@%&").lower()


_LONGEST_LINE = 4096
_NEEDED = (OperationPlace, SourcePlace, BlockPlace, FunctionNamePlace, StagePlace, IndexNamePlace)


@dataclass(frozen=True, slots=True)
class Completions:
    """Candidates to replace bytes [start, end) of a dump; request again for more unless `is_complete`."""

    start: int
    end: int
    items: tuple[Candidate, ...] = ()
    is_complete: bool = True


def surroundings_of(text: bytes, shape: Outline, offset: int) -> CursorPosition:
    """Create the surroundings of a byte offset of a dump."""
    line_start = text.rfind(b"\n", 0, offset) + 1
    return CursorPosition(text, shape, offset, line_start, _function_at(shape, text, offset))


def place_of(around: CursorPosition) -> CursorPlace | None:
    """Classify the word at a position."""
    if around.offset - around.line_start > _LONGEST_LINE:
        return None
    line = around.text[around.line_start : around.offset].decode("utf-8", "replace")
    return place_at(line, in_function=around.function is not None)


def complete(text: bytes, shape: Outline, offset: int, *, because_of_space: bool = False) -> Completions:
    """Compute the completions at a byte offset of a dump.

    `because_of_space`: the trigger is a typed space. Then only places that need a word have candidates, not
    the start of a line.
    """
    around = surroundings_of(text, shape, offset)
    place = place_of(around)
    if place is None or (because_of_space and not isinstance(place, _NEEDED)):
        return Completions(offset, offset)
    found, is_complete = best(candidates(place, around), place.word)
    start = offset - len(place.word.encode())
    return Completions(start, offset, tuple(_whole(candidate, around) for candidate in found), is_complete)


def _whole(candidate: Candidate, around: CursorPosition) -> Candidate:
    """Add the details that only shown candidates need."""
    name = candidate.label.lstrip("@")
    if candidate.kind is CandidateKind.OPCODE:
        snippet = opcode_snippet(name)
        return replace(candidate, snippet=snippet, text=without_holes(snippet))
    if candidate.kind is CandidateKind.INTRINSIC:
        snippet = intrinsic_snippet(name, around.dialect, around.stage)
        return replace(candidate, snippet=snippet, text=without_holes(snippet))
    if candidate.value is not None:
        value = candidate.value
        return replace(candidate, detail=f"{_size(value)} {value.operation(around.text)}")
    return candidate


def _size(value: ScopeValue) -> str:
    bits = str(value.bit_size) if value.bit_size else "?"
    return bits if value.num_components == 1 else f"{bits}x{value.num_components}"


def _function_at(shape: Outline, text: bytes, offset: int) -> FunctionOutline | None:
    for function in shape.functions:
        # An unclosed body extends to the end of the dump.
        is_open = function is shape.functions[-1] and text[function.end - 1 : function.end] != b"}"
        if function.head_end < offset and (offset <= function.end or is_open):
            return function
    return None
