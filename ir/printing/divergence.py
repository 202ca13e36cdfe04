"""Print a shader with what is convergent and what is divergent in front of values, blocks and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nirls.ir.clone import clone_shader
from nirls.ir.control_flow import Block, Loop
from nirls.ir.printing.remarks import remarks_for_clone
from nirls.ir.printing.render import fresh
from nirls.ir.printing.style import FunctionStyle, PrintStyle, impl_defs
from nirls.ir.shader import Shader
from nirls.ir.values import Def


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
    style = PrintStyle.of(shader)
    copy = clone_shader(shader)
    remarks = remarks_for_clone(shader, copy, style)
    for impl, twin in zip(shader.impls(), copy.impls(), strict=True):
        for value, value_twin in zip(impl_defs(impl), impl_defs(twin), strict=True):
            value_twin.divergent = is_divergent(value)
        for node, node_twin in zip(impl.cf_nodes(), twin.cf_nodes(), strict=True):
            if isinstance(node, Block) and isinstance(node_twin, Block):
                node_twin.divergent = is_block_divergent(node)
            elif isinstance(node, Loop) and isinstance(node_twin, Loop):
                node_twin.divergent = is_loop_divergent(node)
    functions = {
        impl.function.name: FunctionStyle(style.function(impl.function.name).number_width, True)
        for impl in copy.impls()
    }
    return fresh(copy, replace(style, functions=functions), remarks)
