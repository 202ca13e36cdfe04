"""Escaping of untrusted text for terminals and CI logs."""

from __future__ import annotations

CI_COMMAND = "##["
"""Marker of a GitHub workflow command, effective anywhere in a line of a log."""


def printable(text: str) -> str:
    """Expand tabs and escape other control characters and `##[`, as in Python literals."""
    text = text.expandtabs(8).replace(CI_COMMAND, "##\\x5b")
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)


def printable_line(text: str) -> str:
    """`printable` for the start of a line, where `::` begins a CI command."""
    shown = printable(text)
    return f"./{shown}" if shown.lstrip().startswith("::") else shown
