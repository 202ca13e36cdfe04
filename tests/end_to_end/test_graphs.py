"""Pictures of the shader at the cursor: `nirls/graph`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tests.server.ide.graphs.layout import can_lay_out
from tools.lsp_client import LspClient

TEXT = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1", "32    %3 = fabs %2", use("%3"))


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    made = LspClient([sys.executable, "-m", "nirls.server", "serve"], tmp_path)
    made.start()
    yield made
    assert made.stop() == 0


def graph(client: LspClient, uri: str, kind: str, line: int, character: int = 0, **more: object) -> Any:
    place = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
    return client.request("nirls/graph", {**place, "kind": kind, **more})


def test_the_value_at_the_cursor(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.log", f"some text\n{TEXT}")
    line = f"some text\n{TEXT}".split("\n").index("    32    %3 = fabs %2")
    found = graph(client, uri, "values", line, 6)
    assert found["title"] == "what 32 %3 = fabs %2 is made of"
    assert found["whyNot"] is None
    first = found["nodes"][0]
    assert (first["uri"], first["dump"], first["range"]["start"]["line"]) == (uri, 0, line)
    assert f'id="{first["id"]}"' in found["dot"]
    whole = graph(client, uri, "values", line, 6, whole=True)
    assert len(whole["nodes"]) > len(found["nodes"])


@pytest.mark.parametrize("kind", ["cfg", "dominators", "post-dominators"])
def test_blocks(client: LspClient, tmp_path: Path, kind: str) -> None:
    uri = client.open(tmp_path / "a.nir", TEXT)
    found = graph(client, uri, kind, 0)
    assert [node["id"] for node in found["nodes"]] == ["block_0", "block_1"]
    assert found["svg"] is None


@pytest.mark.skipif(
    not can_lay_out(), reason="neither the program dot nor the package pygraphviz is installed"
)
def test_svg_on_demand(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.nir", TEXT)
    assert graph(client, uri, "cfg", 0, svg=True)["svg"].startswith("<svg")


def test_the_varyings_of_a_pipeline_lead_to_both_files(client: LspClient, data: Path) -> None:
    paths = [data / "pipelines" / f"tinted.{stage}.nir" for stage in ("vert", "frag")]
    uris = [client.open(path, path.read_text()) for path in paths]
    found = graph(client, uris[1], "varyings", 3)
    assert found["title"] == "varyings of tinted"
    assert {node["uri"] for node in found["nodes"]} == set(uris)


def test_what_cannot_be_drawn(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.log", f"some text\n{TEXT}")
    assert graph(client, uri, "cfg", 0) is None
    assert graph(client, uri, "no such kind", 1) is None
    assert graph(client, "file:///nowhere", "cfg", 1) is None
    assert graph(client, uri, "varyings", 1)["whyNot"] == "the shader is linked with no other stage"
