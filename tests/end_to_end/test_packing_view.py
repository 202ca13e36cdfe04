"""What an editor shows of the packing of varyings: code lenses, `nirls/packing`, the table in a hover."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tools.lsp_client import LspClient

STDIO = [sys.executable, "-m", "nirls.server", "serve"]
CAPABILITIES = {
    "experimental": {"commands": {"commands": ["nirls.showPacking"]}},
    "textDocument": {"hover": {"contentFormat": ["markdown"]}},
    "workspace": {"codeLens": {"refreshSupport": True}},
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    made = LspClient(STDIO, tmp_path)
    made.start(CAPABILITIES)
    yield made
    assert made.stop() == 0


@pytest.fixture
def uris(client: LspClient, data: Path) -> list[str]:
    """Two files that their names link, open."""
    paths = [data / "pipelines" / f"tinted.{stage}.nir" for stage in ("vert", "frag")]
    return [client.open(path, path.read_text()) for path in paths]


def lenses(client: LspClient, uri: str) -> list[dict[str, Any]]:
    found = client.request("textDocument/codeLens", {"textDocument": {"uri": uri}})
    resolved = [lens if "command" in lens else client.request("codeLens/resolve", lens) for lens in found]
    # Passes may still run: the lens that says so is not of interest here.
    return [lens for lens in resolved if lens["command"]["title"].startswith("link")]


def test_lenses_say_with_whom_and_what_linking_saves(client: LspClient, uris: list[str]) -> None:
    for uri, partner in zip(uris, ("tinted.frag.nir", "tinted.vert.nir"), strict=True):
        linked, saves = lenses(client, uri)
        assert linked["command"]["title"] == f"linked with {partner} (file names)"
        assert saves["command"]["title"] == "linking saves 4 scalars and 1 vec4 slot, moves 2 instructions"
        assert saves["command"]["command"] == "nirls.showPacking"
        assert saves["command"]["arguments"] == [uri, 0]


def test_lens_follows_the_text_of_the_other_stage(client: LspClient, tmp_path: Path) -> None:
    vertex = shader_text(
        "VERTEX", ZERO, "32    %1 = @load_vertex_id", *(store(f"VAR{number}") for number in (0, 1, 2))
    )
    uri = client.open(tmp_path / "a.vert.nir", vertex)
    other = client.open(tmp_path / "a.frag.nir", shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1")))
    assert lenses(client, other)[1]["command"]["title"] == "linking saves 2 scalars and 2 vec4 slots"
    line = next(number for number, text in enumerate(vertex.split("\n")) if "VAR2" in text)
    range_ = {"start": {"line": line, "character": 0}, "end": {"line": line + 1, "character": 0}}
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"range": range_, "text": ""}]},
    )
    assert lenses(client, other)[1]["command"]["title"] == "linking saves 1 scalar and 1 vec4 slot"


def test_lens_of_a_client_without_the_view_does_nothing_when_clicked(tmp_path: Path, data: Path) -> None:
    plain = LspClient(STDIO, tmp_path)
    plain.start({})
    path = data / "pipelines" / "tinted.vert.nir"
    (_, saves) = lenses(plain, plain.open(path, path.read_text()))
    assert saves["command"]["title"].startswith("linking saves")
    assert saves["command"]["command"] == ""
    assert plain.stop() == 0


def test_dump_without_a_partner_says_what_linking_could_save(client: LspClient, tmp_path: Path) -> None:
    vertex = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR5"))
    snapshots = vertex + "nir_opt_dce\n" + vertex + shader_text("COMPUTE", ZERO)
    found = lenses(client, client.open(tmp_path / "a.log", snapshots))
    (lens,) = [lens for lens in found if lens["command"]["title"].startswith("linking")]
    assert lens["range"]["start"]["line"] == vertex.count("\n") + 1, "the last snapshot"
    assert lens["command"]["title"] == "linking would save 2 scalars, 2 vec4 slots and 4 instructions"
    assert lens["command"]["command"] == "", "there is no packing to show"


def test_request_for_the_packing(client: LspClient, uris: list[str]) -> None:
    (pipeline,) = client.request("nirls/packing", {"textDocument": {"uri": uris[0]}})["pipelines"]
    assert [stage["uri"] for stage in pipeline["stages"]] == uris
    assert [stage["stage"] for stage in pipeline["stages"]] == ["VS", "FS"]
    (pair,) = pipeline["pairs"]
    assert (pair["before"]["slots"], pair["after"]["slots"]) == (2, 1)
    assert {cell["group"] for cell in pair["before"]["cells"]} >= {"dead", "interpolated"}
    here = {"textDocument": {"uri": uris[1]}, "position": {"line": 3, "character": 0}}
    assert client.request("nirls/packing", here)["pipelines"] == [pipeline]
    assert client.request("nirls/packing", {"textDocument": {"uri": "file:///x.nir"}}) == {"pipelines": []}


def test_dump_at_the_position_only(client: LspClient, tmp_path: Path) -> None:
    pair = shader_text("VERTEX", ZERO, store("VAR4", "%0")) + shader_text("FRAGMENT", ZERO, load(1, "VAR4"))
    uri = client.open(tmp_path / "a.log", pair + "noise\n" + pair)
    document = {"textDocument": {"uri": uri}}
    assert len(client.request("nirls/packing", document)["pipelines"]) == 2
    second = {**document, "position": {"line": pair.count("\n") + 2, "character": 0}}
    (pipeline,) = client.request("nirls/packing", second)["pipelines"]
    assert pipeline["stages"][0]["number"] == 2


def test_hover_on_a_varying_shows_the_table_with_the_slot_marked(client: LspClient, tmp_path: Path) -> None:
    text = shader_text(
        "VERTEX",
        ZERO,
        "32    %1 = @load_vertex_id_zero_base",
        "32    %2 = u2f32 %1",
        store("VAR4", "%2"),
        store("VAR6", "%1"),
    ) + shader_text("FRAGMENT", ZERO, load(1, "VAR4"), use("%1"))
    uri = client.open(tmp_path / "a.log", text)
    lines = text.split("\n")
    # The work goes on behind a hover that came too early.
    client.request("nirls/packing", {"textDocument": {"uri": uri}})
    for number, line in enumerate(lines):
        if "VARYING_SLOT_VAR4" in line:
            place = {"line": number, "character": line.index("VARYING_SLOT") + 3}
            shown = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
            value = shown["contents"]["value"]
            assert "| before | x | y | z | w |" in value
            assert "| VAR4 | **\u25b6 `%2` flat** |  |  |  |" in value
            assert "| VAR6 | `%1` dead |  |  |  |" in value
            assert "| VAR0 | **\u25b6 `%2` flat** |  |  |  |" in value
            place["character"] = line.index("@") + 2
            shown = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": place})
            assert (
                "- `opt_varyings would pack VAR4.x to VAR0.x: not moved into the VS: "
                in shown["contents"]["value"]
            )
