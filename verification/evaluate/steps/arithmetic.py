"""ALU instructions: `alu.run` with swizzles, old source modifiers, and undefined values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import count

import numpy as np

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.values import AluSrc
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.verification.evaluate.alu.flushing import Flush, combine_marks
from nirls.verification.evaluate.alu.rounding import Rounding
from nirls.verification.evaluate.alu.run import alu_operation, plan_of
from nirls.verification.evaluate.state.compiler import Compiler, Reader
from nirls.verification.evaluate.state.coverage import Coverage, combines, compares
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value, either, on_any_component, stack


def alu_step(compiler: Compiler, instr: AluInstr) -> Step:
    """Compile an ALU instruction."""
    components, bit_size = destination_shape(instr)
    sizes = tuple(src.bit_size for src in instr.sources)
    write = compiler.write(instr)
    if instr.op in VECTORS:
        return _vector_step([alu_reader(compiler, instr, src) for src in instr.sources], write)
    if instr.op in MOVES and "sat" not in instr.flags:
        read = alu_reader(compiler, instr, instr.sources[0])
        return lambda state: write(state, read(state))
    plan = plan_of(instr.op, components, bit_size, sizes)
    readers = [
        alu_reader(compiler, instr, src, plan.source_types[n][0]) for n, src in enumerate(instr.sources)
    ]
    for number, src in enumerate(instr.sources):
        rows = plan.operation.rows(number) or components
        if len(src.swizzle) < rows:
            raise Unsupported(f"{instr.op} with {len(src.swizzle)} of {rows} components")
    rounding = Rounding.of(instr, plan, compiler.float_controls)
    flush = Flush.of(plan, compiler.float_controls)
    undefined = plan.operation.undefined
    saturate = plan_of("fsat", components, bit_size, (bit_size,)) if "sat" in instr.flags else None

    decides, joins = compares(instr), combines(instr)
    raw = [(compiler.read(src), src.swizzle) for src in instr.sources]
    modifiers = tuple((src.negate, src.abs) for src in instr.sources)
    operation = (instr.op, instr.flags, components, bit_size, sizes, modifiers)
    number = _number_of(*operation, compiler.float_controls)

    def compute(state: State, sources: list[Value], decoded: list[Array]) -> Value:
        bits = plan.compute(decoded)
        lost = None
        if flush is not None:
            lost = flush.lost(bits) if state.track else None
            bits = flush.result(bits)
        result = Value(bits, bit_size)
        for source in sources:
            if source.poison is not None:
                result.poison = combine_marks([source.poison for source in sources], sources, plan)
                break
        if undefined is not None and not (plan.operation.saturates and state.options.saturates):
            unknown = undefined(*decoded)
            if unknown.any():
                result.poison = either(result.poison, np.broadcast_to(unknown, bits.shape))
        if state.track:
            for source in sources:
                if source.fragile is not None:
                    marks = [source.fragile for source in sources]
                    result.fragile = combine_marks(marks, sources, plan)
                    break
            rounding.follow(
                sources,
                decoded,
                result,
                rounds_alike=instr.def_ in state.options.unchanged,
                is_uncounted=instr in state.options.uncounted,
                marks_inexact=state.options.marks_inexact,
                flushed=lost,
                is_coarse=state.options.is_coarse,
            )
        if saturate is not None:
            result.bits = saturate.compute(saturate.decoded([bits]))
        return result

    def step(state: State) -> None:
        options, results = state.options, state.environment.results
        tracking = (
            options.track_error,
            options.track_error and options.marks_inexact,
            options.saturates,
            options.is_coarse,
            instr.def_ in options.unchanged,
            instr in options.uncounted,
        )
        rows: list[int] = [number, *tracking]
        for read, swizzle in raw:
            rows += results.rows(read(state), swizzle)
        key = tuple(rows)
        result = results.get(key)
        is_noted = decides and options.coverage is not None
        if result is None or is_noted:
            sources = [read(state) for read in readers]
            decoded = plan.decoded([source.bits for source in sources])
            if flush is not None:
                decoded = flush.sources(decoded)
            if decides and options.coverage is not None:
                _note_sides(state, options.coverage, instr, sources, decoded)
            if result is None:
                result = results.keep(key, compute(state, sources, decoded))
        if joins and options.coverage is not None:
            options.coverage.combine(instr, result.bits, state.masks.certain())
        write(state, result)

    return step


_NUMBERS = count(-1, -1)


@cache
def _number_of(*what: object) -> int:
    """Return a number that is different for each operation, negative like that of no row."""
    return next(_NUMBERS)


_SATURATION_BOUND = np.ones((1, 1), np.float32)


def _note_sides(
    state: State, coverage: Coverage, instr: AluInstr, sources: list[Value], decoded: list[Array]
) -> None:
    """Record the coverage of a comparison on the active, defined lanes."""
    usable = state.masks.certain()
    for source in sources:
        if source.poison is not None:
            usable = usable & ~on_any_component(source.poison)
    left = decoded[0]
    right = decoded[1] if len(decoded) > 1 else np.broadcast_to(_SATURATION_BOUND, left.shape)
    coverage.compare(instr, left, right, usable)


def destination_shape(instr: AluInstr) -> tuple[int, int]:
    """Return the component count and bit size of an ALU instruction's result."""
    if instr.def_ is not None:
        return instr.def_.num_components, instr.def_.bit_size
    dest = instr.reg_dest
    if dest is None:
        raise Unsupported(f"{instr.op} without destination")
    # Register form writes the components of the write mask; the swizzles have one entry for each component
    # of the register, or one for each bit of the mask.
    widest = max((len(src.swizzle) for src in instr.sources), default=1)
    if alu_operation(instr.op, dest.reg.bit_size).output_size:
        widest = alu_operation(instr.op, dest.reg.bit_size).output_size
    return widest, dest.reg.bit_size


def alu_reader(compiler: Compiler, instr: AluInstr, src: AluSrc, base: str | None = None) -> Reader:
    """Compile the read of a source with its swizzle and modifiers; `base` is the type it is read as."""
    read = compiler.read(src)
    swizzle = src.swizzle
    plain = swizzled(read, swizzle, src.num_components)
    if not src.negate and not src.abs:
        return plain
    bit_size = src.bit_size
    if base is None:
        base = "int" if instr.op.startswith("i") else "float"
    prefix = "f" if base == "float" else "i"
    names = (f"{prefix}abs",) * src.abs + (f"{prefix}neg",) * src.negate
    plans = [plan_of(name, len(swizzle), bit_size, (bit_size,)) for name in names]

    def modified(state: State) -> Value:
        value = plain(state)
        bits = value.bits
        for plan in plans:
            bits = plan.compute(plan.decoded([bits]))
        return Value(bits, bit_size, value.poison, value.error, value.fragile)

    return modified


def swizzled(read: Reader, swizzle: tuple[int, ...], width: int) -> Reader:
    """Return a reader that swizzles the value of another reader."""
    if swizzle == tuple(range(width)):
        return read
    if any(component >= width for component in swizzle):
        raise Unsupported("a swizzle beyond the value's components")
    if len(swizzle) == 1:
        (only,) = swizzle
        return lambda state: read(state).component(only)
    rows = list(swizzle)
    return lambda state: read(state).at(rows)


def _vector_step(readers: list[Reader], write: Callable[[State, Value], None]) -> Step:
    return lambda state: write(state, stack([read(state) for read in readers]))
