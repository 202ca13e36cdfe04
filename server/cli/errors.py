"""What ends a command early, with a message for people instead of a traceback."""

from __future__ import annotations

FOUND = 1
"""Exit status: there are findings at or above the severity asked for."""

USAGE = 2
"""Exit status: wrong arguments, or nothing that could be read."""


class CommandError(Exception):
    """Wrong use of the command; the message says what and, where possible, what to do instead."""
