"""Text from files where people read it: what could steer a terminal or reorder a line is shown, not sent."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with tabs as spaces, and other control characters as escapes like those of Python."""
    text = text.expandtabs(8)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
