"""Syntax trees as text and as lines, for comparison. Nothing recurses: trees may be 100,000 levels deep."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Node, Parser, Tree, TreeCursor

from nirls.ir.text.grammar import LANGUAGE


def parse(text: bytes) -> Tree:
    """The tree of `text`."""
    return Parser(LANGUAGE).parse(text)


def walk(tree: Tree) -> Iterator[TreeCursor]:
    """The cursor at every node, parents first."""
    cursor = tree.walk()
    while True:
        yield cursor
        if cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return


def s_expression(tree: Tree) -> str:
    """The named nodes with their fields: `(source value: (ssa_ref))`, on one line."""
    parts: list[str] = []
    open_depths: list[int] = []
    for cursor in walk(tree):
        node = cursor.node
        if node is None or not node.is_named:
            continue
        while open_depths and open_depths[-1] >= cursor.depth:
            open_depths.pop()
            parts.append(")")
        field = f"{cursor.field_name}: " if cursor.field_name else ""
        parts.append(f"{' ' if parts else ''}{field}({node.type}")
        open_depths.append(cursor.depth)
    return "".join(parts) + ")" * len(open_depths)


def tokens_by_row(tree: Tree) -> dict[int, list[tuple[str, bytes]]]:
    """What each line was read as: its tokens' kinds and text."""
    rows: defaultdict[int, list[tuple[str, bytes]]] = defaultdict(list)
    for cursor in walk(tree):
        node = cursor.node
        if node is not None and not node.child_count and node.end_byte > node.start_byte:
            rows[node.start_point.row].append((node.type, node.text or b""))
    return dict(rows)


def nodes_of_kind(tree: Tree, *kinds: str) -> list[Node]:
    """All nodes of these kinds, in their order."""
    return [cursor.node for cursor in walk(tree) if cursor.node is not None and cursor.node.type in kinds]


class Example(NamedTuple):
    """One example of a `test/corpus` file: its name, text and expected tree."""

    name: str
    text: bytes
    tree: str


def read_examples(path: Path) -> list[Example]:
    """The examples of a file in the format of `tree-sitter test`."""
    lines = path.read_text(encoding="utf-8").split("\n")
    rules = [row for row, line in enumerate(lines) if line.startswith("====")]
    examples = []
    for above, below in zip(rules[::2], rules[1::2], strict=True):
        later = [row for row in rules if row > below]
        end = later[0] if later else len(lines)
        divider = lines.index("---", below, end)
        examples.append(
            Example(
                name=" ".join(lines[above + 1 : below]),
                text="\n".join(lines[below + 1 : divider]).encode(),
                tree=" ".join(" ".join(lines[divider + 1 : end]).split()).replace(" )", ")"),
            )
        )
    return examples
