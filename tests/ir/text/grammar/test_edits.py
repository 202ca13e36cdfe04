"""A tree that follows edits is the tree of the text as it then is."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tree_sitter import Parser, Point, Tree

from nirls.ir.text import grammar
from nirls.ir.text.grammar import LANGUAGE
from tests.ir.text.grammar.syntax_trees import parse, read_examples, walk

FOLDER = Path(grammar.__file__).parent / "test" / "corpus"
SAMPLES = [
    b"\n".join(example.text for example in read_examples(path)) + b"\nlog text\n"
    for path in sorted(FOLDER.glob("*.txt"))
]
TYPED = [
    b"",
    b"a",
    b"1",
    b" ",
    b"{",
    b"}\n",
    b"\n",
    b"\n\n",
    b"32 %1 = mov %2\n",
    b"/*",
    b"//",
    b"shader: X\n",
    b"(",
    b"\t}",
]


def point(text: bytes, at: int) -> Point:
    return Point(text.count(b"\n", 0, at), at - (text.rfind(b"\n", 0, at) + 1))


def nodes(tree: Tree) -> list[tuple[str, int, int, str | None]]:
    return [
        (node.type, node.start_byte, node.end_byte, cursor.field_name)
        for cursor in walk(tree)
        if (node := cursor.node) is not None
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sample", range(len(SAMPLES)))
def test_edited_tree_is_the_tree_of_the_text(sample: int, seed: int) -> None:
    chance = random.Random(seed)
    parser = Parser(LANGUAGE)
    text = SAMPLES[sample]
    tree = parser.parse(text)
    for _ in range(25):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.choice([0, 0, 1, 3, 40]))
        typed = chance.choice(TYPED)
        edited = text[:start] + typed + text[end:]
        new_end = start + len(typed)
        tree.edit(start, end, new_end, point(text, start), point(text, end), point(edited, new_end))
        tree = parser.parse(edited, tree)
        text = edited
        assert nodes(tree) == nodes(parse(text)), (start, end, typed)
