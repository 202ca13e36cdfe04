"""A problem that validation finds in a dump."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nirls.ir.model.span import Span

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, how bad it is, and where.

    `code` is one of `catalogue.KINDS`. `message` names values as the dump prints them. `span` and the
    spans in `related` (the first definition, the declaration, ...) are relative to the dump.
    """

    code: str
    severity: Severity
    message: str
    span: Span
    related: tuple[tuple[Span, str], ...] = ()
