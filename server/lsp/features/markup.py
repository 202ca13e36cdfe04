"""Markdown for clients that show it, its plain text for all others."""

from __future__ import annotations

import re

from lsprotocol import types

_MARKS = re.compile(r"```nir\n|\n```|\*\*|`")


def markup(text: str, *, as_markdown: bool) -> dict[str, str]:
    """A `MarkupContent` as plain JSON."""
    kind = types.MarkupKind.Markdown if as_markdown else types.MarkupKind.PlainText
    return {"kind": kind.value, "value": text if as_markdown else _MARKS.sub("", text)}
