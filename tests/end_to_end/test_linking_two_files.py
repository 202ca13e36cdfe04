"""Every kind of finding between two stages that lie in two files: its place, and the fixes of both files."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.server.lsp.features.code_actions import UNCHECKED
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import load, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex
from tools.lsp_client import LspClient, apply_text_edits, edits_of

STDIO = [sys.executable, "-m", "nirls.server", "serve"]
WHOLE_PASS = "Run opt_varyings on the pipeline"
Message = dict[str, Any]

CASES: dict[str, tuple[list[str], list[str]]] = {
    "dead-output": (
        [store("VAR0", "%10"), store("VAR1", "%11"), store("VAR2", "%12")],
        [load(4, "VAR2"), use("%4")],
    ),
    "undefined-input": (
        [store("VAR2", "%12")],
        [load(4, "VAR0"), load(5, "VAR1"), load(6, "VAR2"), use("%4"), use("%5"), use("%6")],
    ),
    "propagatable-output": (
        [store("VAR0"), store("VAR1", "%0")],
        [load(4, "VAR0"), load(5, "VAR1"), use("%4"), use("%5")],
    ),
    "duplicate-output": (
        [store("VAR0", "%10"), store("VAR1", "%10"), store("VAR2", "%10")],
        [load(4, "VAR0"), load(5, "VAR1"), load(6, "VAR2"), use("%4"), use("%5"), use("%6")],
    ),
    "convergent-output": (
        [
            "32    %19 = @load_draw_id",
            "32    %20 = u2f32 %19",
            "32    %21 = fsin %20",
            store("VAR0", "%20"),
            store("VAR1", "%21", 1),
        ],
        [
            interpolated(4, "VAR0"),
            interpolated(5, "VAR1", 1),
            "32    %6 = fsin %4",
            "32    %7 = fcos %5",
            use("%4"),
            use("%5"),
            use("%6"),
            use("%7"),
        ],
    ),
    "movable-expression": (
        [store(f"VAR{number}", f"%{value}") for number, value in enumerate((10, 11, 12, 20))],
        [
            *(load(4 + number, f"VAR{number}") for number in range(4)),
            "32    %8 = fmax %4, %5",
            "32    %9 = fmin %6, %7",
            use("%8"),
            use("%9"),
        ],
    ),
    "packing": (
        [store("VAR3", "%10"), store("VAR5", "%11")],
        [load(4, "VAR3"), load(5, "VAR5"), use("%4"), use("%5")],
    ),
}
CASES["movable-expression"][0].insert(0, "32    %20 = fsin %10")
AT_THE_LOAD = frozenset({"undefined-input", "movable-expression"})
"""Findings of the code that reads; the others stand at the store."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[LspClient]:
    made = LspClient(STDIO, tmp_path)
    made.start()
    yield made
    assert made.stop() == 0


class Files:
    """The two files, open; `side` is the file with the finding."""

    def __init__(self, client: LspClient, folder: Path, code: str) -> None:
        self.client, self.code = client, code
        self.side = 1 if code in AT_THE_LOAD else 0
        lines = CASES[code]
        self.texts = [vertex(*lines[0]).source.decode(), fragment(*lines[1]).source.decode()]
        paths = [folder / "a.vert.nir", folder / "a.frag.nir"]
        for path, text in zip(paths, self.texts, strict=True):
            path.write_text(text)
        self.uris = [client.open(path, text) for path, text in zip(paths, self.texts, strict=True)]

    def found(self) -> list[list[Message]]:
        """The findings of the code in each file, once they are there."""
        self.client.wait_for_diagnostics(
            self.uris[self.side], lambda found: any(one.get("code") == self.code for one in found)
        )
        return [
            [one for one in self.client.diagnostics.get(uri, []) if one.get("code") == self.code]
            for uri in self.uris
        ]

    def actions(self, side: int, finding: Message) -> dict[str, Message]:
        """The quick fixes at a finding, by title. On a slow machine one may have gone unchecked before."""
        offered = self.client.request(
            "textDocument/codeAction",
            {
                "textDocument": {"uri": self.uris[side]},
                "range": finding["range"],
                "context": {"diagnostics": [finding], "only": ["quickfix"]},
            },
        )
        titles = [one["title"] for one in offered]
        assert len(titles) == len(set(titles)), "each is offered once"
        return {one["title"].removesuffix(UNCHECKED): one for one in offered}

    def after(self, action: Message) -> list[str]:
        """The texts after an action, which is one workspace edit."""
        edit = self.client.request("codeAction/resolve", action)["edit"]
        return [
            apply_text_edits(text, edits_of(edit, uri))
            for text, uri in zip(self.texts, self.uris, strict=True)
        ]

    def is_same_program(self, texts: list[str]) -> bool:
        before, after = ([parse_dump(text.encode()) for text in one] for one in (self.texts, texts))
        assert not any(shader.unreadable for shader in after)
        return isinstance(verify_shaders(before, after), Equivalent)


@pytest.mark.parametrize("code", CASES)
def test_findings_at_their_cause_and_their_fixes(client: LspClient, tmp_path: Path, code: str) -> None:
    files = Files(client, tmp_path, code)
    found = files.found()
    side = files.side
    assert found[1 - side] == []
    for finding in found[side]:
        related = [one["location"]["uri"] for one in finding["relatedInformation"]]
        assert files.uris[1 - side] in related, "the other end is in the other file"
    actions = files.actions(side, found[side][0])
    one, *others = actions
    every = next((title for title in others if " all " in title), None)
    assert (every is None) == (code in ("packing", "convergent-output")), "there is one interface to pack"
    kept = files.after(actions[one])
    assert kept != files.texts
    assert files.is_same_program(kept)
    if every is not None:
        all_fixed = files.after(actions[every])
        assert all_fixed not in (files.texts, kept)
        assert files.is_same_program(all_fixed)
    linked = files.after(actions[WHOLE_PASS])
    assert linked[0] != files.texts[0]
    assert linked[1] != files.texts[1] or code == "dead-output"
    assert files.is_same_program(linked)


def test_whole_pass_edits_both_files_in_one_edit(client: LspClient, tmp_path: Path) -> None:
    files = Files(client, tmp_path, "packing")
    (finding,), _ = files.found()
    edit = client.request("codeAction/resolve", files.actions(files.side, finding)[WHOLE_PASS])["edit"]
    assert {change["textDocument"]["uri"] for change in edit["documentChanges"]} == set(files.uris)


def test_the_other_file_need_not_be_open(client: LspClient, tmp_path: Path) -> None:
    texts = [
        shader.source.decode() for shader in (vertex(*CASES["packing"][0]), fragment(*CASES["packing"][1]))
    ]
    paths = [tmp_path / "a.vert.nir", tmp_path / "a.frag.nir"]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    uri = client.open(paths[0], texts[0])
    found = client.wait_for_diagnostics(uri, lambda all_: any(one.get("code") == "packing" for one in all_))
    (finding,) = [one for one in found if one.get("code") == "packing"]
    assert finding["relatedInformation"][0]["location"]["uri"] == paths[1].as_uri()
    asked = {
        "textDocument": {"uri": uri},
        "range": finding["range"],
        "context": {"diagnostics": [finding], "only": ["quickfix"]},
    }
    offered = client.request("textDocument/codeAction", asked)
    whole = next(action for action in offered if action["title"].startswith(WHOLE_PASS))
    edit = client.request("codeAction/resolve", whole)["edit"]
    versions = {
        change["textDocument"]["uri"]: change["textDocument"]["version"] for change in edit["documentChanges"]
    }
    assert versions == {uri: 1, paths[1].as_uri(): None}
