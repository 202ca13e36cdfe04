"""Text to IR: the one entry for everybody who has the bytes of a dump or of a document."""

from __future__ import annotations

import gc

from tree_sitter import Parser, Tree

from nirls.ir.model.shader import Shader
from nirls.ir.text.grammar import LANGUAGE
from nirls.ir.text.log_parts import dump_texts
from nirls.ir.text.lowering.tree import lower


def parse_tree(text: bytes, old_tree: Tree | None = None) -> Tree:
    """The syntax tree of a text; `old_tree`, edited with `Tree.edit`, makes it cost what changed."""
    parser = Parser(LANGUAGE)
    return parser.parse(text) if old_tree is None else parser.parse(text, old_tree)


def parse_dump(text: bytes, tree: Tree | None = None) -> Shader:
    """The IR of one dump, from its text (and its syntax tree, where the caller has it).

    Never raises: unreadable lines are listed in `Shader.unreadable`, numbers used but not defined in
    `FunctionImpl.undefined_references`. Spans are relative to the start of `text`.
    """
    tree = tree or parse_tree(text)
    # Lowering makes many objects that refer to each other and frees none: a collection in the middle
    # of it walks them all for nothing and takes as long as the work itself.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return lower(tree.root_node, text)
    finally:
        if was_enabled:
            gc.enable()


def parse_shaders(data: bytes) -> list[Shader]:
    """The IR of every dump of a document, in order; log prefixes are no part of it."""
    return [parse_dump(text) for text in dump_texts(data)]
