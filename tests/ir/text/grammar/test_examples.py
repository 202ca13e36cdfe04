"""The grammar's own examples, in tree-sitter's format, parse to the trees written beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text import grammar
from tests.ir.text.grammar.syntax_trees import Example, parse, read_examples, s_expression

FOLDER = Path(grammar.__file__).parent / "test" / "corpus"
EXAMPLES = [
    pytest.param(example, id=f"{path.stem}: {example.name}")
    for path in sorted(FOLDER.glob("*.txt"))
    for example in read_examples(path)
]


def test_there_are_examples_of_every_dialect() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} >= {"modern", "classic", "old", "structure"}
    assert len(EXAMPLES) >= 20


@pytest.mark.parametrize("example", EXAMPLES)
def test_example(example: Example) -> None:
    tree = parse(example.text)
    assert s_expression(tree) == example.tree
    assert not tree.root_node.has_error


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("line_end", [b"\r\n", b"  \r\n", b"\t\n"], ids=["crlf", "blanks-crlf", "tab"])
def test_line_ends_change_nothing(example: Example, line_end: bytes) -> None:
    assert s_expression(parse(example.text.replace(b"\n", line_end))) == example.tree


@pytest.mark.parametrize("example", EXAMPLES)
def test_blank_lines_change_nothing(example: Example) -> None:
    assert s_expression(parse(b"\n \n" + example.text.replace(b"\n", b"\n\t\n\n"))) == example.tree


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_last_line_needs_no_end(example: Example) -> None:
    assert s_expression(parse(example.text.rstrip(b"\n"))) == example.tree
