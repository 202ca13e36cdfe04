"""What an editor shows of the passes of a log: `nirls/timeline` and `nirls/snapshotDiff`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tools.lsp_client import LspClient

FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))
SHRUNK = shader_text("VERTEX", ONE.replace("%1", "%0"), use("%0").replace("%0 (0x0)", "%0 (1.000000)"))
LOG = f"nir_lower_returns\n{FIRST}nir_opt_cse\nnir_copy_prop\n{COPIED}nir_opt_dce\n{SHRUNK}nir_opt_undef\n"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    made = LspClient([sys.executable, "-m", "nirls.server", "serve"], tmp_path)
    made.start()
    yield made
    assert made.stop() == 0


def timeline(client: LspClient, uri: str, **more: object) -> dict[str, Any]:
    found: dict[str, Any] = client.request("nirls/timeline", {"textDocument": {"uri": uri}, **more})
    return found


def test_the_passes_of_a_log(client: LspClient, tmp_path: Path) -> None:
    found = timeline(client, client.open(tmp_path / "debug.log", LOG))
    (shader,) = found["shaders"]
    assert found["version"] == 1
    assert [one["name"] for one in shader["passes"]] == ["nir_lower_returns", "nir_copy_prop", "nir_opt_dce"]
    assert shader["hidden"] == 2


def test_hidden_passes_on_demand(client: LspClient, tmp_path: Path) -> None:
    found = timeline(client, client.open(tmp_path / "debug.log", LOG), hidden=True)
    assert [one["name"] for one in found["shaders"][0]["passes"]] == [
        "nir_lower_returns",
        "nir_opt_cse",
        "nir_copy_prop",
        "nir_opt_dce",
        "nir_opt_undef",
    ]


def test_what_a_pass_changed(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "debug.log", LOG)
    (shader,) = timeline(client, uri)["shaders"]
    last = shader["passes"][-1]
    place = {"textDocument": {"uri": uri}, "before": last["previous"], "after": last["dump"]}
    texts = client.request("nirls/snapshotDiff", place)
    before, after = texts["before"].splitlines(), texts["after"].splitlines()
    gone = [line.split() for line in before if line not in after]
    assert [words[1] for words in gone if words[2] == "="] == ["%0", "%2"]
    assert any("%1 = load_const" in line for line in after)
    assert texts["same"] is False


def test_a_snapshot_and_itself(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "debug.log", LOG)
    texts = client.request("nirls/snapshotDiff", {"textDocument": {"uri": uri}, "before": 0, "after": 0})
    assert texts["same"] is True
    assert texts["before"] == texts["after"]


def test_what_is_not_there(client: LspClient, tmp_path: Path) -> None:
    uri = client.open(tmp_path / "debug.log", LOG)
    assert timeline(client, "file:///nowhere")["shaders"] == []
    for before, after in ((0, 3), (-1, 0)):
        place = {"textDocument": {"uri": uri}, "before": before, "after": after}
        assert client.request("nirls/snapshotDiff", place) is None


def test_a_long_log_says_how_far_it_is(client: LspClient, tmp_path: Path) -> None:
    dumps = [
        shader_text("VERTEX", *(ONE.replace("%1", f"%{n}") for n in range(size))) for size in range(1, 200)
    ]
    uri = client.open(tmp_path / "debug.log", "nir_unroll_loops\n".join(dumps))
    found = timeline(client, uri, workDoneToken="passes")
    assert len(found["shaders"][0]["passes"]) == 199
    kinds = [one["value"]["kind"] for one in client.progress if one["token"] == "passes"]
    assert kinds[0] == "begin"
    assert kinds[-1] == "end"
    assert "report" in kinds
