"""Estimation of the Mesa release that printed a dump."""

from __future__ import annotations

from typing import Final

from nirls.ir.model.shader import Dialect, Shader

NEWEST: Final = "26.2"
_RELEASE_OF_DIALECT = {Dialect.CLASSIC: "22.3", Dialect.OLD: "2020"}


def estimated_release(shader: Shader) -> str:
    """Return the closest known release or era: `26.2`, `25.0`, `22.3`, `2020`.

    Since 26 the header has `max_subgroup_size`. Before, modern dumps are of 23.3 to 25, classic ones of 2021
    to 2023, old ones of earlier years.
    """
    if shader.dialect is not Dialect.MODERN:
        return _RELEASE_OF_DIALECT[shader.dialect]
    return NEWEST if shader.header_value("max_subgroup_size") is not None else "25.0"
