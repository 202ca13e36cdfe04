"""The Mesa releases of each dialect: completion offers only what the dump's release can print."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.model.shader import Dialect
from nirls.ir.tables import Intrinsic, intrinsic

RELEASES: Mapping[Dialect, frozenset[str]] = {
    Dialect.MODERN: frozenset({"25.0", "26.2"}),
    Dialect.CLASSIC: frozenset({"22.3", "2021"}),
    Dialect.OLD: frozenset({"2015", "2016", "2017", "2018", "2019", "2020", "2021", "22.3"}),
}
"""The Mesa releases of a dialect, by their names in the tables."""


def intrinsic_of(name: str, dialect: Dialect) -> Intrinsic | None:
    """Return an intrinsic as defined in the dialect's releases, else its newest definition."""
    entry = intrinsic(name)
    if entry is None:
        return None
    forms = entry.forms()
    return next((form for form in forms if not RELEASES[dialect].isdisjoint(form.releases)), entry)
