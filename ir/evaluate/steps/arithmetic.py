"""ALU instructions: `nirls.ir.evaluate.alu` with swizzles, old source modifiers, and undefined values."""
# Arithmetic on arrays of any element type has the type Any in numpy.
# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nirls.ir.evaluate.alu import QUAD_OPCODES, UnsupportedOpcode, alu_operation, evaluate_alu
from nirls.ir.evaluate.alu_operation import AluOperation, container_type, decode, encode, split_type
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.rounding import Rounding
from nirls.ir.evaluate.state import State, Step
from nirls.ir.evaluate.value import Value, either
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.values import AluSrc

if TYPE_CHECKING:
    from nirls.ir.evaluate.program import Compiler, Reader

Array = NDArray[Any]
_VECTOR_OPCODES = frozenset({"vec2", "vec3", "vec4", "vec5", "vec8", "vec16"})


@dataclass(frozen=True, slots=True)
class Plan:
    """How to compute one opcode on sources of known sizes."""

    operation: AluOperation
    source_types: tuple[tuple[str, int], ...]
    dest_base: str
    dest_bit_size: int
    dest_components: int
    common_bit_size: int

    def decoded(self, sources: list[Array]) -> list[Array]:
        """Raw bits as what the opcode computes with."""
        if self.operation.raw:
            return sources
        return [decode(bits, *kind) for bits, kind in zip(sources, self.source_types, strict=True)]

    def compute(self, values: list[Array]) -> Array:
        """Raw bits of the result, from decoded sources."""
        if self.operation.wants_bit_size:
            result = self.operation.compute(*values, bit_size=self.common_bit_size)
        else:
            result = self.operation.compute(*values)
        bits = encode(result, self.dest_base, self.dest_bit_size)
        if len(bits) == self.dest_components:
            return bits
        return np.repeat(bits, self.dest_components, axis=0)


@lru_cache(4096)
def plan_of(opcode: str, dest_components: int, dest_bit_size: int, sizes: tuple[int, ...]) -> Plan:
    """The plan for an opcode. Raises `Unsupported` for an unknown opcode or sizes that do not fit it."""
    try:
        operation = alu_operation(opcode, dest_bit_size)
        rows = [operation.rows(number) or dest_components for number in range(len(sizes))]
        trial = [np.zeros((count, 1), container_type(size)) for count, size in zip(rows, sizes, strict=True)]
        with np.errstate(all="ignore"):
            evaluate_alu(
                opcode,
                trial,
                dest_components=dest_components,
                dest_bit_size=dest_bit_size,
                source_bit_sizes=sizes,
            )
    except (UnsupportedOpcode, ValueError, KeyError, IndexError) as problem:
        raise Unsupported(f"{opcode} of {dest_components} components and {dest_bit_size} bits") from problem
    base = split_type(operation.output_type)[0]
    if operation.raw and base != "bool":
        base = "uint"
    unsized = [
        size for kind, size in zip(operation.input_types, sizes, strict=True) if split_type(kind)[1] == 0
    ]
    common = dest_bit_size if split_type(operation.output_type)[1] == 0 else (unsized or [32])[0]
    return Plan(
        operation,
        tuple((split_type(kind)[0], size) for kind, size in zip(operation.input_types, sizes, strict=True)),
        base,
        dest_bit_size,
        dest_components,
        common,
    )


def alu_step(compiler: Compiler, instr: AluInstr) -> Step:
    """What runs an ALU instruction."""
    if instr.op in QUAD_OPCODES:
        from nirls.ir.evaluate.steps.quads import derivative_of_alu

        return derivative_of_alu(compiler, instr)
    components, bit_size = destination_shape(instr)
    sizes = tuple(src.bit_size for src in instr.sources)
    write = compiler.write(instr)
    if instr.op in _VECTOR_OPCODES:
        return _vector_step([alu_reader(compiler, instr, src) for src in instr.sources], write)
    if instr.op in ("mov", "fmov", "imov") and "sat" not in instr.flags:
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
    rounding = Rounding.of(instr, plan)
    selects = is_selection(instr.op)
    undefined = plan.operation.undefined
    saturate = plan_of("fsat", components, bit_size, (bit_size,)) if "sat" in instr.flags else None

    def step(state: State) -> None:
        sources = [read(state) for read in readers]
        decoded = plan.decoded([source.bits for source in sources])
        bits = plan.compute(decoded)
        result = Value(bits, bit_size)
        for source in sources:
            if source.poison is not None:
                result.poison = _poison(sources, plan, selects)
                break
        if undefined is not None:
            unknown = undefined(*decoded)
            if unknown.any():
                result.poison = either(result.poison, np.broadcast_to(unknown, bits.shape))
        if state.track:
            for source in sources:
                if source.fragile is not None:
                    marks = [source.fragile for source in sources]
                    result.fragile = combine_marks(marks, sources, plan, selects)
                    break
            rounding.follow(sources, decoded, result)
        if saturate is not None:
            result.bits = saturate.compute(saturate.decoded([bits]))
        write(state, result)

    return step


