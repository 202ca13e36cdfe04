"""Choice of the findings to show: each fact once per shader, and none that a comment allows.

A log has a snapshot of a shader after each pass. A finding that also holds in a newer snapshot is repeated:
it is shown on the newest one only, unless the user asks for all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import NamedTuple

from nirls.ir.finding import Finding
from nirls.server.engine.base.timing import Steps, at_once
from nirls.server.engine.pipelines.dump_facts import DumpFacts
from nirls.server.engine.pipelines.shader_sequence import shaders_in_order

Findings = tuple[Finding, ...]


class Fact(NamedTuple):
    """The statement of a finding about a shader, without the numbers of values in a snapshot.

    `rank` counts the findings of a dump that state the same.
    """

    code: str
    statement: str
    rank: int


_NUMBER = re.compile(r"%\d+|\bssa_\d+|(?<![\w.])\d[\d,]*(?![\w.])")
_GAIN = re.compile(r"[:;,(]")


def facts_of(findings: Iterable[Finding], text: bytes) -> list[Fact]:
    """Return the facts that the findings of a dump with this text state."""
    seen: Counter[tuple[str, str]] = Counter()
    facts = []
    for finding in findings:
        key = (finding.code, _statement(finding, text))
        facts.append(Fact(*key, seen[key]))
        seen[key] += 1
    return facts


def _statement(finding: Finding, text: bytes) -> str:
    # A pass states the fact first, then the reason or the gain, which differ between snapshots.
    message = _GAIN.split(finding.message, maxsplit=1)[0] if finding.pass_name else finding.message
    subject = finding.data.get("slot") or _instruction(finding.place.start, text)
    return f"{subject} {_NUMBER.sub('#', message)}"


def _instruction(place: int, text: bytes) -> str:
    """Return the line of a place without the numbers of values, its comment, and how it is aligned."""
    end = text.find(b"\n", place)
    line = text[text.rfind(b"\n", 0, place) + 1 : end if end >= 0 else len(text)].partition(b"//")[0]
    return " ".join(_NUMBER.sub("#", line.decode(errors="replace")).split())


def repeated_facts(
    findings: Mapping[int, Findings], texts: Mapping[int, bytes], dumps: Sequence[DumpFacts]
) -> dict[int, frozenset[Fact]]:
    """Return the facts of each dump that a newer snapshot of the same shader also has.

    `findings` are those of the dumps by number, with their `texts`; `dumps` the facts of all dumps of the
    document.
    """
    return at_once(finding_repeated(findings, texts, dumps))


def finding_repeated(
    findings: Mapping[int, Findings], texts: Mapping[int, bytes], dumps: Sequence[DumpFacts]
) -> Steps[dict[int, frozenset[Fact]]]:
    """Do `repeated_facts` in steps."""
    if len(dumps) < 2 or len(findings) < 2:
        return {}
    repeated: dict[int, frozenset[Fact]] = {}
    for shader in shaders_in_order(dumps):
        newer: set[Fact] = set()
        for number in reversed(shader.numbers):
            if number not in findings:
                continue
            facts = facts_of(findings[number], texts[number])
            also = newer.intersection(facts)
            if also:
                repeated[number] = frozenset(also)
            newer.update(facts)
            yield
    return repeated


def without(findings: Findings, text: bytes, hidden: Container[Fact]) -> Findings:
    """Return the findings of a dump whose facts are not hidden."""
    facts = facts_of(findings, text)
    return tuple(one for one, fact in zip(findings, facts, strict=True) if fact not in hidden)
