"""Tracebacks as text."""

from __future__ import annotations

import traceback


def trace_text(error: BaseException) -> str:
    """Format the traceback of an exception without markers below its source lines.

    To place these markers, Python 3.13 parses each line under the file name `<unknown>`; if that fails, it
    reads a file of this name in the working folder, which may be a workspace.
    """
    frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
    head = "Traceback (most recent call last):\n"
    return "".join((head, *frames.format(), *traceback.format_exception_only(error)))
