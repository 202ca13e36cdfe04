"""Ifs whose branches rejoin: a lane can run both and go on behind them.

The evaluator runs both branches where a condition is undefined. That is sound if a branch does nothing but
compute values and store them in places of its own lane, where they can be marked as undefined.
"""

from __future__ import annotations

from nirls.ir.effects import effects_of
from nirls.ir.io.access import OUTPUT_STORES, captures
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import AluInstr, CallInstr, Instr, IntrinsicInstr, JumpInstr, TexInstr

_MARKED_STORES = frozenset(
    (
        *OUTPUT_STORES,
        *("store_reg", "store_reg_indirect", "store_deref", "copy_deref", "memcpy_deref"),
    )
)
"""Stores whose step marks what an undecided lane stores, see `State.stored`."""

_OWN_MEMORIES = frozenset(("output", "register"))
_LOCAL_JUMPS = frozenset(("break", "continue"))


class ControlRegion:
    """The branches of an if or the body of a loop, or the whole function, while it is compiled."""

    __slots__ = ("_jumps", "_rejoins", "is_loop")

    def __init__(self, *, is_loop: bool = False) -> None:
        self.is_loop = is_loop
        self._rejoins = True
        self._jumps = False

    @property
    def rejoins(self) -> bool:
        """Whether a lane can run all of it with marked stores, and go on behind it."""
        return self._rejoins and not self._jumps

    def add(self, block: Block) -> None:
        """Account for the instructions of a block."""
        if not self._rejoins:
            return
        for instr in block:
            if isinstance(instr, JumpInstr) and instr.jump_kind in _LOCAL_JUMPS:
                self._jumps = True
            elif not _is_marked_or_pure(instr):
                self._rejoins = False
                return

    def add_inner(self, inner: ControlRegion) -> None:
        """Account for an if or a loop inside; a loop ends its own jumps."""
        self._rejoins &= inner._rejoins
        self._jumps |= inner._jumps and not inner.is_loop


def _is_marked_or_pure(instr: Instr) -> bool:
    if isinstance(instr, CallInstr | JumpInstr):
        return False
    if not isinstance(instr, AluInstr | IntrinsicInstr | TexInstr):
        return True
    effects = effects_of(instr)
    if effects.is_everything or effects.exchange or effects.words - {"resource", "per-subgroup"}:
        return False
    if not effects.writes():
        return True
    return (
        isinstance(instr, IntrinsicInstr)
        and instr.name in _MARKED_STORES
        and not captures(instr)
        and all(access.memories <= _OWN_MEMORIES for access in effects.accesses if access.writes)
    )
