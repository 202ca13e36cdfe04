"""Printing of a shader with `con` and `div` before values, blocks and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nirls.ir.model.control_flow import Block, Loop
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.printing.printable import Printable


def print_with_divergence(
    shader: Shader,
    is_divergent: Callable[[Def], bool],
    is_block_divergent: Callable[[Block], bool],
    is_loop_divergent: Callable[[Loop], bool],
) -> bytes:
    """Print the shader with `con` or `div` before each value, as Mesa does after divergence analysis.

    The three functions are called with the values, blocks and loops of `shader` itself: whether a value
    differs between invocations, whether only some invocations may reach a block, and whether they may
    leave a loop at different times. Only modern dumps print the last two. Numbers are unchanged; the
    columns of modern dumps grow by the width of the word. `shader` is not modified.
    """
    printable = Printable.of(shader)
    copy = printable.shader
    defs: dict[Def, Def] = {}
    nodes: dict[Block | Loop, Block | Loop] = {}
    for impl, twin in zip(shader.impls(), copy.impls(), strict=True):
        defs.update(zip(twin.defs(), impl.defs(), strict=True))
        nodes.update(
            (node_twin, node)
            for node, node_twin in zip(impl.cf_nodes(), twin.cf_nodes(), strict=True)
            if isinstance(node, Block | Loop) and isinstance(node_twin, Block | Loop)
        )
    return marked(
        printable,
        lambda value: is_divergent(defs[value]),
        lambda block: isinstance(origin := nodes[block], Block) and is_block_divergent(origin),
        lambda loop: isinstance(origin := nodes[loop], Loop) and is_loop_divergent(origin),
    ).text()


def marked(
    printable: Printable,
    is_divergent: Callable[[Def], bool],
    is_block_divergent: Callable[[Block], bool],
    is_loop_divergent: Callable[[Loop], bool],
) -> Printable:
    """Mark a copy with `con` and `div`; the functions are called with objects of that copy."""
    for impl in printable.shader.impls():
        for value in impl.defs():
            value.divergent = is_divergent(value)
        for node in impl.cf_nodes():
            if isinstance(node, Block):
                node.divergent = is_block_divergent(node)
            elif isinstance(node, Loop):
                node.divergent = is_loop_divergent(node)
    style = printable.style
    functions = {
        impl.function.name: replace(style.function(impl.function.name), divergence=True)
        for impl in printable.shader.impls()
    }
    return replace(printable, style=replace(style, functions=functions))
