"""Operations of unknown meaning that are functions of their sources: equal sources give equal results.

These are opcodes without an evaluation, in the tables or not, and driver intrinsics that
may be reordered and repeated. Operations that depend on the previous stage or on how inputs are interpolated
are not among them, nor are those of an address in memory; an image or texture counts by which one it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from nirls.ir.analysis.divergence_options import DivergenceOptions, Release
from nirls.ir.analysis.divergence_rules import is_known, rule_of
from nirls.ir.model.glsl_types import opaque_kind
from nirls.ir.model.instructions import AluInstr, DerefInstr, IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.ir.tables import Opcode, intrinsic, opcode
from nirls.ir.tables.entries import split_type
from nirls.verification.evaluate.state.compiler import Compiler
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.arithmetic import alu_reader
from nirls.verification.evaluate.steps.derefs import pointer_reader
from nirls.verification.evaluate.surroundings.texture_sampling import handle_of_pointer
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value, either, on_any_component
from nirls.verification.evaluate.values.wanted_types import wanted_base

_OF_A_LINK = frozenset(("io_semantics", "interp_mode"))


def is_opaque_function(instr: IntrinsicInstr) -> bool:
    """Return whether an intrinsic is, by the tables, a function of its sources without effects."""
    entry = intrinsic(instr.name)
    return (
        entry is not None
        and entry.can_reorder
        and entry.has_dest
        and bool(entry.src_components)
        and _OF_A_LINK.isdisjoint(entry.indices)
        and all(opaque_kind(deref.type_name) is not None for deref in _derefs(instr))
    )


def takes_deref(instr: IntrinsicInstr) -> bool:
    """Return whether a source is a deref."""
    return any(_derefs(instr))


def _derefs(instr: IntrinsicInstr) -> Iterator[DerefInstr]:
    return (deref for src in instr.sources if isinstance(deref := src.def_instr, DerefInstr))


def opaque_function_step(compiler: Compiler, instr: IntrinsicInstr | AluInstr) -> Step:
    """Compile a hash of sources, indices and flags; it differs by lane if the operation does.

    Raises `Unsupported` for an operation without a def.
    """
    if instr.def_ is None:
        raise Unsupported(instr.name if isinstance(instr, IntrinsicInstr) else instr.op)
    if isinstance(instr, AluInstr):
        readers = [alu_reader(compiler, instr, src) for src in instr.sources]
        what: tuple[object, ...] = (instr.op, *sorted(instr.flags & {"sat"}))
        differs = False
        entry = opcode(instr.op)
    else:
        readers = [_reader(compiler, src) for src in instr.sources]
        entry = None
        what = (instr.name, *((name, repr(value)) for name, value in instr.indices.items()))
        rule = rule_of(instr, Release.MESA_25_0)
        differs = is_known(instr.name) and rule.is_divergent_itself(None, DivergenceOptions())
    # Passes exchange the sources of commutative opcodes, and split those that work component by component.
    width, bit_size = instr.def_.num_components, instr.def_.bit_size
    fixed = () if entry is None else entry.input_sizes
    is_per_component = isinstance(instr, AluInstr) and entry is not None and _fits(entry, instr, width)
    is_commutative = is_per_component and entry is not None and entry.is_commutative
    write = compiler.write(instr)
    base = wanted_base(instr.def_) if entry is None else split_type(entry.output_type)[0]
    wanted = "bool" if bit_size == 1 else "uint" if base == "float" and bit_size == 8 else base

    def step(state: State) -> None:
        values = [read(state) for read in readers]
        environment = state.environment
        kind, size = environment.settle((*what, bit_size), wanted, bit_size)
        sources = [value.bits for value in values]
        if is_commutative:
            sources[:2] = np.minimum(*sources[:2]), np.maximum(*sources[:2])
        if is_per_component:
            parts: list[Array] = []
            for bits, size_of_all in zip(sources, fixed, strict=True):
                parts += list(bits) if size_of_all else [bits]
            hashes = environment.hashes_of([what] * width, *parts)
        else:
            parts = [row for bits in sources for row in bits]
            if differs:
                parts.append(state.lane_numbers)
            hashes = environment.hashes_of([(*what, row) for row in range(width)], *parts)
        bits = environment.numbers(np.broadcast_to(hashes, (width, state.lanes)), kind, size)
        result = Value(bits, bit_size)
        for number, value in enumerate(values):
            _mark(result, value, by_component=is_per_component and not fixed[number])
        write(state, result)

    return step


def _reader(compiler: Compiler, src: Src) -> Callable[[State], Value]:
    """Compile the read of a source: its value, or the handle of the resource that it is."""
    if not isinstance(src.def_instr, DerefInstr):
        return compiler.read(src)
    pointer = pointer_reader(compiler, src)

    def handle(state: State) -> Value:
        bits, marks = handle_of_pointer(pointer(state), state.lanes)
        return marks.marked(Value(bits[None], 64))

    return handle


def _fits(entry: Opcode, instr: AluInstr, width: int) -> bool:
    """Return whether an instruction works per component, with the sizes of the table."""
    return (
        entry.output_size == 0
        and len(entry.input_sizes) == len(instr.sources)
        and all(
            len(src.swizzle) == (size or width)
            for src, size in zip(instr.sources, entry.input_sizes, strict=True)
        )
    )


def _mark(result: Value, value: Value, *, by_component: bool) -> None:
    """Propagate marks: undefined sources make the result undefined, inexact ones make it fragile."""
    shape = result.bits.shape

    def spread(mask: Array) -> Array:
        return np.broadcast_to(mask if by_component else on_any_component(mask), shape)

    if value.poison is not None:
        result.poison = either(result.poison, spread(value.poison))
    if value.fragile is not None:
        result.fragile = either(result.fragile, spread(value.fragile))
    if value.error is not None and value.error.any():
        result.fragile = either(result.fragile, spread(value.error > 0))
