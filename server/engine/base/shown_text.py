"""Text for people: untrusted text in terminals and CI logs, and tracebacks."""

from __future__ import annotations

import traceback

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


def trace_text(error: BaseException) -> str:
    """Format the traceback of an exception without markers below its source lines.

    To place these markers, Python 3.13 parses each line under the file name `<unknown>`; if that fails, it
    reads a file of this name in the working folder, which may be a workspace.
    """
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
    head = "Traceback (most recent call last):\n"
    return "".join((head, *frames.format(), *traceback.format_exception_only(error)))
