from __future__ import annotations

from nirls.server.engine.splice import Splice


def test_growth_is_the_change_in_length() -> None:
    assert Splice(3, 5, 9).growth == 4
    assert Splice(3, 5, 3).growth == -2
