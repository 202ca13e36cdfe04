"""Findings as diagnostics, at the places where they are now."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers import finding_diagnostics
from nirls.server.lsp.answers.finding_diagnostics import (
    brief_diagnostic,
    diagnostic_of,
    diagnostics_of,
    marked_dumps,
)
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from tools.synthetic import fragment_dump

BROKEN = "    this is no NIR\n"


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
    made.client = Client(related_information=True, diagnostic_data=True, unnecessary_tag=True)
    yield made
    made.shutdown()


@pytest.fixture
def document(server: NirlsServer, data: Path) -> Document:
    stages = [(data / "pipelines" / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    return server.documents.open("file:///x.log", "\nbetween\n".join(stages), 1)


def look(server: NirlsServer, document: Document) -> None:
    """Run everything and place what it finds."""
    for dump in document.snapshot.dumps():
        server.analyzer.check_text(document.state(dump.piece))
        server.analyzer.run_passes((dump.piece.text,))
    pipelines = server.linker.pipelines_of(document)
    for linked in pipelines:
        server.analyzer.run_passes(linked.texts())
    server.analyzer.place_findings(document, pipelines)


def plain(server: NirlsServer, found: Iterable[types.Diagnostic]) -> list[dict[str, Any]]:
    return [server.protocol.plain(one) for one in found]


def fresh(server: NirlsServer, document: Document) -> list[dict[str, Any]]:
    return [
        server.protocol.plain(diagnostic_of(server, document, dump, mark))
        for dump in document.snapshot.dumps()
        for marks in (
            document.state(dump.piece).problems or (),
            document.pass_findings.get(dump.piece.slot, ()),
        )
        for mark in marks
    ]


def insert(document: Document, line: int, text: str) -> None:
    place = Position(line, 0)
    document.change([TextChange(Range(place, place), text)], document.snapshot.version + 1, Encoding.UTF16)


def same(server: NirlsServer, document: Document) -> int:
    shown = plain(server, diagnostics_of(server, document))
    assert shown == fresh(server, document)
    return len(shown)


def test_they_follow_edits_of_every_kind(server: NirlsServer, document: Document) -> None:
    assert same(server, document) == 0
    look(server, document)
    found = same(server, document)
    assert found
    assert any("relatedInformation" in one for one in plain(server, diagnostics_of(server, document)))
    dumps = document.snapshot.dumps()
    lines = [0, dumps[0].first_line + 12, dumps[1].first_line - 1, dumps[1].first_line + 12]
    for line in lines:
        insert(document, line, "\n" if line == 0 else BROKEN)
        assert same(server, document)
        look(server, document)
        assert same(server, document)


def test_they_follow_the_client(server: NirlsServer, document: Document) -> None:
    look(server, document)
    same(server, document)
    server.client = Client(encoding=Encoding.UTF8)
    same(server, document)
    assert all("data" not in one for one in plain(server, diagnostics_of(server, document)))


def test_of_too_many_those_near_what_is_visible_are_shown(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(server, document)
    everything = fresh(server, document)
    last = document.snapshot.dumps()[1]
    document.visible = (last.first_line, last.first_line + 10)
    in_last = [one for one in everything if one["range"]["start"]["line"] >= last.first_line]
    for most in (1, len(in_last), len(everything) - 1):
        monkeypatch.setattr(finding_diagnostics, "MOST_DIAGNOSTICS", most)
        *shown, more = plain(server, diagnostics_of(server, document))
        assert len(shown) == most
        assert shown[: len(in_last)] == in_last[:most]
        assert more["message"].startswith(f"{len(everything) - most} more findings in this file")
        assert more["range"]["start"] == {"line": 0, "character": 0}


def test_of_too_many_the_most_severe_of_what_is_far_are_shown(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An error far below what is visible, in front of all that is less and nearer.
    insert(
        document,
        document.snapshot.text.count(b"\n"),
        re.sub(r"(fadd %\d+), %\d+", r"\1, %99999", fragment_dump(20)),
    )
    look(server, document)
    document.visible = (0, 0)
    errors = [one for one in fresh(server, document) if one["severity"] == 1]
    first = marked_dumps(document)[0]
    monkeypatch.setattr(finding_diagnostics, "MOST_DIAGNOSTICS", len(first.findings) + len(errors))
    shown = plain(server, diagnostics_of(server, document))
    assert errors
    assert all(one in shown for one in errors)


def test_a_brief_one_is_what_a_list_shows(server: NirlsServer, document: Document) -> None:
    look(server, document)
    full = fresh(server, document)
    marked = marked_dumps(document)
    brief = [
        server.protocol.plain(brief_diagnostic(server.client, document.snapshot.dump(dump.number), mark))
        for dump in marked
        for mark in dump.findings
    ]
    shown = ("range", "severity", "code", "source", "message", "tags")
    assert brief == [{name: one[name] for name in shown if name in one} for one in full]
    assert min(dump.worst.severity.rank for dump in marked) == min(one["severity"] - 1 for one in brief)
