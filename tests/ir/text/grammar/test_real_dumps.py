"""Every dump of the corpus is read whole, and text between dumps is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ir.text.grammar.syntax_trees import nodes_of_kind, parse

pytestmark = pytest.mark.sweep

UNREAD = ("ERROR", "unreadable_line", "stray_brace")


@pytest.mark.parametrize(
    "pattern",
    ["pipelines/*/modern/*.nir", "pipelines/*/classic/*.nir", "old/*.nir", "varyings/*.txt", "logs/*.log"],
)
def test_every_line_is_read(corpus: Path, pattern: str) -> None:
    paths = sorted(corpus.glob(pattern))
    assert paths
    for path in paths:
        tree = parse(path.read_bytes())
        assert not tree.root_node.has_error, path
        unread = [(node.start_point.row + 1, node.text) for node in nodes_of_kind(tree, *UNREAD)]
        assert not unread, path


@pytest.mark.parametrize("pattern", ["varyings/*.txt", "logs/*.log"])
def test_dumps_begin_at_their_shader_line(corpus: Path, pattern: str) -> None:
    for path in sorted(corpus.glob(pattern)):
        text = path.read_bytes()
        tree = parse(text)
        begins = [row for row, line in enumerate(text.split(b"\n")) if line.startswith(b"shader: ")]
        assert [node.start_point.row for node in nodes_of_kind(tree, "dump")] == begins, path
        between = [line for line in text.split(b"\n") if line.startswith((b"=== ", b"nir_"))]
        assert [node.text for node in nodes_of_kind(tree, "text_line")] == between, path
