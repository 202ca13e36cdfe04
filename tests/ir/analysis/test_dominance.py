from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.ir.analysis.dominance import (
    UNREACHABLE,
    DominatorTree,
    def_dominates_use,
    dominance,
    dominators_of_graph,
    instr_order,
    post_dominance,
)
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import JumpInstr, PhiInstr
from nirls.ir.model.values import AluSrc, PhiSrc
from tests.ir.analysis.function_bodies import Body, build_body, new_shader, random_bodies, renumber

Graph = list[list[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    count = draw(st.integers(1, 9))
    edges = st.lists(st.integers(0, count - 1), max_size=3)
    return [draw(edges) for _ in range(count)]


def reachable(successors: Graph, entry: int, without: int | None = None) -> set[int]:
    if entry == without:
        return set()
    seen, work = {entry}, [entry]
    while work:
        for target in successors[work.pop()]:
            if target != without and target not in seen:
                seen.add(target)
                work.append(target)
    return seen


def dominators_by_definition(successors: Graph, entry: int) -> list[set[int]]:
    """For each node the nodes without which it cannot be reached (and itself); all for unreachable ones."""
    everything = set(range(len(successors)))
    result = [{node} for node in everything]
    for removed in everything:
        for cut_off in everything - reachable(successors, entry, removed):
            result[cut_off].add(removed)
    return result


@given(graphs())
def test_immediate_dominator_is_the_lowest_strict_dominator(graph: Graph) -> None:
    expected = dominators_by_definition(graph, 0)
    live = reachable(graph, 0)
    for node, idom in enumerate(dominators_of_graph(graph, 0)):
        if node not in live:
            assert idom == UNREACHABLE
        elif node == 0:
            assert idom == 0
        else:
            strict = expected[node] - {node}
            assert idom in strict
            assert strict == expected[idom]


def test_irreducible_graph() -> None:
    # 0 enters the cycle 1 <-> 2 on both sides.
    assert dominators_of_graph([[1, 2], [2, 3], [1], []], 0) == [0, 0, 0, 1]


@pytest.mark.sweep
def test_long_chain_and_ladder_neither_recurse_nor_take_quadratic_time() -> None:
    size = 60_000
    assert size > sys.getrecursionlimit()
    chain = [[node + 1] for node in range(size - 1)] + [[]]
    assert dominators_of_graph(chain, 0) == [0, *range(size - 1)]
    # Two rails that both start at 0 and both reach the sink from every rung.
    sink = 2 * size + 1
    rails = [[1, 2]] + [[node + 2, sink] for node in range(1, 2 * size - 1)] + [[sink], [sink], []]
    idoms = dominators_of_graph(rails, 0)
    assert idoms[sink] == 0
    assert idoms[1:5] == [0, 0, 1, 2]


def body_graph(impl: FunctionImpl) -> tuple[list[Block], Graph]:
    blocks = [*impl.blocks(), impl.end_block]
    number = {block: index for index, block in enumerate(blocks)}
    return blocks, [[number[target] for target in block.successors] for block in blocks]


def check_tree(tree: DominatorTree, blocks: list[Block], graph: Graph, entry: int) -> None:
    expected = dominators_by_definition(graph, entry)
    live = reachable(graph, entry)
    for below, block in enumerate(blocks):
        assert tree.is_reachable(block) == (below in live)
        found = {above for above in range(len(blocks)) if tree.dominates(blocks[above], block)}
        assert found == expected[below]
        frontier = {
            join
            for join in live
            if any(join in graph[pred] and below in expected[pred] for pred in live)
            and (below not in expected[join] or below == join)
        }
        assert {blocks.index(join) for join in tree.frontier(block)} == (frontier if below in live else set())
    assert {blocks.index(block) for block in tree.preorder()} == live
    assert all(tree.idom(child) is block for block in blocks for child in tree.children(block))


@given(random_bodies())
def test_trees_of_structured_bodies(body: Body) -> None:
    _, impl = new_shader()
    build_body(impl, body)
    blocks, graph = body_graph(impl)
    check_tree(dominance(impl), blocks, graph, 0)
    backwards: Graph = [[] for _ in blocks]
    for node, targets in enumerate(graph):
        for target in targets:
            backwards[target].append(node)
    check_tree(post_dominance(impl), blocks, backwards, len(blocks) - 1)


def test_gotos_to_the_start_and_irreducible_cycles() -> None:
    _, impl = new_shader()
    for index, targets in enumerate([(1, 2), (2,), (1, 3), (0,)]):
        block = Block(index)
        block.append(JumpInstr("goto_if" if len(targets) == 2 else "goto", (), targets))
        block.parent = impl
        impl.body.append(block)
    renumber(impl)
    blocks, graph = body_graph(impl)
    assert graph[3] == [0]
    check_tree(dominance(impl), blocks, graph, 0)
    # Nothing leads out, so no block has a post-dominator of its own.
    tree = post_dominance(impl)
    assert all(tree.idom(block) is None and not tree.is_reachable(block) for block in blocks[:-1])
    assert tree.dominates(blocks[3], blocks[0])


def test_unreachable_block_is_dominated_by_all_and_dominates_none_that_is_live() -> None:
    _, impl = new_shader()
    build_body(impl, [("loop", [])])
    start, header, after = impl.blocks()
    tree = dominance(impl)
    assert tree.idom(after) is None
    assert tree.dominates(header, after)
    assert not tree.dominates(after, header)
    assert tree.dominates(start, header)
    stranger = Block(99)
    assert tree.dominates(header, stranger)
    assert not tree.dominates(stranger, header)
    assert tree.idom(stranger) is None
    assert tree.frontier(stranger) == ()


def test_function_without_a_block_has_only_its_end() -> None:
    _, impl = new_shader()
    tree = dominance(impl)
    assert tree.root is impl.end_block
    assert tree.idom(impl.end_block) is None


def test_def_dominates_use_follows_order_phis_and_conditions() -> None:
    _, impl = new_shader()
    build_body(impl, [("if", [], [])])
    first, then_block, else_block, after = impl.blocks()
    node = next(node for node in impl.cf_nodes() if isinstance(node, If))
    value = Builder(impl, then_block).load_const([5], 32)
    phi = PhiInstr([PhiSrc(then_block, value), PhiSrc(else_block, value)])
    phi.make_def(50, 1, 32)
    after.prepend(phi)
    assert phi.def_ is not None
    later = Builder(impl, after).alu("mov", [phi.def_], 1, 32)
    assert later.instr is not None
    tree, order = dominance(impl), instr_order(impl)
    assert order.block_before(node) is first
    assert def_dominates_use(tree, order, node.condition.ssa, node.condition)
    assert def_dominates_use(tree, order, value, phi.sources[0])
    assert not def_dominates_use(tree, order, value, phi.sources[1])
    assert def_dominates_use(tree, order, phi.def_, later.instr.srcs()[0])
    assert not def_dominates_use(tree, order, value, later.instr.srcs()[0])
    assert not def_dominates_use(tree, order, value, AluSrc(value, (0,)))


def test_use_above_its_definition_in_one_block_is_not_dominated() -> None:
    _, impl = new_shader()
    build_body(impl, [])
    block = impl.blocks()[0]
    value = Builder(impl, block).load_const([1], 32)
    reader = Builder(impl, block).alu("mov", [value], 1, 32).instr
    reader.unlink()
    block.prepend(reader)
    order = instr_order(impl)
    assert reader in order
    assert not def_dominates_use(dominance(impl), order, value, reader.srcs()[0])
