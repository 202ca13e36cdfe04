from __future__ import annotations

from itertools import pairwise

import pytest

from nirls.ir.analysis.compare import difference
from nirls.ir.model.control_flow import Block, CfNode, If, Loop
from nirls.ir.model.control_flow_edit import BlockSplitter, Replacement, replace_nodes
from nirls.ir.model.instructions import PhiInstr, UndefInstr
from nirls.ir.model.shader import Shader
from tests.passes.expectation import assert_valid, parse_body

HEAD = """
block b0:
1     %0 = @load_front_face
32    %1 = load_const (0x00000000)
"""
NESTED = f"""
{HEAD}
if %0 {{
    block b1:
    32 %2 = fneg %1
    if %0 {{
        block b2:
        32 %3 = fneg %2
    }} else {{
        block b4:
        32 %4 = fabs %2
    }}
    block b5:
    32 %5 = phi b2: %3, b4: %4
}} else {{
    block b6:
    32 %6 = fsat %1
}}
block b7:
32 %7 = phi b5: %5, b6: %6
32 %8 = fneg %7
block b8:
"""


def take_then(node: If | Loop, before: Block, after: Block) -> Replacement | None:
    return node.then_body if isinstance(node, If) else None


def take_else(node: If | Loop, before: Block, after: Block) -> Replacement | None:
    return node.else_body if isinstance(node, If) else None


def assert_alternates(shader: Shader) -> None:
    for impl in shader.impls():
        bodies: list[list[CfNode]] = [impl.body]
        while bodies:
            body = bodies.pop()
            assert isinstance(body[0], Block)
            assert isinstance(body[-1], Block)
            for one, other in pairwise(body):
                assert isinstance(one, Block) != isinstance(other, Block)
            for node in body:
                if not isinstance(node, Block):
                    bodies += node.bodies()
            # Blocks know where they are.
            for node in body:
                if isinstance(node, Block):
                    for instr in node:
                        assert instr.block is node


def test_branches_are_put_in_place_from_the_inside_out() -> None:
    shader = parse_body(NESTED)
    (impl,) = shader.impls()
    assert replace_nodes(impl, take_then)
    expected = parse_body(f"{HEAD}\n32 %2 = fneg %1\n32 %3 = fneg %2\n32 %8 = fneg %3\nblock b1:")
    assert difference(shader, expected) is None
    assert_alternates(shader)
    assert_valid(shader)


def test_other_branch_goes_with_all_that_is_in_it() -> None:
    shader = parse_body(NESTED)
    (impl,) = shader.impls()
    assert replace_nodes(impl, take_else)
    expected = parse_body(f"{HEAD}\n32 %6 = fsat %1\n32 %8 = fneg %6\nblock b1:")
    assert difference(shader, expected) is None
    # Nothing of what is gone still counts as a reader.
    constant = next(instr for instr in impl.instrs() if instr.kind == "load_const")
    assert constant.def_ is not None
    assert [user.def_.index for user in constant.def_.users() if not isinstance(user, If) and user.def_] == [
        6
    ]


def test_blocks_that_stay_keep_their_number() -> None:
    shader = parse_body(NESTED)
    (impl,) = shader.impls()
    inner = [node for node in impl.cf_nodes() if isinstance(node, If)][1]
    assert replace_nodes(impl, lambda node, before, after: node.then_body if node is inner else None)
    assert [block.index for block in impl.blocks()] == [0, 1, 6, 7]
    assert_valid(shader)


def test_nothing_to_replace() -> None:
    shader = parse_body(NESTED)
    (impl,) = shader.impls()
    assert not replace_nodes(impl, lambda node, before, after: None)
    assert difference(shader, parse_body(NESTED)) is None


def test_what_follows_a_jump_that_came_in_goes() -> None:
    shader = parse_body(
        f"""
        {HEAD}
        loop {{
            block b1:
            32 %9 = phi b0: %1, b4: %3
            if %0 {{
                block b2:
                break
            }} else {{
                block b3:
            }}
            block b4:
            32 %3 = fneg %9
        }}
        block b5:
        block b6:
        """
    )
    (impl,) = shader.impls()
    assert replace_nodes(impl, take_then)
    expected = parse_body(
        f"{HEAD}\nloop {{\nblock b1:\n32 %9 = phi b0: %1\nbreak\n}}\nblock b5:\nblock b6:", valid=False
    )
    assert difference(shader, expected) is None
    assert_alternates(shader)


def test_uses_of_what_is_gone_become_undefined() -> None:
    # Not valid: a value of a branch used behind the if, without a phi.
    shader = parse_body(
        f"{HEAD}\nif %0 {{\nblock b1:\n32 %2 = fneg %1\n}} else {{\nblock b2:\n}}\nblock b3:\n"
        "32 %3 = fneg %2\nblock b4:",
        valid=False,
    )
    (impl,) = shader.impls()
    assert replace_nodes(impl, take_else)
    assert isinstance(impl.start_block.first, UndefInstr)
    assert_valid(shader)


@pytest.mark.sweep
def test_deep_nesting_takes_no_stack_and_little_time() -> None:
    depth = 5_000
    lines = ["block b0:", "1 %0 = @load_front_face"]
    for level in range(depth):
        lines += ["if %0 {", f"block b{level + 1}:", f"1 %{level + 1} = inot %{level}"]
    for level in range(depth):
        lines += ["} else {", f"block b{depth + 2 * level + 1}:", "}", f"block b{depth + 2 * level + 2}:"]
    lines.append(f"block b{3 * depth + 2}:")
    shader = parse_body("\n".join(lines), valid=False)
    (impl,) = shader.impls()
    assert replace_nodes(impl, take_then)
    assert [len(list(block)) for block in impl.blocks()] == [depth + 1]


BODY = """
block b0:
1     %0 = @load_front_face
if %0 {
    block b1:
    32 %1 = load_const (0x00000001)
    32 %2 = iadd %1, %1
} else {
    block b2:
    32 %3 = load_const (0x00000003)
}
block b3:
32    %4 = phi b1: %2, b2: %3
32    %5 = iadd %4, %4
block b4:
"""


def test_an_if_in_the_middle_of_a_branch() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    b1 = impl.blocks()[1]
    add, condition = b1.last, impl.start_block.last
    assert add is not None
    assert condition is not None
    assert condition.def_ is not None
    node, rest = BlockSplitter(impl).insert_if(add, condition.def_)
    impl.link_blocks()
    assert_valid(shader)
    assert [block.index for block in impl.blocks()] == [0, 1, 6, 7, 5, 2, 3]
    assert rest.first is add
    assert node.parent is rest.parent is b1.parent
    phi = next(impl.blocks()[-1].phis())
    assert [src.pred for src in phi.sources] == [rest, impl.blocks()[-2]]


def test_an_if_within_the_new_one() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    add, condition = impl.blocks()[-1].last, impl.start_block.last
    assert add is not None
    assert condition is not None
    assert condition.def_ is not None
    splitter = BlockSplitter(impl)
    node, _ = splitter.insert_if(add, condition.def_)
    first = node.then_body[0]
    assert isinstance(first, Block)
    splitter.nest_if(first, condition.def_)
    impl.link_blocks()
    assert_valid(shader)
    assert len(node.then_body) == 3


def test_no_if_between_phis() -> None:
    shader = parse_body(BODY)
    (impl,) = shader.impls()
    phi, condition = impl.blocks()[-1].first, impl.start_block.last
    assert isinstance(phi, PhiInstr)
    assert condition is not None
    assert condition.def_ is not None
    with pytest.raises(ValueError, match="no phi"):
        BlockSplitter(impl).insert_if(phi, condition.def_)
