from __future__ import annotations

import os
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nirls.server.ide.graphs import svg
from nirls.server.ide.graphs.dot import to_dot
from nirls.server.ide.graphs.graph import Graph, Node, NodeKind
from nirls.server.ide.graphs.svg import LayoutError, to_svg
from tests.server.ide.graphs.layout import can_lay_out

HOSTILE = '</script><img src=x onerror="alert(1)">&lt;b&gt;'
NAMESPACE = "{http://www.w3.org/2000/svg}"


def hostile_graph() -> str:
    return to_dot(Graph(HOSTILE, [Node("n_1", (HOSTILE, HOSTILE), NodeKind.INSTR, None, HOSTILE)]))


@pytest.mark.skipif(
    not can_lay_out(), reason="neither the program dot nor the package pygraphviz is installed"
)
def test_names_from_dumps_are_text_and_nothing_else() -> None:
    root = ElementTree.fromstring(to_svg(hostile_graph()))
    allowed = {"svg", "g", "polygon", "title", "text", "path", "ellipse"}
    assert {element.tag.removeprefix(NAMESPACE) for element in root.iter()} <= allowed
    assert HOSTILE in {"".join(text.itertext()) for text in root.iter(f"{NAMESPACE}text")}
    assert [element.get("id") for element in root.iter() if element.get("class") == "node"] == ["n_1"]


@pytest.mark.skipif(
    not can_lay_out(), reason="neither the program dot nor the package pygraphviz is installed"
)
def test_the_element_alone() -> None:
    assert to_svg(to_dot(Graph("x"))).startswith("<svg")


def test_the_program_is_used_where_it_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "dot"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nprint('<?xml?><svg>', len(sys.stdin.read()), '</svg>')\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert to_svg("digraph {}") == "<svg> 10 </svg>\n"
    assert can_lay_out()


def test_a_program_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "dot").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LayoutError, match="failed"):
        to_svg("digraph {}")


def test_a_program_of_the_folder_at_hand_is_not_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "dot").write_text("#!/bin/sh\necho '<svg></svg>'\n")
    (tmp_path / "dot").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", ""]))
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert not can_lay_out()


def test_nothing_to_lay_out_with(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    assert not can_lay_out()
    with pytest.raises(LayoutError, match="install Graphviz"):
        svg.to_svg("digraph {}")
