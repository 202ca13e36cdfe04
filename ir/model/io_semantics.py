"""I/O semantics and transform feedback indices of input and output intrinsics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST_SLOTS: Final = 128
"""No stage has more slots (Mesa: VARYING_SLOT_MAX); a dump may claim any number."""


@dataclass(frozen=True, slots=True)
class IoSemantics:
    """Slot and flags of an input or output access (Mesa: `nir_io_semantics`).

    `location` is the slot number of Mesa's enumeration for the stage and direction
    (`gl_vert_attrib`, `gl_varying_slot` or `gl_frag_result`; see `nirls.ir.model.slots`); -1 where the dump
    prints `UNKNOWN`. `num_slots` is above 1 for an indirectly indexed range. `flags` holds the flag
    words as Mesa prints them after the slots, in order (`no_varying`, `no_sysval_output`,
    `high_16bits`, `invariant`, `perview`, `dualsrc`, `fbfetch`, ...); `values` the flags that carry
    numbers, as printed: `("gs_streams", "x=0 y=0 z=0 w=0")`.
    """

    location: int
    num_slots: int = 1
    flags: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()

    @property
    def slots(self) -> range:
        """The declared slots: at least one, at most `MOST_SLOTS`."""
        return range(self.location, self.location + min(max(self.num_slots, 1), MOST_SLOTS))

    def has(self, flag: str) -> bool:
        """Whether the flag word is set."""
        return flag in self.flags

    def with_flag(self, flag: str) -> IoSemantics:
        """Return the semantics with a flag word set, in Mesa's printed order."""
        if flag in self.flags:
            return self
        words = {*self.flags, flag}
        ordered = [word for word in FLAG_ORDER if word in words]
        rest = [word for word in (*self.flags, flag) if word not in FLAG_ORDER]
        return IoSemantics(self.location, self.num_slots, (*ordered, *rest), self.values)


FLAG_ORDER: tuple[str, ...] = (
    "explicit_strict",
    "dualsrc",
    "fbfetch",
    "coherent",
    "perview",
    "mediump",
    "high_16bits",
    "invariant",
    "high_dvec2",
    "no_varying",
    "no_sysval_output",
    "no_validate",
)


@dataclass(frozen=True, slots=True)
class XfbOutputs:
    """Components of a store captured by transform feedback (Mesa: `nir_io_xfb`).

    `outputs` has an entry for each captured run: (first component, number of components, buffer, offset
    in bytes), as printed. `xfb()` has no entries.
    """

    outputs: tuple[tuple[int, int, int, int], ...] = ()
