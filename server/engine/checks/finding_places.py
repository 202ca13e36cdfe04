"""Places of findings: the opcode of an instruction, the slot of a declaration; each fact in one place.

Passes report whole instructions. An editor underlines the range of a finding, so only the word that names
the instruction is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nirls.ir.finding import MOST_RELATED, Finding, Place, Related
from nirls.ir.text.declarations import declared_word
from nirls.ir.text.structure import OPERATION

_VALUE = re.compile(rb"%\d+|ssa_\d+|r\d+")
_WHOLE_LINE = frozenset({"syntax", "damaged-dump"})
"""Codes of findings about a whole line."""


def narrowed(findings: Iterable[Finding], sources: Sequence[bytes]) -> Iterator[Finding]:
    """Yield findings with narrow places; `sources[n]` is the text of dump n."""
    for finding in findings:
        if finding.code in _WHOLE_LINE:
            yield finding
            continue
        related = tuple(replace(related, place=narrow(related.place, sources)) for related in finding.related)
        yield replace(finding, place=narrow(finding.place, sources), related=related)


def narrow(place: Place, sources: Sequence[bytes]) -> Place:
    """Return the range of the opcode, or of the slot or name of a declaration; other places unchanged."""
    text = sources[place.dump]
    word = declared_word(text, place.start, place.end)
    if word is None and (match := OPERATION.match(text, place.start, place.end)) is not None:
        word = match.span("word")
    return place if word is None else Place(place.dump, *word)


def merged(findings: Iterable[Finding], sources: Sequence[bytes]) -> list[Finding]:
    """Merge the findings of a dump with the same message and the same fixes into the first of them.

    Of validation, only findings on uses of one value are merged: others are errors of their own.
    """
    by_fact: dict[tuple[object, ...], list[Finding]] = {}
    for number, finding in enumerate(findings):
        place = finding.place
        fact = (place.dump, finding.pass_name, finding.code, finding.message, finding.fixes)
        is_whole = bool(finding.pass_name) or _VALUE.fullmatch(sources[place.dump], place.start, place.end)
        by_fact.setdefault(fact if is_whole else (*fact, number), []).append(finding)
    return [_merged(first, others) if others else first for first, *others in by_fact.values()]


def _merged(first: Finding, others: Sequence[Finding]) -> Finding:
    seen = {first.place, *(related.place for related in first.related)}
    related = list(first.related)
    for other in others:
        if other.place not in seen:
            seen.add(other.place)
            related.append(Related(other.place, "the same here"))
        related += [related for related in other.related if related.place not in seen]
        seen.update(related.place for related in other.related)
    return replace(first, related=tuple(related[:MOST_RELATED]))
