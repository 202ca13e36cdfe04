from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.timeline import TimelineReader
from nirls.server.ide.history.snapshot_diff import SnapshotTexts
from nirls.server.ide.report.contents import (
    Report,
    ReportedFinding,
    ReportedPass,
    ReportedShader,
    VaryingRow,
    VaryingTable,
    pass_diff,
)
from nirls.server.ide.report.page import page
from tests.passes.shader_text import ONE, ZERO, shader_text

HOSTILE = "</script></style></title><img src=x onerror=alert(1)>\"'&lt;{{ 7 * 7 }}\u202e"


class Elements(HTMLParser):
    """The elements and attributes of a page, and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def hostile() -> str:
    """A page in which everything that a log can say is hostile."""
    header = [f"name: {HOSTILE}"]
    first = shader_text("VERTEX", ZERO, ONE, header=header)
    log = f"{HOSTILE} NIR:\n{first}NIR {HOSTILE}:\n{shader_text('VERTEX', ZERO, header=header)}"
    (timeline,) = TimelineReader(Snapshot.of(log.encode()), lambda piece: DumpDigest(piece.text)).timelines()
    diff = pass_diff(SnapshotTexts(f"{HOSTILE}\na\n", f"{HOSTILE}!\na\n"))
    passes = (ReportedPass(timeline.steps[0]), ReportedPass(timeline.steps[1], diff))
    finding = ReportedFinding("warning", HOSTILE, HOSTILE, HOSTILE, 3, HOSTILE)
    table = VaryingTable(
        "VS", "FS", (VaryingRow("VAR0.x", HOSTILE, None), VaryingRow("VAR1.x", None, HOSTILE))
    )
    return b"".join(page(Report(HOSTILE, (ReportedShader(timeline, passes),), (finding,), (table,)))).decode()


def test_hostile_names_are_text(hostile: str) -> None:
    found = Elements()
    found.feed(hostile)
    assert "img" not in found.tags
    assert "script" not in found.tags
    assert "onerror" not in found.attributes
    assert found.text.count("<img src=x onerror=alert(1)>") >= 10
    assert "{{ 7 * 7 }}" in found.text
    assert "\u202e" not in hostile
    assert "\\u202e" in found.text


def test_the_policy_allows_the_style_sheet_and_nothing_else(hostile: str) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", hostile, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', hostile)
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "style=" not in hostile


def test_nothing_is_loaded(hostile: str) -> None:
    found = Elements()
    found.feed(hostile)
    assert found.tags.isdisjoint({"link", "iframe", "object", "embed", "script", "img"})
    assert not re.search(r"@import|url\(", hostile)


def test_a_report_on_nothing() -> None:
    assert "No findings." in b"".join(page(Report("empty.log", ()))).decode()
