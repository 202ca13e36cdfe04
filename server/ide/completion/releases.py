"""Intrinsics as the releases of a dialect have them: completion offers only what these can print."""

from __future__ import annotations

from nirls.ir.model.shader import Dialect
from nirls.ir.tables import Intrinsic, intrinsic
from nirls.ir.text.release import RELEASES_OF_DIALECT


def intrinsic_of(name: str, dialect: Dialect) -> Intrinsic | None:
    """Return an intrinsic as defined in the dialect's releases, else its newest definition."""
    entry = intrinsic(name)
    if entry is None:
        return None
    forms = entry.forms()
    return next((form for form in forms if not RELEASES_OF_DIALECT[dialect].isdisjoint(form.releases)), entry)
