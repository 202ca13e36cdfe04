"""Match of candidates with the typed letters, best first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from nirls.server.ide.completion.candidate import Candidate

MOST = 150
"""Largest number of candidates in a response; editors repeat the request as the word grows."""

_NO_MATCH = 9


def best(candidates: Iterable[Candidate], word: str) -> tuple[list[Candidate], bool]:
    """Return the candidates with the letters of `word` in order in their label, and whether these are all.

    Sorted by match: prefix, start of a word, substring, subsequence; then by rank; then in the order given.
    """
    wanted = word.lstrip("@%&").lower()
    found = []
    for candidate in candidates:
        quality = _quality(candidate.label, wanted)
        if quality < _NO_MATCH:
            found.append((quality, candidate.rank, candidate))
    found.sort(key=lambda entry: entry[:2])
    return [candidate for _, _, candidate in found[:MOST]], len(found) <= MOST


def _quality(label: str, wanted: str) -> int:
    if not wanted:
        return 0
    name = _bare(label)
    if name.startswith(wanted):
        return 0
    if name.startswith("ssa_") and name.startswith(wanted, 4):
        return 1
    place = name.find(wanted)
    if place > 0:
        return 2 if name[place - 1] == "_" else 3
    if len(wanted) == 1:
        return _NO_MATCH
    letters = iter(name)
    return 4 if all(letter in letters for letter in wanted) else _NO_MATCH


@lru_cache(maxsize=4096)
def _bare(label: str) -> str:
    """Return a label without its sigil, in lower case. Cached: labels repeat at each keystroke."""
    return label.lstrip("@%&").lower()
