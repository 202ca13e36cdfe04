"""While somebody types, what is far away is told in short, and nothing vanishes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.answers import diagnostics_while_typing as while_typing
from nirls.server.lsp.answers.diagnostics_while_typing import diagnostics_while_typing, has_many_findings
from nirls.server.lsp.answers.finding_diagnostics import diagnostics_of
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer
from tools.synthetic import fragment_dump

DUMPS = 30


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
    made.client = Client(diagnostic_data=True)
    yield made
    made.shutdown()


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few findings count as many."""
    monkeypatch.setattr(while_typing, "MOST_BRIEF", 0)


@pytest.fixture
def document(server: NirlsServer) -> Document:
    """A log of dumps of about 60 lines, each of which has several errors."""
    dumps = [re.sub(r"(fadd %\d+), %\d+", r"\1", fragment_dump(60, seed)) for seed in range(DUMPS)]
    text = "".join(f"pass {seed}\n{dump}" for seed, dump in enumerate(dumps))
    made = server.documents.open("file:///x.log", text, 1)
    check(server, made)
    return made


def check(server: NirlsServer, document: Document) -> None:
    for dump in document.snapshot.dumps():
        server.analyzer.check_text(document.state(dump.piece))


def typed(server: NirlsServer, document: Document) -> list[dict[str, Any]]:
    return [server.protocol.plain(one) for one in diagnostics_while_typing(server, document)[0]]


def everything(server: NirlsServer, document: Document) -> list[dict[str, Any]]:
    return [server.protocol.plain(one) for one in diagnostics_of(server, document)]


def change(server: NirlsServer, document: Document, line: int, new: str) -> None:
    place = Position(line, 4)
    document.change([TextChange(Range(place, place), new)], document.snapshot.version + 1, Encoding.UTF16)
    check(server, document)


def is_in(one: dict[str, Any], document: Document, number: int) -> bool:
    dump = document.snapshot.dump(number)
    first = dump.first_line
    return bool(first <= one["range"]["start"]["line"] < first + dump.piece.line_ends)


def test_near_ones_are_told_in_full_and_far_ones_in_short(server: NirlsServer, document: Document) -> None:
    assert has_many_findings(document)
    document.visible = (0, 10)
    shown, full = typed(server, document), everything(server, document)
    near = [one for one in shown if "data" in one]
    assert near == [one for one in full if any(is_in(one, document, number) for number in (0, 1))]
    for number in range(2, DUMPS):
        (stand_in,) = [one for one in shown if is_in(one, document, number)]
        here = [one for one in full if is_in(one, document, number)]
        assert stand_in["range"] == here[0]["range"]
        assert stand_in["severity"] == min(one["severity"] for one in here)
        assert stand_in["message"] == f"{here[0]['message']} (and {len(here) - 1} more near here)"


@pytest.mark.parametrize("most", [1, 7])
def test_one_stands_for_several_dumps_in_a_row_where_there_are_many(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(while_typing, "MOST_STAND_INS", most)
    document.visible = (0, 10)
    stand_ins = [one for one in typed(server, document) if "data" not in one]
    assert len(stand_ins) <= most
    stood_for = sum(1 + int(one["message"].split("(and ")[1].split()[0]) for one in stand_ins)
    full = everything(server, document)
    assert stood_for == len(full) - sum(is_in(one, document, 0) or is_in(one, document, 1) for one in full)


def test_the_edited_dump_is_near_wherever_somebody_looks(server: NirlsServer, document: Document) -> None:
    document.visible = (0, 10)
    change(server, document, document.snapshot.dump(20).first_line + 15, "x")
    assert all("data" in one for one in typed(server, document) if is_in(one, document, 20))
    assert all("data" not in one for one in typed(server, document) if is_in(one, document, 19))


def test_a_few_are_all_told(server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch) -> None:
    full = everything(server, document)
    monkeypatch.setattr(while_typing, "FEW", len(full))
    assert not has_many_findings(document)
    assert not diagnostics_while_typing(server, document)[1]
    assert typed(server, document) == full


def test_it_is_about_as_much_however_long_the_log(server: NirlsServer, document: Document) -> None:
    short = len(diagnostics_while_typing(server, document)[0])
    text = document.snapshot.text.decode()
    long = server.documents.open("file:///long.log", text * 8, 1)
    check(server, long)
    all_of_long, all_of_document = (list(diagnostics_of(server, one)) for one in (long, document))
    assert len(all_of_long) > 1.5 * len(all_of_document)
    assert len(diagnostics_while_typing(server, long)[0]) < 1.2 * short


def test_their_number_stays_the_same_while_typing(
    server: NirlsServer, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(while_typing, "MOST_BRIEF", 10_000)
    full = everything(server, document)
    shown = typed(server, document)
    assert has_many_findings(document)
    assert sorted((one["range"]["start"]["line"], one["message"]) for one in shown) == sorted(
        (one["range"]["start"]["line"], one["message"]) for one in full
    )


def test_problems_of_an_edited_dump_stay_until_it_is_checked(server: NirlsServer, document: Document) -> None:
    known = everything(server, document)
    place = Position(document.snapshot.dump(3).first_line + 15, 4)
    document.change([TextChange(Range(place, place), " ")], 2, Encoding.UTF16)
    assert document.state(document.snapshot.dump(3).piece).problems is None, "not checked yet"
    near = len([one for one in typed(server, document) if is_in(one, document, 3)])
    full = len([one for one in known if is_in(one, document, 3)])
    assert full - 1 <= near <= full
