"""Parsing of dumps and documents to IR."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Final

from tree_sitter import Parser, Point, Tree

from nirls.ir.model.shader import Shader
from nirls.ir.text.grammar import LANGUAGE
from nirls.ir.text.log_parts import dump_texts
from nirls.ir.text.lowering.tree import lower

_CHUNK: Final = 1 << 14
"""Bytes that tree-sitter parses at once, in about 5 ms."""


def parse_tree(text: bytes, old_tree: Tree | None = None) -> Tree:
    """Parse a text to a syntax tree, incrementally given `old_tree`, edited with `Tree.edit`."""
    parser = Parser(LANGUAGE)
    source = text if len(text) <= _CHUNK else _chunks_of(text)
    return parser.parse(source) if old_tree is None else parser.parse(source, old_tree)


def _chunks_of(text: bytes) -> Callable[[int, Point], bytes]:
    """Return a reader of a text: tree-sitter lets other threads run only when it calls Python."""
    return lambda offset, _: text[offset : offset + _CHUNK]


def parse_dump(text: bytes, tree: Tree | None = None) -> Shader:
    """Parse one dump to IR, from its text (and its syntax tree, if the caller has it).

    Never raises: unreadable lines are listed in `Shader.unreadable`, numbers used but not defined in
    `FunctionImpl.undefined_references`. Spans are relative to the start of `text`.
    """
    tree = tree or parse_tree(text)
    # Lowering creates many objects with cross references and frees none: garbage collection during it
    # finds nothing and takes as long as lowering itself.
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
