"""What passes would do, before they do it: `nirls/preview`, `nirls/passes`, and code actions for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tools.lsp_client import LspClient

CAPABILITIES = {
    "experimental": {"commands": {"commands": ["nirls.previewPass"]}},
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["refactor"]}},
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        }
    },
}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    made = LspClient([sys.executable, "-m", "nirls.server", "serve"], tmp_path)
    made.start(CAPABILITIES)
    yield made
    assert made.stop() == 0


@pytest.fixture
def uris(client: LspClient, data: Path) -> list[str]:
    """Two files that their names link, open."""
    paths = [data / "pipelines" / f"tinted.{stage}.nir" for stage in ("vert", "frag")]
    return [client.open(path, path.read_text()) for path in paths]


def preview(client: LspClient, uri: str, **more: object) -> Any:
    return client.request("nirls/preview", {"textDocument": {"uri": uri}, **more})


def test_a_pass_on_a_shader(client: LspClient, tmp_path: Path) -> None:
    text = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1", use("%1"))
    uri = client.open(tmp_path / "a.log", f"nir_x_y\n{text}")
    found = preview(client, uri, number=0, passes=["opt_dce"])
    (dump,) = found["dumps"]
    assert (found["title"], found["verdict"]) == ("opt_dce on VS", "checked")
    assert dump["before"] == text
    assert dump["after"] == text.replace("    32    %2 = fneg %1\n", "")
    assert dump["counts"]["before"]["instructions"] == dump["counts"]["after"]["instructions"] + 1
    assert (dump["uri"], dump["line"], dump["stage"], dump["changed"]) == (uri, 1, "VS", True)


def test_a_pass_with_nothing_to_do(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.log", shader_text("VERTEX", ZERO, ONE, use("%1")))
    found = preview(client, uri, position={"line": 3, "character": 0}, passes=["opt_dce"])
    assert found["verdict"] == "unchanged"
    assert found["dumps"][0]["changed"] is False


def test_what_if_the_pipeline_were_linked(client: LspClient, uris: list[str]) -> None:
    found = preview(client, uris[1], number=0)
    assert found["passes"] == ["opt_varyings", "clean_up"]
    assert found["title"] == "opt_varyings, clean_up on pipeline tinted"
    assert [dump["stage"] for dump in found["dumps"]] == ["VS", "FS"]
    vertex = found["dumps"][0]
    assert vertex["changed"]
    assert vertex["counts"]["after"]["outputs"] < vertex["counts"]["before"]["outputs"]


def test_what_is_not_there(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "a.log", f"text\n{shader_text('VERTEX', ZERO)}")
    assert preview(client, uri, number=1) is None
    assert preview(client, uri, position={"line": 0, "character": 0}) is None
    assert preview(client, uri, number=0, passes=["no_such_pass"]) is None
    assert preview(client, "file:///nowhere", number=0) is None


def test_the_passes_that_there_are(client: LspClient) -> None:
    found = {one["name"]: one for one in client.request("nirls/passes", {})["passes"]}
    assert found["opt_varyings"]["scope"] == "pipeline"
    assert found["clean_up"]["scope"] == "shader"
    assert all(one["summary"] for one in found.values())


def test_code_actions_show_what_a_pass_would_do(client: LspClient, uris: list[str]) -> None:
    client.wait_for_diagnostics(uris[0], lambda found: any(one["code"] == "dead-output" for one in found))
    start = {"line": 0, "character": 0}
    place = {"textDocument": {"uri": uris[0]}, "range": {"start": start, "end": start}}
    actions = client.request("textDocument/codeAction", {**place, "context": {"diagnostics": []}})
    commands = [action["command"] for action in actions if "command" in action]
    # A client without views gets what they show as texts, too.
    shown = {"nirls.previewPass", "nirls.showHistory", "nirls.run"}
    assert {command["command"] for command in commands} == shown
    previews = [command for command in commands if command["command"] == "nirls.previewPass"]
    assert [command["arguments"] for command in previews] == [[uris[0], 0, ["opt_varyings", "clean_up"]]]
