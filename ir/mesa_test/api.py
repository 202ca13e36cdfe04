"""What differs between the releases of Mesa whose C API tests are written for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nirls.ir.tables.releases import RELEASES

OLDEST: Final = "25.0"
"""Tests are written for this release or a later one."""

_NEW_API_FROM: Final = "26.2"
_EXPONENTS_FROM: Final = "25.1"


@dataclass(frozen=True, slots=True)
class MesaApi:
    """The C API and the printer of one release. `release` is one that the tables know (`25.0`)."""

    release: str

    @property
    def is_since_26(self) -> bool:
        """Whether it is that of Mesa 26: `fp_math_ctrl` for `exact` and `fp_fast_math`, `nir_def_instr`."""
        return self._is_from(_NEW_API_FROM)

    @property
    def prints_exponents(self) -> bool:
        """Whether floats from a million on are printed as `%e`."""
        return self._is_from(_EXPONENTS_FROM)

    def maker(self, value: str) -> str:
        """Return the expression for the instruction that defines a value."""
        return f"nir_def_instr({value})" if self.is_since_26 else f"{value}->parent_instr"

    def as_intrinsic(self, value: str) -> str:
        """Return the expression for the intrinsic that defines a value."""
        if self.is_since_26:
            return f"nir_def_as_intrinsic({value})"
        return f"nir_instr_as_intrinsic({self.maker(value)})"

    def as_alu(self, value: str) -> str:
        """Return the expression for the ALU instruction that defines a value."""
        return f"nir_def_as_alu({value})" if self.is_since_26 else f"nir_instr_as_alu({self.maker(value)})"

    def _is_from(self, release: str) -> bool:
        return RELEASES.index(self.release) >= RELEASES.index(release)


def mesa_api(version: str) -> MesaApi:
    """Return the API of a version: `25.0`, `25.0.7`, `26`. Raises ValueError for one that is not supported.

    A version between known releases has the API of the older one, `26` that of the newest 26.x.
    """
    numbers = _numbers(version)
    known = [release for release in RELEASES if _numbers(release) >= _numbers(OLDEST)]
    fitting = [release for release in known if _numbers(release)[: len(numbers)] <= numbers[:2]]
    if not fitting or numbers[0] > _numbers(RELEASES[-1])[0]:
        raise ValueError(f"tests can be written for Mesa {OLDEST} to {RELEASES[-1]}, not for {version}")
    chosen = fitting[-1]
    # 26.0 and 26.1 have no table of their own; their API is nearer to that of 26.2.
    if numbers[0] == _numbers(RELEASES[-1])[0]:
        chosen = RELEASES[-1]
    return MesaApi(chosen)


def _numbers(version: str) -> tuple[int, ...]:
    """Split a version into numbers. Raises ValueError for other text."""
    try:
        return tuple(int(part) for part in version.split("."))
    except ValueError:
        raise ValueError(f"{version!r} is no version of Mesa, such as 25.0 or 26") from None
