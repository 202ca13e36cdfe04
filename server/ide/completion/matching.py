"""Match of candidates with the typed letters, best first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from nirls.server.ide.completion.candidate import Candidate

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
        elif len(wanted) > 1 and _has_in_order(name, wanted):
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


def _has_in_order(name: str, wanted: str) -> bool:
    letters = iter(name)
    return all(letter in letters for letter in wanted)


@lru_cache(maxsize=4096)
def _bare(label: str) -> str:
    """Return a label without its sigil, in lower case. Cached: labels repeat at each keystroke."""
    return label.lstrip("@%&").lower()
