"""The documentation page of each kind of finding, which diagnostics link to."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path


@cache
def page_of(code: str) -> str | None:
    """The URI of the page about a kind of finding, None where the package has no page of that name."""
    path = Path(str(files("nirls.server").joinpath("rules", f"{code}.md")))
    return path.as_uri() if path.is_file() else None
