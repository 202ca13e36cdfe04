"""What a source must be, from its operation and the sources ahead of it."""

from __future__ import annotations

import pytest

from nirls.server.ide.completion.context import SourcePlace, ValueSize
from nirls.server.ide.completion.wanted import Wanted, wanted_source
from nirls.server.ide.cursor.scope import ScopeValue

VALUES = [ScopeValue("%1", 1, 16, 0, 0), ScopeValue("%2", 4, 32, 0, 0)]


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (SourcePlace("", "if", 0), Wanted(1, 1)),
        (SourcePlace("", "fadd", 0, ValueSize(1, 64)), Wanted(0, 64, False)),
        (SourcePlace("", "flt", 1, ValueSize(1, 1), ("%1",)), Wanted(0, 16, False)),
        (SourcePlace("", "f2f32", 0, ValueSize(1, 32)), Wanted(is_deref=False)),
        (SourcePlace("", "bcsel", 0, ValueSize(1, 32)), Wanted(0, 1, False)),
        (SourcePlace("", "bcsel", 1, ValueSize(1, 32), ("%3",)), Wanted(0, 32, False)),
        (SourcePlace("", "@load_deref", 0, ValueSize(1, 32)), Wanted(0, 0, True)),
        (SourcePlace("", "@load_ubo", 1, ValueSize(1, 32)), Wanted(1, 0, False)),
        (SourcePlace("", "phi", 0, ValueSize(3, 16)), Wanted(3, 16)),
        (SourcePlace("", "deref", 0), Wanted(is_deref=True)),
        (SourcePlace("", "tex", 0), Wanted()),
        (SourcePlace("", "nothing_of_the_kind", 0), Wanted(is_deref=False)),
        (SourcePlace("", "@nothing_of_the_kind", 9), Wanted()),
    ],
)
def test_wanted(place: SourcePlace, expected: Wanted) -> None:
    assert wanted_source(place, VALUES) == expected


def test_fitting() -> None:
    text = b"deref_var &a"
    assert Wanted(1, 16).fits(VALUES[0], text)
    assert not Wanted(1, 32).fits(VALUES[0], text)
    assert not Wanted(2).fits(VALUES[1], text)
    assert Wanted(is_deref=True).fits(VALUES[0], text)
    assert not Wanted(is_deref=False).fits(VALUES[0], text)
