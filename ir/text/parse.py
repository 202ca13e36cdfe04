"""Parsing of dumps and documents to IR."""

from __future__ import annotations

import gc
from typing import Final

from tree_sitter import Parser, Point, Tree

from nirls.ir.model.shader import Shader
from nirls.ir.text.grammar import LANGUAGE
from nirls.ir.text.log_parts import dump_texts
from nirls.ir.text.lowering.tree import lower

_PARSED_AT_ONCE: Final = 1 << 14
"""Bytes that tree-sitter parses in about 5 ms, during which no other thread runs."""


def parse_tree(text: bytes, old_tree: Tree | None = None) -> Tree:
    """Parse a text to a syntax tree, incrementally given `old_tree`, edited with `Tree.edit`."""
    parser = Parser(LANGUAGE)
    if len(text) <= _PARSED_AT_ONCE:
        return parser.parse(text) if old_tree is None else parser.parse(text, old_tree)
    # The binding never frees what a reader returns, so views are returned, which are released at the end.
    views: list[memoryview] = []

    def read(offset: int, _: Point) -> memoryview:
        views.append(memoryview(text)[offset:])
        return views[-1]

    try:
        if old_tree is None:
            tree = parser.parse(read, progress_callback=_let_other_threads_run)
        else:
            tree = parser.parse(read, old_tree, progress_callback=_let_other_threads_run)
        # A tree keeps its source for `Node.text`. Nothing has changed, so this takes no time.
        return parser.parse(text, tree)
    finally:
        for view in views:
            view.release()


def _let_other_threads_run(offset: int, has_error: bool) -> bool:
    """Return to tree-sitter whether to stop; Python may run other threads when it is called."""
    return False


def parse_dump(text: bytes, tree: Tree | None = None) -> Shader:
    """Parse one dump to IR, from its text (and its syntax tree, if the caller has it).

    Never raises: unreadable lines are listed in `Shader.unreadable`, numbers used but not defined in
    `FunctionImpl.undefined_references`. Spans are relative to the start of `text`.
    """
    tree = tree or parse_tree(text)
    # Lowering creates many objects with cross references and frees none: garbage collection during it finds
    # nothing. With 20 dumps alive, it would take 45 % of the time instead of 31 %.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return lower(tree.root_node, text)
    finally:
        if was_enabled:
            gc.enable()


def parse_shaders(data: bytes) -> list[Shader]:
    """Parse every dump of a document to IR, in order, without log prefixes."""
    return [parse_dump(text) for text in dump_texts(data)]
