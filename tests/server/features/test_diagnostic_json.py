"""Diagnostics that are kept as JSON are those that would be made now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nirls.server.client import Client
from nirls.server.features import diagnostic_json
from nirls.server.features.diagnostic_json import diagnostic_of, diagnostics_of, diagnostics_while_typing
from nirls.server.language_server import make_server
from nirls.server.nirls_server import NirlsServer
from nirls.server.positions import Encoding, Position, Range
from nirls.server.workspace import Document, TextChange

BROKEN = "    this is no NIR\n"


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server()
    made.client = Client(related_information=True, diagnostic_data=True, unnecessary_tag=True)
    yield made
    made.stop_work()


@pytest.fixture
def document(server: NirlsServer, data: Path) -> Document:
    stages = [(data / "pipelines" / f"pulsar.{stage}.nir").read_text() for stage in ("vert", "frag")]
    return server.documents.open("file:///x.log", "\nbetween\n".join(stages), 1)


def look(server: NirlsServer, document: Document) -> None:
    """Run everything and place what it finds."""
    for dump in document.snapshot.dumps():
        server.engine.check_text(document.state(dump.piece))
        server.engine.run_passes((dump.piece.text,))
    pipelines = server.linker.pipelines_of(document)
    for linked in pipelines:
        server.engine.run_passes(linked.texts())
    server.engine.place_marks(document, pipelines)


def fresh(server: NirlsServer, document: Document) -> list[object]:
    return [
        diagnostic_of(server, document, dump, mark)
        for dump in document.snapshot.dumps()
        for marks in (document.state(dump.piece).problems or (), document.pass_marks.get(dump.piece.slot, ()))
        for mark in marks
    ]


def insert(document: Document, line: int, text: str) -> None:
    place = Position(line, 0)
    document.change([TextChange(Range(place, place), text)], document.snapshot.version + 1, Encoding.UTF16)


def same(server: NirlsServer, document: Document) -> int:
    shown = json.loads(diagnostics_of(server, document))
    assert shown == json.loads(json.dumps(fresh(server, document)))
    return len(shown)


def test_they_follow_edits_of_every_kind(server: NirlsServer, document: Document) -> None:
    assert same(server, document) == 0
    look(server, document)
    found = same(server, document)
    assert found
    assert any("relatedInformation" in one for one in json.loads(diagnostics_of(server, document)))
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
    assert all("data" not in one for one in json.loads(diagnostics_of(server, document)))


def test_of_too_many_those_near_what_is_visible_are_shown(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    look(server, document)
    everything = fresh(server, document)
    last = document.snapshot.dumps()[1]
    document.visible = (last.first_line, last.first_line + 10)
    in_last = [one for one in everything if one["range"]["start"]["line"] >= last.first_line]  # type: ignore[index]
    for most in (1, len(in_last), len(everything) - 1):
        monkeypatch.setattr(diagnostic_json, "MOST_DIAGNOSTICS", most)
        shown = json.loads(diagnostics_of(server, document))
        assert len(shown) == most
        assert shown[: len(in_last)] == json.loads(json.dumps(in_last[:most]))


def test_brief_ones_are_the_same_without_details(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagnostic_json, "FEW", 0)
    look(server, document)
    document.visible = (0, 5)
    _, last = document.snapshot.dumps()
    for _ in range(2):  # the second time from what was kept
        everything = json.loads(diagnostics_of(server, document))
        brief = json.loads(diagnostics_while_typing(server, document)[0])
        kept = ("range", "severity", "code", "source", "message", "tags")
        assert [{name: one[name] for name in kept if name in one} for one in everything] == [
            {name: one[name] for name in kept if name in one} for one in brief
        ]
        for one, short in zip(everything, brief, strict=True):
            is_far = one["range"]["start"]["line"] >= last.first_line
            assert ("data" not in short) == is_far
            assert is_far or one == short
    insert(document, last.first_line + 12, "  \n")
    look(server, document)
    same(server, document)
    assert all("data" in one for one in json.loads(diagnostics_while_typing(server, document)[0]))
