"""Print a shader with what is convergent and what is divergent in front of values, blocks and loops."""

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
    """The shader with `con` or `div` before each value, as Mesa prints it after divergence analysis.

    The three functions are asked about the values, blocks and loops of `shader` itself: whether a value
    differs between invocations, whether they may come to a block in different numbers, and whether they
    may leave a loop at different times. Only modern dumps print the last two. Numbers stay as they are;
    the columns of modern dumps grow by the width of the word. `shader` is not changed.
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
    """The same copy with `con` and `div`; the functions are asked about what is in that copy."""
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
