"""Exit statuses, and the error that ends a command with a message instead of a traceback."""

from __future__ import annotations

FOUND = 1
"""Exit status for findings at or above the given severity, or another negative result."""

USAGE = 2
"""Exit status for wrong arguments, no readable input, or an output that cannot be written."""


INTERNAL = 3
"""Exit status for an error of nirls itself or of a pass."""


class CommandError(Exception):
    """Wrong use of the command; the message states the error and, if possible, a remedy."""

    status = USAGE


class PassError(CommandError):
    """A pass raised an exception."""

    status = INTERNAL
