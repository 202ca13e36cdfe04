from __future__ import annotations

from nirls.ir.model.walks import closure, makers, operands_first
from tests.passes.shader_text import ONE, ZERO, shader

GRAPH = {"top": ["left", "right"], "left": ["leaf"], "right": ["leaf", "left"], "leaf": []}


def test_a_closure_has_every_node_once() -> None:
    assert list(closure(["left", "leaf"], GRAPH.__getitem__)) == ["left", "leaf"]
    assert set(closure(["top"], GRAPH.__getitem__)) == set(GRAPH)
    assert closure([], GRAPH.__getitem__) == {}


def test_a_closure_of_a_cycle_ends() -> None:
    assert list(closure([0], lambda number: [(number + 1) % 3])) == [0, 1, 2]


def test_operands_come_before_what_reads_them() -> None:
    known: dict[str, int] = {}
    for node in operands_first("top", GRAPH.__getitem__, known):
        assert all(operand in known for operand in GRAPH[node])
        known[node] = len(known)
    assert set(known) == set(GRAPH)
    assert list(operands_first("top", GRAPH.__getitem__, known)) == []


def test_operands_of_a_long_chain() -> None:
    known: set[int] = set()
    for number in operands_first(20_000, lambda number: [number - 1] if number else [], known):
        known.add(number)
    assert len(known) == 20_001


def test_makers_of_sources() -> None:
    impl = shader("VERTEX", ZERO, ONE, "32 %2 = fadd %0, %1", "32 %3 = fneg %99").entrypoint
    assert impl is not None
    zero, one, addition, negation = impl.instrs()
    assert list(makers(addition.srcs())) == [zero, one]
    assert list(makers(negation.srcs())) == []
