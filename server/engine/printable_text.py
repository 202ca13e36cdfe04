"""Text from files where people read it: what could steer a terminal or CI is shown, not sent."""

from __future__ import annotations

CI_COMMAND = "##["
"""GitHub takes this for a command wherever it stands in a line of a log."""


def printable(text: str) -> str:
    """The text with tabs as spaces, and other control characters as escapes like those of Python."""
    text = text.expandtabs(8).replace(CI_COMMAND, "##\\x5b")
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def printable_line(text: str) -> str:
    """The same for what begins a line: colons there begin a command of CI."""
    shown = printable(text)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown
