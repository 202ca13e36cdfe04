"""Which candidates fit the letters typed so far, best first."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from nirls.server.ide.completion.candidate import Candidate

MOST = 150
"""Candidates answered at once; with more letters typed, an editor asks for the rest."""

_NO_MATCH = 9


def best(candidates: Iterable[Candidate], word: str) -> tuple[list[Candidate], bool]:
    """The candidates whose label has the letters of the word in order, and whether these are all.

    A label that starts with the word comes before one that has it within, that before one that has its
    letters scattered; then ranks count, then the order given.
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
    """A label without its mark, as it is compared: the same thousand of them at each key."""
    return label.lstrip("@%&").lower()
