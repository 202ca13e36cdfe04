from __future__ import annotations

from nirls.server.engine.verification.unit import TransitionUnit
from nirls.server.ide.history.difference_view import FIRST, OTHER_CODE, difference_view
from tests.server.ide.history.test_transition_texts import BEFORE, UNIT


def test_both_snapshots_stand_side_by_side_with_values() -> None:
    view = difference_view(UNIT)
    assert view is not None
    lines = view.text.split("\n")
    assert lines[0].startswith("nir_c: both snapshots on invocation ")
    assert view.first is not None
    row = lines[view.first]
    assert row.startswith(FIRST)
    assert row.count("fsub") == 2
    left, right = (part.split()[0] for part in row.split(" = ")[2::2])
    assert left != right
    assert not [line for line in lines[4:] if line.startswith(OTHER_CODE)]


def test_code_that_one_side_lacks_is_marked() -> None:
    lines = BEFORE.decode().split("\n")
    store = next(number for number, line in enumerate(lines) if "VAR0" in line)
    view = difference_view(
        TransitionUnit(BEFORE, "\n".join(lines[:store] + lines[store + 1 :]).encode(), "nir_c")
    )
    assert view is not None
    assert view.first is not None
    assert "VAR0" not in view.text.split("\n")[view.first][100:]


def test_equal_snapshots_have_no_view() -> None:
    assert difference_view(TransitionUnit(BEFORE, BEFORE, "nir_c")) is None
