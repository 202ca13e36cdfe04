"""Rewritings of a program that change nothing it computes: dead code, repeated code, another order."""

from __future__ import annotations

import random
from collections.abc import Sequence

from nirls.ir.effects.motion import can_reorder
from nirls.ir.io.access import io_access
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, JumpInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def


def add_dead_code(shader: Shader, seed: random.Random) -> None:
    """Insert operations on existing values, and on each other, whose results nothing reads."""
    for impl in shader.impls():
        for block in impl.blocks():
            scalars: list[Def] = []
            for instr in list(block):
                value = instr.def_
                if value is None or value.bit_size != 32:
                    continue
                if value.num_components > 1 or isinstance(instr, PhiInstr):
                    continue
                scalars.append(value)
                if seed.random() < 0.3:
                    builder = _after(impl, instr)
                    op = seed.choice(("fadd", "fmul", "fmax", "iadd"))
                    scalars.append(builder.alu(op, [value, seed.choice(scalars)], 1, 32))


def repeat_code(shader: Shader, seed: random.Random) -> None:
    """Compute values a second time for some of their uses."""
    for impl in shader.impls():
        for block in impl.blocks():
            for instr in list(block):
                value = instr.def_
                if value is None or isinstance(instr, PhiInstr) or len(value.uses) < 2:
                    continue
                is_pure = not isinstance(instr, IntrinsicInstr) or can_reorder(instr)
                if not is_pure or seed.random() < 0.5:
                    continue
                twin = _after(impl, instr).copy(instr).def_
                if twin is not None:
                    for src in seed.sample(list(value.uses), len(value.uses) // 2):
                        src.set_def(twin)


def reorder(shader: Shader, seed: random.Random) -> None:
    """Shuffle the instructions of each block as far as their dependences let them."""
    for impl in shader.impls():
        for block in impl.blocks():
            for instr in _shuffled(list(block), shader.stage, seed):
                instr.unlink()
                block.append(instr)


def _after(impl: FunctionImpl, instr: Instr) -> Builder:
    assert instr.block is not None
    return Builder(impl, instr.block, instr.next)


def _shuffled(instrs: Sequence[Instr], stage: Stage | None, seed: random.Random) -> list[Instr]:
    """Return the instructions of a block in a random order; phis stay in front, a jump at the end."""
    waits_for: dict[Instr, set[Instr]] = {}
    for position, instr in enumerate(instrs):
        before = instrs[:position]
        sources = {src.def_instr for src in instr.all_srcs()}
        waits_for[instr] = {
            other
            for other in before
            if other in sources
            or isinstance(other, PhiInstr)
            or isinstance(instr, PhiInstr | JumpInstr)
            or _keep_order(other, instr, stage)
        }
    found: list[Instr] = []
    while waits_for:
        ready = [instr for instr, others in waits_for.items() if not others]
        chosen = seed.choice(ready)
        found.append(chosen)
        del waits_for[chosen]
        for others in waits_for.values():
            others.discard(chosen)
    return found


def _keep_order(one: Instr, other: Instr, stage: Stage | None) -> bool:
    for instr in (one, other):
        if instr.reg_dest is not None:
            return True
    if _is_pure(one) or _is_pure(other):
        return False
    stored, also = _stored(one, stage), _stored(other, stage)
    return stored is None or also is None or not stored.isdisjoint(also)


def _is_pure(instr: Instr) -> bool:
    if isinstance(instr, IntrinsicInstr):
        return can_reorder(instr)
    return isinstance(instr, AluInstr) or instr.kind in ("load_const", "undef", "deref")


def _stored(instr: Instr, stage: Stage | None) -> frozenset[int] | None:
    """Return the halves that a store to an output may write; None for any other instruction."""
    if not isinstance(instr, IntrinsicInstr) or not instr.name.startswith("store_"):
        return None
    access = io_access(instr, stage)
    return access.halves if access is not None and access.is_store else None
