"""The line that says what linking saves."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.passes.link_potential.potential import InterfaceCounts, Side
from nirls.passes.varyings.packing.table import CellGroup, Half, PackingCell, PackingTable, PairPacking
from nirls.server.ide.packing.link_savings import potential_text, savings_text


def table(*places: tuple[int, int]) -> PackingTable:
    return PackingTable(
        tuple(PackingCell(slot, component, Half.WHOLE, CellGroup.FLAT, 32, "") for slot, component in places)
    )


def pair(before: PackingTable, after: PackingTable, moved: int = 0, obstacle: str = "") -> PairPacking:
    return PairPacking(Stage.VERTEX, Stage.FRAGMENT, before, after, obstacle, moved)


SMALLER = pair(table((32, 0), (33, 0), (34, 0)), table((32, 0)))
SAME = pair(table((32, 0)), table((32, 0)))


@pytest.mark.parametrize(
    ("pairs", "position", "text"),
    [
        ([SMALLER], 0, "linking saves 2 scalars and 2 vec4 slots"),
        ([SMALLER], 1, "linking saves 2 scalars and 2 vec4 slots"),
        ([SMALLER, SMALLER], 0, "linking saves 2 scalars and 2 vec4 slots"),
        ([SMALLER, SMALLER], 1, "linking saves 4 scalars and 4 vec4 slots"),
        ([pair(table((32, 0), (33, 0)), table((32, 0), (32, 1)))], 0, "linking saves 1 vec4 slot"),
        ([SAME], 0, "linking saves nothing more"),
        ([pair(SAME.before, SAME.after, moved=1)], 0, "linking moves 1 instruction"),
        (
            [pair(SMALLER.before, SMALLER.after, 3)],
            0,
            "linking saves 2 scalars and 2 vec4 slots, moves 3 instructions",
        ),
        ([pair(table(), table(), obstacle="it is a payload")], 0, "it is a payload"),
        (
            [pair(table(), table(), obstacle="it is a payload"), SMALLER],
            1,
            "linking saves 2 scalars and 2 vec4 slots",
        ),
        ([], 0, "varyings not analyzed"),
    ],
)
def test_line(pairs: list[PairPacking], position: int, text: str) -> None:
    assert savings_text(pairs, position) == text


def side(before: InterfaceCounts, after: InterfaceCounts, unmatched: InterfaceCounts) -> Side:
    return Side("inputs", Stage.VERTEX, before, after, unmatched, {})


@pytest.mark.parametrize(
    ("sides", "text"),
    [
        ([], "no varyings that linking could change"),
        (
            [side(InterfaceCounts(5, 3, 20), InterfaceCounts(3, 1, 16), InterfaceCounts(0, 0, 9))],
            "linking would save 2 scalars, 2 vec4 slots and 4 instructions,"
            " up to 5 scalars with what the partner does not use",
        ),
        (
            [side(InterfaceCounts(1, 1, 4), InterfaceCounts(1, 1, 4), InterfaceCounts(0, 0, 1))] * 2,
            "linking could save up to 2 scalars, if the partner does not use them",
        ),
        (
            [side(InterfaceCounts(2, 1, 4), InterfaceCounts(2, 1, 3), InterfaceCounts(2, 1, 4))],
            "linking would save 1 instruction",
        ),
        (
            [side(InterfaceCounts(2, 1, 4), InterfaceCounts(2, 1, 4), InterfaceCounts(2, 1, 4))],
            "linking saves nothing",
        ),
    ],
)
def test_line_without_a_partner(sides: list[Side], text: str) -> None:
    assert potential_text(sides) == text
