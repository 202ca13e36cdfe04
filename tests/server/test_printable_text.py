from __future__ import annotations

import pytest

from nirls.server.printable_text import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain %5", "plain %5"),
        ("\tx", "        x"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("größe\u202e", "größe\\u202e"),
        ("", ""),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown
