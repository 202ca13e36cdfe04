"""Conversion of findings to LSP diagnostics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Final, NamedTuple

from lsprotocol import types

from nirls.ir.finding import Finding, Severity
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.shown_findings import Findings
from nirls.server.engine.documents.text_document import Document
from nirls.server.ide.rule_pages import page_of
from nirls.server.lsp.answers.conversion import range_of
from nirls.server.lsp.answers.idle_blocks import idle_diagnostics
from nirls.server.lsp.client import Client
from nirls.server.lsp.nirls_server import NirlsServer

_SEVERITIES: Final = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFORMATION: types.DiagnosticSeverity.Information,
    Severity.HINT: types.DiagnosticSeverity.Hint,
}

MOST_DIAGNOSTICS = 2000
"""Most diagnostics sent for one document, twice VS Code's limit; one more states the number left out."""


class MarkedDump(NamedTuple):
    """A dump with findings to show; `number` counts the dumps of the document from 0."""

    number: int
    findings: Findings

    @property
    def worst(self) -> Finding:
        """The first of the most severe findings."""
        return min(self.findings, key=lambda finding: finding.severity.rank)


def marked_dumps(document: Document) -> list[MarkedDump]:
    """Return the dumps of a document with findings to show, in document order."""
    transitions = document.transition_marks
    marked = []
    for number, piece in enumerate(document.snapshot.dump_pieces()):
        findings = document.shown(piece)
        if piece.slot in transitions:
            findings = (*transitions[piece.slot], *findings)
        if findings:
            marked.append(MarkedDump(number, findings))
    return marked


def count_of(marked: Iterable[MarkedDump]) -> int:
    """Count the findings of dumps."""
    return sum(len(dump.findings) for dump in marked)


def diagnostics_of(server: NirlsServer, document: Document) -> Iterator[types.Diagnostic]:
    """Yield the diagnostics of a document as it is at the first of them.

    Above `MOST_DIAGNOSTICS`: first those of visible dumps, then the most severe, and the number left out.
    """
    snapshot, marked = document.snapshot, marked_dumps(document)
    left_out = count_of(marked) - MOST_DIAGNOSTICS
    if left_out > 0:
        marked = _most_wanted_first(document, marked)
    left = MOST_DIAGNOSTICS
    for dump in marked:
        yield from islice(diagnostics_of_dump(server, document, snapshot, dump), left)
        left -= len(dump.findings)
        if left <= 0:
            break
    if left_out > 0:
        yield _left_out(left_out)
    yield from idle_diagnostics(server, document, snapshot)


def _left_out(count: int) -> types.Diagnostic:
    start = types.Position(0, 0)
    return types.Diagnostic(
        range=types.Range(start, start),
        severity=types.DiagnosticSeverity.Information,
        source="nirls",
        message=f"{count:,} more findings in this file are not shown; `nirls check` lists all of them",
    )


def _most_wanted_first(document: Document, marked: Sequence[MarkedDump]) -> list[MarkedDump]:
    seen = {dump.number for dump in document.snapshot.dumps_in_lines(*document.visible)}
    by_number = {dump.number: dump for dump in marked}
    nearest = [by_number[dump.number] for dump in document.dumps_by_interest() if dump.number in by_number]
    return sorted(nearest, key=lambda dump: -1 if dump.number in seen else dump.worst.severity.rank)


def diagnostics_of_dump(
    server: NirlsServer, document: Document, snapshot: Snapshot, marked: MarkedDump
) -> Iterator[types.Diagnostic]:
    """Yield the diagnostics of a dump in a snapshot of a document."""
    dump = snapshot.dump(marked.number)
    for finding in marked.findings:
        yield diagnostic_of(server, document, dump, finding)


def diagnostic_of(
    server: NirlsServer, document: Document, dump: PlacedDump, finding: Finding
) -> types.Diagnostic:
    """Convert a finding to a diagnostic with all details that the client supports."""
    client = server.client
    made = brief_diagnostic(client, dump, finding)
    if client.code_description:
        page = page_of(finding.code)
        made.code_description = None if page is None else types.CodeDescription(page)
    if client.related_information:
        made.related_information = list(_related(server, document, dump, finding)) or None
    if client.diagnostic_data:
        made.data = _data(finding)
    return made


def brief_diagnostic(client: Client, dump: PlacedDump, finding: Finding) -> types.Diagnostic:
    """Convert a finding to a diagnostic without page, related information and data."""
    tags = [types.DiagnosticTag.Unnecessary] if finding.unnecessary and client.unnecessary_tag else None
    return types.Diagnostic(
        range=range_of(client, dump, finding.place.start, finding.place.end),
        severity=_SEVERITIES[finding.severity],
        code=finding.code,
        source="nirls",
        message=finding.message,
        tags=tags,
    )


def _related(
    server: NirlsServer, document: Document, dump: PlacedDump, finding: Finding
) -> Iterator[types.DiagnosticRelatedInformation]:
    for item in finding.related:
        slot = item.place.dump
        # Slot 0 means the dump of the finding.
        here = dump if slot == 0 else document.place_of_slot(slot)
        place = (document, here) if here is not None else server.documents.slot(slot)
        if place is not None:
            range_ = range_of(server.client, place[1], item.place.start, item.place.end)
            location = types.Location(place[0].uri, range_)
            yield types.DiagnosticRelatedInformation(location, item.message)


def _data(finding: Finding) -> dict[str, object]:
    data: dict[str, object] = {"pass": finding.pass_name}
    if finding.fixes:
        data["fixes"] = [{"title": fix.title, "request": asdict(fix.request)} for fix in finding.fixes]
    if finding.data:
        data["finding"] = dict(finding.data)
    return data
