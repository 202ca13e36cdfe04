"""The status of links in words: with whom, why, and why not."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from nirls.server.engine.documents import link_status
from nirls.server.engine.documents.link_status import LinkWatch, link_statuses
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import TextChange
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.pipelines.pipelines import LinkKind


def dump(stage: str, *lines: str) -> str:
    head = "".join(f"{line}\n" for line in lines)
    return f"shader: MESA_SHADER_{stage}\n{head}decl_function main ()\n\nimpl main {{\n    block b0:\n}}\n\n"


def statuses(*dumps: str, uri: str = "file:///nowhere/a.log") -> list[str]:
    workspace = Workspace()
    document = workspace.open(uri, "".join(dumps), 1)
    found = link_statuses(document, Linker(workspace).pipelines_of(document))
    assert all(bool(one.links) != bool(one.why_not) for one in found)
    return [one.text(uri) for one in found]


def test_stages_of_one_document_name_each_other() -> None:
    assert statuses(dump("VERTEX"), dump("GEOMETRY"), dump("FRAGMENT")) == [
        "linked with GS (dump 2) and FS (dump 3) (sequence)",
        "linked with VS (dump 1) and FS (dump 3) (sequence)",
        "linked with VS (dump 1) and GS (dump 2) (sequence)",
    ]


def test_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "sky.frag.nir").write_text("\n" + dump("FRAGMENT"))
    workspace = Workspace()
    document = workspace.open((tmp_path / "sky.vert.nir").as_uri(), dump("VERTEX"), 1)
    (status,) = link_statuses(document, Linker(workspace).pipelines_of(document))
    assert status.text(document.uri) == "linked with sky.frag.nir (file names)"
    (link,) = status.links
    assert (link.pipeline.kind, link.pipeline.reason) == (LinkKind.FILE_NAMES, "file names sky.*.nir")
    (partner,) = link.partners
    assert (partner.number, partner.line, partner.stage) == (0, 1, "FS")


@pytest.mark.parametrize(
    ("dumps", "number", "reason"),
    [
        ([dump("VERTEX")], 0, "there is no other dump beside it"),
        ([dump("COMPUTE")], 0, "CS has no stage before or behind it"),
        ([dump("TOASTER")], 0, "its `shader:` line names no stage"),
        ([dump("VERTEX"), dump("VERTEX"), dump("FRAGMENT")], 0, "dump 2 shows the same shader later"),
        ([dump("FRAGMENT"), dump("TESS_CTRL")], 0, "dump 2: FS does not follow TCS"),
        ([dump("FRAGMENT"), dump("TESS_CTRL")], 1, "dump 1: FS does not follow TCS"),
        (
            [dump("VERTEX", "next_stage: MESA_SHADER_GEOMETRY"), dump("FRAGMENT")],
            1,
            "dump 1: the next_stage of the VS is GS",
        ),
        (
            [dump("VERTEX", "name: GLSL3"), dump("FRAGMENT", "name: GLSL7")],
            0,
            "dump 2: they belong to different programs (GLSL3, GLSL7)",
        ),
        (
            ["// nirls: pipeline sky\n", dump("VERTEX")],
            0,
            "no other dump that goes with VS says `// nirls: pipeline sky`",
        ),
    ],
)
def test_a_dump_without_a_link_says_why(dumps: list[str], number: int, reason: str) -> None:
    assert statuses(*dumps)[number] == f"not linked: {reason}"


def test_a_file_without_a_partner_says_which_names_it_looked_for(tmp_path: Path) -> None:
    uri = (tmp_path / "sky.vert.nir").as_uri()
    assert statuses(dump("VERTEX"), uri=uri) == [
        "not linked: no file sky.*.nir has a stage that goes with VS"
    ]


@pytest.mark.sweep
def test_a_log_of_very_many_snapshots() -> None:
    # Walking from each to the last would take minutes.
    *before, last = statuses(*[dump("VERTEX")] * 10_000)
    assert set(before) == {"not linked: dump 10000 shows the same shader later"}
    assert last == "not linked: there is no other dump beside it"


VERTEX = "shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n"
FRAGMENT = VERTEX.replace("VERTEX", "FRAGMENT")
URI = "file:///a.log"


def test_only_other_links_are_told() -> None:
    workspace, told = Workspace(), []
    watch = LinkWatch(workspace, Linker(workspace), told.append)
    document = workspace.open(URI, VERTEX + FRAGMENT, 1)
    watch.compare()
    watch.compare()
    assert told == [[URI]]
    document.change([TextChange(None, VERTEX + FRAGMENT.replace("b0", "b1"))], 2, Encoding.UTF16)
    watch.compare()
    assert told == [[URI]]
    document.change([TextChange(None, FRAGMENT + VERTEX)], 3, Encoding.UTF16)
    watch.compare()
    assert told == [[URI], [URI]]


async def test_it_looks_when_typing_pauses_and_somebody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_status, "PAUSE", 0.01)
    workspace, told = Workspace(), []
    watch = LinkWatch(workspace, Linker(workspace), told.append)
    workspace.open(URI, VERTEX + FRAGMENT, 1)
    watch.schedule()
    await asyncio.sleep(0.1)
    assert told == []
    watch.is_on = True
    for _ in range(3):
        watch.schedule()
    async with asyncio.timeout(90):
        while not told:
            await asyncio.sleep(0.01)
    assert told == [[URI]]
