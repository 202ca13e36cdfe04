"""Operations of which nothing is known but that they are functions of what they read.

Opcodes of releases that the tables do not know, and intrinsics of drivers that may be moved and repeated at
will: two that read the same make the same, and nothing else can be told of them. What depends on the stage
before, or on how inputs are interpolated, is none of these.
"""

from __future__ import annotations

import numpy as np

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import is_known, rule_of
from nirls.ir.evaluate.compiler import Compiler
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.state import State, Step
from nirls.ir.evaluate.steps.arithmetic import alu_reader
from nirls.ir.evaluate.value import Value, either, on_any_component
from nirls.ir.evaluate.wanted_types import wanted_base
from nirls.ir.model.instructions import AluInstr, DerefInstr, IntrinsicInstr
from nirls.ir.tables import intrinsic

_OF_A_LINK = frozenset(("io_semantics", "interp_mode"))
_KNOWN_ELSEWHERE = frozenset(("load_preamble", "load_param"))


def is_opaque_function(instr: IntrinsicInstr) -> bool:
    """Whether an intrinsic makes a value of what it reads and nothing more, as far as the tables tell."""
    entry = intrinsic(instr.name)
    return (
        entry is not None
        and entry.can_reorder
        and entry.has_dest
        and bool(entry.src_components)
        and _OF_A_LINK.isdisjoint(entry.indices)
        and instr.name not in _KNOWN_ELSEWHERE
        and not any(src.def_ is not None and isinstance(src.def_.instr, DerefInstr) for src in instr.sources)
    )


def opaque_function_step(compiler: Compiler, instr: IntrinsicInstr | AluInstr) -> Step:
    """The same for the same sources, indices and flags; on each lane anew where the lane goes into it.

    Raises `Unsupported` for an operation that makes no value.
    """
    if instr.def_ is None:
        raise Unsupported(instr.name if isinstance(instr, IntrinsicInstr) else instr.op)
    if isinstance(instr, AluInstr):
        readers = [alu_reader(compiler, instr, src) for src in instr.sources]
        what: tuple[object, ...] = (instr.op, *sorted(instr.flags & {"sat"}))
        differs = False
    else:
        readers = [compiler.read(src) for src in instr.sources]
        what = (instr.name, *((name, repr(value)) for name, value in instr.indices.items()))
        rule = rule_of(instr, Release.MESA_25_0)
        differs = is_known(instr.name) and rule.is_divergent_itself(None, DivergenceOptions())
    write = compiler.write(instr)
    width, bit_size = instr.def_.num_components, instr.def_.bit_size
    base = wanted_base(instr.def_)
    wanted = "bool" if bit_size == 1 else "uint" if base == "float" and bit_size == 8 else base

    def step(state: State) -> None:
        values = [read(state) for read in readers]
        parts = [row for value in values for row in value.bits]
        if differs:
            parts.append(state.lane_numbers)
        environment = state.environment
        kind, size = environment.settle(what, wanted, bit_size)
        hashes = environment.hashes_of([(*what, row) for row in range(width)], *parts)
        bits = environment.numbers(np.broadcast_to(hashes, (width, state.lanes)), kind, size)
        result = Value(bits, bit_size)
        for value in values:
            _mark(result, value)
        write(state, result)

    return step


def _mark(result: Value, value: Value) -> None:
    """What is made of something undefined is undefined; of something rounded, anything."""
    shape = result.bits.shape
    if value.poison is not None:
        result.poison = either(result.poison, np.broadcast_to(on_any_component(value.poison), shape))
    if value.fragile is not None:
        result.fragile = either(result.fragile, np.broadcast_to(on_any_component(value.fragile), shape))
    if value.error is not None and value.error.any():
        result.fragile = either(result.fragile, np.broadcast_to(on_any_component(value.error > 0), shape))