def destination_shape(instr: AluInstr) -> tuple[int, int]:
    """Components and bits of what an ALU instruction computes."""
    if instr.def_ is not None:
        return instr.def_.num_components, instr.def_.bit_size
    dest = instr.reg_dest
    if dest is None:
        raise Unsupported(f"{instr.op} without destination")
    # Register form writes the components of the mask; the swizzles have one entry for each component
    # of the register, or one for each bit of the mask.
    widest = max((len(src.swizzle) for src in instr.sources), default=1)
    if alu_operation(instr.op, dest.reg.bit_size).output_size:
        widest = alu_operation(instr.op, dest.reg.bit_size).output_size
    return widest, dest.reg.bit_size


def alu_reader(compiler: Compiler, instr: AluInstr, src: AluSrc, base: str | None = None) -> Reader:
    """What reads a source with its swizzle and modifiers; `base` is the type it is read as."""
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
    """A reader of some components of what another reader gets."""
    if swizzle == tuple(range(width)):
        return read
    if any(component >= width for component in swizzle):
        raise Unsupported("a swizzle beyond the value's components")
    if len(swizzle) == 1:
        (only,) = swizzle
        return lambda state: read(state).component(only)
    rows = list(swizzle)

    def pick(state: State) -> Value:
        value = read(state)
        return Value(
            value.bits[rows],
            value.bit_size,
            None if value.poison is None else value.poison[rows],
            None if value.error is None else value.error[rows],
            None if value.fragile is None else value.fragile[rows],
        )

    return pick


def _vector_step(readers: list[Reader], write: Callable[[State, Value], None]) -> Step:
    from nirls.ir.evaluate.value import stack

    return lambda state: write(state, stack([read(state) for read in readers]))


def is_selection(opcode: str) -> bool:
    """Whether an opcode picks its second or third source by the first."""
    return opcode in ("bcsel", "b8csel", "b16csel", "b32csel", "fcsel", "fcsel_gt", "fcsel_ge") or (
        opcode.startswith(("i32csel_", "fcsel_"))
    )


def _poison(sources: list[Value], plan: Plan, selects: bool) -> Array | None:
    """Where the result is undefined because of what it was made from."""
    return combine_marks([source.poison for source in sources], sources, plan, selects)


def combine_marks(marks: list[Array | None], sources: list[Value], plan: Plan, selects: bool) -> Array | None:
    """Marks on the sources carried to the components of the result that depend on them.

    A selection depends on the side it takes; the other side may be undefined.
    """
    if selects and len(sources) == 3:
        truth = selects_first(sources[0], plan)
        result = marks[0]
        if marks[1] is not None:
            result = either(result, marks[1] & truth)
        if marks[2] is not None:
            result = either(result, marks[2] & ~truth)
        return None if result is None else np.broadcast_to(result, (plan.dest_components, result.shape[1]))
    result = None
    for number, mark in enumerate(marks):
        if mark is None:
            continue
        if plan.operation.rows(number) or plan.operation.output_size:
            mark = np.broadcast_to(mark.any(axis=0, keepdims=True), (plan.dest_components, mark.shape[1]))
        result = either(result, mark)
    return result


def selects_first(condition: Value, plan: Plan) -> Array:
    """Where a selection takes its second source."""
    name = plan.operation.name
    if name in ("bcsel", "b8csel", "b16csel", "b32csel"):
        return condition.bits != 0
    value = decode(condition.bits, "float" if name.startswith("f") else "int", condition.bit_size)
    with np.errstate(invalid="ignore"):
        if name.endswith("_gt"):
            return np.greater(value, 0)
        if name.endswith("_ge"):
            return np.greater_equal(value, 0)
        return np.not_equal(value, 0)
