"""Function bodies for the tests of analyses: by hand from a nested list, or at random."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, CfNode, CfParent, FunctionImpl, If, Loop
from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.shader import Function, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src

# A body is a list of statements: ("if", then, else), ("loop", body), or a jump word.
Statement = tuple[object, ...] | str
Body = list[Statement]


def jumps() -> st.SearchStrategy[str]:
    return st.sampled_from(["break", "continue", "return"])


def random_bodies(max_leaves: int = 12) -> st.SearchStrategy[Body]:
    """Structured bodies with jumps wherever they are allowed or not (outside of loops they are dropped)."""
    return st.recursive(
        st.lists(jumps(), max_size=1),
        lambda inner: st.lists(
            st.one_of(
                st.tuples(st.just("if"), inner, inner),
                st.tuples(st.just("loop"), inner),
                jumps(),
            ),
            max_size=3,
        ),
        max_leaves=max_leaves,
    )


def new_shader(stage: Stage = Stage.FRAGMENT) -> tuple[Shader, FunctionImpl]:
    """A shader with an empty entry point."""
    function = Function("main", is_entrypoint=True)
    impl = FunctionImpl(function)
    function.impl = impl
    return Shader(stage, functions=[function]), impl


def add_block(nodes: list[CfNode], parent: CfParent) -> Block:
    block = Block(0)
    block.parent = parent
    nodes.append(block)
    return block


def build_body(impl: FunctionImpl, body: Body, condition: Callable[[Builder], Def] | None = None) -> None:
    """Fill an empty function from the nested list; `condition` makes the value that each if tests."""
    make = condition if condition is not None else (lambda build: build.load_const([1], 1))
    _fill(impl, impl.body, impl, body, make, in_loop=False)
    renumber(impl)


def _fill(
    impl: FunctionImpl,
    nodes: list[CfNode],
    parent: CfParent,
    body: Body,
    condition: Callable[[Builder], Def],
    *,
    in_loop: bool,
) -> None:
    block = add_block(nodes, parent)
    for statement in body:
        if isinstance(statement, str):
            if in_loop or statement == "return":
                block.append(JumpInstr(statement))
                return
            continue
        if statement[0] == "if":
            node = If(Src(condition(Builder(impl, block))))
            node.parent = parent
            nodes.append(node)
            _fill(impl, node.then_body, node, list(statement[1]), condition, in_loop=in_loop)  # type: ignore[call-overload]
            _fill(impl, node.else_body, node, list(statement[2]), condition, in_loop=in_loop)  # type: ignore[call-overload]
        else:
            loop = Loop()
            loop.parent = parent
            nodes.append(loop)
            _fill(impl, loop.body, loop, list(statement[1]), condition, in_loop=True)  # type: ignore[call-overload]
        block = add_block(nodes, parent)


def renumber(impl: FunctionImpl) -> None:
    """Number the blocks in printed order and link them."""
    blocks = [*impl.blocks(), impl.end_block]
    for index, block in enumerate(blocks):
        block.index = index
    impl.link_blocks()
