from __future__ import annotations

import pytest

from nirls.server.engine.base.printable_text import printable, printable_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain %5", "plain %5"),
        ("\tx", "        x"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("größe\u202e", "größe\\u202e"),
        ("", ""),
        ("a ##[add-mask]e", "a ##\\x5badd-mask]e"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"), [("::error::a", "./::error::a"), ("\t::a", "./        ::a"), ("a::b", "a::b")]
)
def test_printable_line(text: str, shown: str) -> None:
    assert printable_line(text) == shown
