"""The Mesa releases whose tables are complete, and the notation of their ranges.

10.5 of 2015 was the first release with NIR. Between 25.1, known as of March 2025, and 26.2 no table was read:
a form of both is taken for one of those between too.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

RELEASES: Final = (
    *("10.5", "10.6", "11.0", "11.1", "11.2", "12.0", "13.0"),
    *("17.0", "17.1", "17.2", "17.3", "18.0", "18.1", "18.2", "18.3", "19.0", "19.1", "19.2", "19.3"),
    *("20.0", "20.1", "20.2", "20.3", "21.0", "21.1", "21.2", "21.3", "22.0", "22.1", "22.2", "22.3"),
    *("23.0", "23.1", "23.2", "23.3", "24.0", "24.1", "24.2", "24.3", "25.0", "25.1", "26.2"),
)
"""Releases, oldest first."""

_POSITIONS: Final = {release: position for position, release in enumerate(RELEASES)}


def releases_from(first: str, last: str = RELEASES[-1]) -> frozenset[str]:
    """Return the known releases from `first` to `last`, both included. Raises KeyError for unknown ones."""
    return frozenset(RELEASES[_POSITIONS[first] : _POSITIONS[last] + 1])


@lru_cache(256)
def parse_releases(text: str) -> tuple[str, ...]:
    """Parse ranges of releases. Raises ValueError for a release that is not known.

    >>> parse_releases("22.3-23.1 26.2")
    ('22.3', '23.0', '23.1', '26.2')
    """
    releases: list[str] = []
    for word in text.split():
        first, dash, last = word.partition("-")
        if first not in _POSITIONS or (dash and last not in _POSITIONS):
            raise ValueError(f"unknown Mesa release in {word}")
        releases += RELEASES[_POSITIONS[first] : _POSITIONS[last or first] + 1]
    return tuple(releases)


def format_releases(releases: Iterable[str]) -> str:
    """Format releases as ranges, the oldest first.

    >>> format_releases(("26.2", "22.3", "23.0", "23.1"))
    '22.3-23.1 26.2'
    """
    ranges: list[list[str]] = []
    for release in sorted(releases, key=_POSITIONS.__getitem__):
        if ranges and _POSITIONS[ranges[-1][-1]] + 1 == _POSITIONS[release]:
            ranges[-1].append(release)
        else:
            ranges.append([release])
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in ranges)
