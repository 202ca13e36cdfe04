"""The values that may be read at a place, from lines alone."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from nirls.ir.analysis.dominance import DominatorTree, dominance, instr_order
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import PhiInstr
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.cursor.scope import Scope

FLOW = b"""\
    block b0:
    32     %0 = undefined
    loop {
        block b1:
        32     %1 = undefined
        if %0 {
            block b2:
            32     %2 = undefined
            break
        } else {
            block b3:
            32     %3 = undefined
        }
        block b4:
        32     %4 = undefined
        if %0 {
            block b5:
            32     %5 = undefined
            continue
        } else {
            block b6:
        }
        block b7:
        32     %7 = undefined
    }
    block b8:
    32     %8 = undefined
"""


def names_behind(text: bytes, mark: bytes) -> list[str]:
    end = text.index(mark) + len(mark)
    return sorted(value.name for value in Scope(text, 0, text.find(b"\n", end)).values())


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (b"%2 =", ["%0", "%1", "%2"]),
        (b"%3 =", ["%0", "%1", "%3"]),
        # The other side of the if breaks, so what is on this side is there behind it.
        (b"%4 =", ["%0", "%1", "%3", "%4"]),
        (b"%7 =", ["%0", "%1", "%3", "%4", "%7"]),
        # Only the break leads behind the loop.
        (b"%8 =", ["%0", "%1", "%2", "%8"]),
    ],
)
def test_structured_flow(mark: bytes, expected: list[str]) -> None:
    assert names_behind(FLOW, mark) == expected


def test_older_lines() -> None:
    text = b"\tvec4 32 con ssa_3 = fadd ssa_1, ssa_2\n\tvec1 ssa_4 = undefined\n\tr0.x = fadd ssa_3, ssa_3\n"
    found = Scope(text, 0, len(text)).values()
    assert [(value.name, value.num_components, value.bit_size) for value in found] == [
        ("ssa_4", 1, 0),
        ("ssa_3", 4, 32),
    ]
    assert found[1].operation(text) == "fadd ssa_1, ssa_2"


def test_the_end_of_a_block() -> None:
    scope = Scope(FLOW, 0, len(FLOW))
    assert [value.name for value in scope.values_at_end_of("b2")] == ["%2", "%1", "%0"]
    assert scope.values_at_end_of("b99") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [(b"}\n}\n", []), (b"} else {\n", []), (b"break\n", []), (b"loop {\n}\n32 %1 = undef\n", ["%1"])],
)
def test_broken_structure(text: bytes, names: list[str]) -> None:
    assert [value.name for value in Scope(text, 0, len(text)).values()] == names


@pytest.mark.sweep
def test_deep_nesting_is_no_trouble() -> None:
    depth = 20_000
    text = (
        b"loop {\n"
        + b"if %0 {\n32 %1 = undef\nbreak\n" * depth
        + b"} else {\n}\n" * depth
        + b"}\n32 %2 = undef\n"
    )
    assert [value.name for value in islice(Scope(text, 0, len(text)).values(), 2)] == ["%2", "%1"]


@pytest.mark.sweep
def test_it_is_dominance(corpus: Path) -> None:
    files = sorted(corpus.glob("pipelines/*/*/*.nir"))[::37] + sorted(corpus.glob("old/*"))
    checked = 0
    for path in files:
        text = path.read_bytes()
        shader = parse_dump(text)
        for impl in shader.impls():
            checked += _compare(text, impl)
    assert checked > 500


def _compare(text: bytes, impl: FunctionImpl) -> int:
    tree = dominance(impl)
    order = instr_order(impl)
    instrs = list(impl.instrs())
    assert impl.span is not None
    for instr in instrs[::11]:
        assert instr.span is not None
        assert instr.block is not None
        if not tree.is_reachable(instr.block):
            continue
        line_start = text.rfind(b"\n", 0, instr.span.start) + 1
        expected = {
            other.def_.index
            for other in instrs
            if other.def_ is not None
            and other.block is not None
            and (
                order.comes_before(other, instr)
                if other.block is instr.block
                else tree.dominates(other.block, instr.block)
            )
        }
        assert _numbers(Scope(text, impl.span.end, line_start).values()) == expected
    return len(instrs[::11]) + _compare_phis(text, impl, tree)


def _compare_phis(text: bytes, impl: FunctionImpl, tree: DominatorTree) -> int:
    assert impl.span is not None
    assert impl.end_span is not None
    scope = Scope(text, impl.span.end, impl.end_span.end)
    prefix = "b" if b"%" in text else "block_"
    checked = 0
    for phi in impl.instrs():
        if not isinstance(phi, PhiInstr):
            continue
        for src in phi.sources:
            if tree.is_reachable(src.pred):
                expected = {
                    instr.def_.index
                    for instr in impl.instrs()
                    if instr.def_ is not None
                    and instr.block is not None
                    and tree.dominates(instr.block, src.pred)
                }
                assert _numbers(scope.values_at_end_of(f"{prefix}{src.pred.index}")) == expected
                checked += 1
    return checked


def _numbers(values: list[object]) -> set[int]:
    return {int(value.name.lstrip("%").removeprefix("ssa_")) for value in values}  # type: ignore[attr-defined]
