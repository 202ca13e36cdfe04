"""Gain of moving an expression into the producer, counted before anything changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.values import Def
from nirls.passes.varyings.interface.scalar_slots import Interface
from nirls.passes.varyings.motion.backward_motion import Motion


@dataclass(frozen=True, slots=True)
class MotionGain:
    """Varyings and ALU instructions of the consumer, before and after."""

    varyings_before: int
    varyings_after: int
    instructions_before: int
    instructions_after: int

    @property
    def saved(self) -> int:
        """Varyings saved; if their number stays the same, instructions saved."""
        varyings = self.varyings_before - self.varyings_after
        return varyings or self.instructions_before - self.instructions_after


def gain_of(interface: Interface, motion: Motion) -> MotionGain:
    """Return the gain of a motion: the code and the inputs that only the moved expressions use go."""
    dead = _only_used_by(motion.instrs)
    stay = {slot for slot in motion.slots if not dead.issuperset(slot.input_loads)} | {*motion.targets}
    alu = sum(isinstance(instr, AluInstr) for instr in interface.consumer_impl.instrs())
    # A boolean is sent as a number, which the consumer compares with zero.
    compared = sum(instr.def_ is not None and instr.def_.bit_size == 1 for instr in motion.instrs)
    moved = sum(isinstance(instr, AluInstr) for instr in dead)
    return MotionGain(len(motion.slots), len(stay), alu, alu - moved + compared)


def _only_used_by(roots: Iterable[Instr]) -> set[Instr]:
    """Return instructions, and those that become dead with them."""
    dead = set(roots)
    work = list(dead)
    while work:
        for src in work.pop().all_srcs():
            value = src.def_
            maker = None if value is None else value.instr
            if value is None or maker is None or maker in dead or not _is_dead(value, dead):
                continue
            dead.add(maker)
            work.append(maker)
    return dead


def _is_dead(value: Def, dead: set[Instr]) -> bool:
    return all(isinstance(user, Instr) and user in dead for user in value.users())
