"""Shell completion of pass names and finding codes."""

from __future__ import annotations

from collections.abc import Iterator


def complete_passes(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the passes for the last word of `PASS,PASS`, with their summaries."""
    from nirls.passes import registry

    done, comma, word = incomplete.rpartition(",")
    for declared in registry.all_passes():
        if declared.name.startswith(word):
            yield f"{done}{comma}{declared.name}", declared.summary


def complete_code(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the codes for `explain`, with their titles."""
    from nirls.passes import registry
    from nirls.server.engine import checking

    for code, declared in checking.finding_codes(registry.all_passes()).items():
        if code.startswith(incomplete):
            yield code, declared.title
