"""Exit statuses, and the error that ends a command with a message instead of a traceback."""

from __future__ import annotations

FOUND = 1
"""Exit status for findings at or above the given severity, or another negative result."""

USAGE = 2
"""Exit status for wrong arguments or no readable input."""


class CommandError(Exception):
    """Wrong use of the command; the message states the error and, if possible, a remedy."""
