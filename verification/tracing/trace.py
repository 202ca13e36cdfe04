"""The values of a run as plain data: of each definition on each invocation, and what the shader wrote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.ir.io.variables import variable_place
from nirls.ir.model.control_flow import Block, FunctionImpl, Loop
from nirls.ir.model.glsl_types import leaf_type
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type
from nirls.ir.tables.families import VECTORS
from nirls.verification.compare.results import key_text, place_text
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.steps.io_places import io_place
from nirls.verification.evaluate.storage.outputs import OutputStore
from nirls.verification.evaluate.surroundings.emitted import emitted_streams
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import MemoryCell, MemoryKey, ShaderResult
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value
from nirls.verification.evaluate.values.wanted_types import wanted_base
from nirls.verification.tracing.given_environment import GivenEnvironment, GivenInputs
from nirls.verification.tracing.given_values import GivenValues, PlacedValues

LANES = 64
ITERATIONS = 2000


@dataclass(frozen=True, slots=True, eq=False)
class TracedValue:
    """The last value of a definition on each invocation.

    `bits` and `undefined` have the shape (components, invocations), without rows for a pointer. `base` is
    the type by use: `float`, `int`, `uint`, `bool` or `mixed`. `runs` counts how often each invocation ran
    the instruction: where it is 0, there is no value. `line` is the line in the dump, from 0.
    """

    name: str
    line: int | None
    base: str
    bit_size: int
    bits: Array
    undefined: Array
    runs: Array
    is_constant: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class TracedBlock:
    """How often each invocation ran a block; `lines` are its first and last line in the dump, from 0.

    `is_round` is set for the first block of a loop, which counts the rounds.
    """

    index: int
    lines: tuple[int, int] | None
    runs: Array
    is_round: bool = False


@dataclass(frozen=True, slots=True)
class WrittenValue:
    """A scalar that was written: an output of an invocation (or group), or a cell of memory.

    `bits` is None where it is undefined. `invocations` are those that wrote it, as far as known.
    """

    name: str
    base: str
    bit_size: int
    bits: int | None
    invocations: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One stage of a run. All arrays have an entry for each invocation.

    `instance` is the patch or workgroup whose outputs an invocation shares, else the invocation itself;
    `outputs` are by instance. `lost` are invocations whose control flow depended on an undefined value, or
    that were given up after too many rounds of a loop.
    """

    stage: str
    invocations: int
    values: tuple[TracedValue, ...]
    blocks: tuple[TracedBlock, ...]
    outputs: Mapping[int, tuple[WrittenValue, ...]]
    memory: tuple[WrittenValue, ...]
    instance: Array
    discarded: Array
    lost: Array
    given_up: tuple[str, ...] = ()

    def outputs_of(self, invocation: int) -> tuple[WrittenValue, ...]:
        """Return what an invocation, or its patch or workgroup, has written to outputs."""
        return self.outputs.get(int(self.instance[invocation]), ())


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """What to run: the seed of all inputs that are not given, the number of invocations, given values."""

    seed: int = 1
    lanes: int = LANES
    given: GivenValues = field(default_factory=GivenValues)


@dataclass(frozen=True, slots=True)
class TracedRun:
    """The stages that ran, in order, and the names of given values that no shader read."""

    stages: tuple[Trace, ...]
    unread: tuple[str, ...] = ()


def traced_run(shaders: Sequence[Shader], request: TraceRequest, deadline: float | None = None) -> TracedRun:
    """Run one shader on some invocations, or linked stages on some primitives, and record all values.

    Raises `Unsupported` if a shader cannot be run, `GivenError` for a value of an input that is not there,
    and `TimeUsedUp` when the CPU time of the thread has passed `deadline`.
    """
    placed = PlacedValues.of(request.given, shaders)
    environment = GivenEnvironment(request.seed, placed=placed)
    machines = [Machine(shader, keeps_values=True) for shader in shaders]
    recorder = TraceRecorder(machines)
    options = RunOptions(ITERATIONS, at_end=recorder.end, at_block=recorder.block, deadline=deadline)
    inputs = GivenInputs(environment)
    if len(machines) == 1:
        results = [machines[0].run(environment, lanes=request.lanes, inputs=inputs, options=options)]
    else:
        results = run_pipeline(machines, environment, options=options, inputs=inputs).results
    names = dict.fromkeys(one.name for one in request.given.given)
    unread = tuple(name for name in names if name not in environment.read)
    return TracedRun(tuple(recorder.trace(result) for result in results), unread)


def traced_machine(
    machine: Machine, environment: Environment, *, lanes: int = LANES, iterations: int = ITERATIONS
) -> Trace:
    """Run a shader that keeps its values on the inputs of an environment."""
    recorder = TraceRecorder([machine])
    options = RunOptions(iterations, at_end=recorder.end, at_block=recorder.block)
    return recorder.trace(machine.run(environment, lanes=lanes, options=options))


@dataclass(slots=True)
class _Recorded:
    machine: Machine
    runs: dict[Block, Array] = field(default_factory=dict)
    values: tuple[TracedValue, ...] = ()


class TraceRecorder:
    """Records runs of machines by the callbacks of `RunOptions`."""

    def __init__(self, machines: Sequence[Machine]) -> None:
        self._by_stage = {machine.shader.stage or Stage.COMPUTE: _Recorded(machine) for machine in machines}

    def block(self, state: State, block: Block) -> None:
        """Count a round of a block on the running invocations."""
        recorded = self._by_stage[state.launch.stage]
        runs = recorded.runs.get(block)
        if runs is None:
            runs = recorded.runs[block] = np.zeros(state.lanes, np.int64)
        runs += state.masks.active

    def end(self, state: State) -> None:
        """Take the values of the entry function."""
        recorded = self._by_stage[state.launch.stage]
        never = np.zeros(state.lanes, np.int64)
        recorded.values = tuple(
            _traced_value(value, value.instr, found, recorded.runs.get(value.instr.block, never))
            for value, found in zip(recorded.machine.program.defs, state.frame.values, strict=False)
            if value.instr is not None and value.instr.block is not None
        )

    def trace(self, result: ShaderResult) -> Trace:
        """Return the record of a run that has ended."""
        recorded = self._by_stage[result.stage]
        shader = recorded.machine.shader
        entry = shader.entrypoint
        lanes = result.launch.lanes
        return Trace(
            result.stage.abbreviation,
            lanes,
            recorded.values,
            () if entry is None else tuple(_blocks(entry, recorded.runs, lanes)),
            _outputs(result, _stored_types(shader)),
            tuple(_written_cell(key, cell, result) for key, cell in result.memory.items()),
            OutputStore(result.launch).instance,
            result.discarded,
            result.poisoned,
            tuple(result.given_up),
        )


def _traced_value(value: Def, instr: Instr, found: Value, runs: Array) -> TracedValue:
    bits = found.bits if found.pointer is None else found.bits[:0]
    undefined = np.zeros(bits.shape, np.bool_) if found.poison is None else found.poison[: len(bits)]
    return TracedValue(
        f"%{value.index}",
        None if instr.span is None else instr.span.line,
        _base_by_use(value, instr),
        value.bit_size,
        bits.astype(np.uint64),
        np.broadcast_to(undefined, bits.shape).copy(),
        runs.copy(),
        isinstance(instr, LoadConstInstr),
    )


def _base_by_use(value: Def, instr: Instr) -> str:
    """Return the number type of a value by its uses, and where they leave it open, by its operation."""
    if value.bit_size == 1:
        return "bool"
    declared = _declared(value, instr)
    if declared:
        return declared
    made = _made_by(instr)
    if not value.uses and not made:
        stated = instr.indices.get("dest_type") if isinstance(instr, IntrinsicInstr) else None
        return base_type(stated) or "mixed"
    wanted = wanted_base(value, "" if made in ("int", "uint") else made)
    return made if made in ("int", "uint") and wanted == "float" else wanted


def _declared(value: Def, instr: Instr) -> str:
    """Return the number type of the variable that a value is loaded from or stored to; "" for none."""
    reads = isinstance(instr, IntrinsicInstr) and instr.name.startswith(("load_deref", "deref_atomic"))
    pointers = [instr.sources[0]] if isinstance(instr, IntrinsicInstr) and reads else []
    for src in value.uses:
        owner = src.owner
        if isinstance(owner, IntrinsicInstr) and owner.name == "store_deref" and src is owner.sources[1]:
            pointers.append(owner.sources[0])
    for pointer in pointers:
        target = pointer.def_instr
        leaf = leaf_type(target.type_name) if isinstance(target, DerefInstr) else None
        if leaf is not None and leaf.base in ("float", "int", "uint"):
            return leaf.base
    return ""


def _made_by(instr: Instr) -> str:
    """Return the number type of the result of an operation; "" for one that only moves numbers."""
    entry = opcode(instr.op) if isinstance(instr, AluInstr) else None
    return "" if entry is None or entry.name in VECTORS | {"mov"} else base_type(entry.output_type)


def _blocks(entry: FunctionImpl, runs: Mapping[Block, Array], lanes: int) -> Iterator[TracedBlock]:
    firsts = {
        next((node for node in loop.body if isinstance(node, Block)), None)
        for loop in entry.cf_nodes()
        if isinstance(loop, Loop)
    }
    for block in entry.blocks():
        own = runs.get(block)
        counted = np.zeros(lanes, np.int64) if own is None else own.copy()
        yield TracedBlock(block.index, _lines_of(block), counted, block in firsts)


def _lines_of(block: Block) -> tuple[int, int] | None:
    lines = [span.line for span in (block.span, block.end_span) if span is not None]
    lines += [instr.span.line for instr in (block.first, block.last) if instr and instr.span is not None]
    return (min(lines), max(lines)) if lines else None


def _stored_types(shader: Shader) -> dict[tuple[int | str, int], str]:
    """Return the number type that is stored to each component of an output slot."""
    found: dict[tuple[int | str, int], str] = {}
    for instr in shader.instrs():
        if not isinstance(instr, IntrinsicInstr) or instr.def_ is not None or instr.io_semantics is None:
            continue
        place, stored = io_place(instr), instr.sources[0]
        for number in range(stored.num_components):
            found[place.at(number, stored.bit_size)] = place.base
    for variable in shader.variables:
        leaf = leaf_type(variable.type_name)
        if variable.mode == "shader_out" and leaf is not None:
            first = variable_place(variable, shader.stage)
            for number in range(leaf.num_components):
                found[first.slot, first.component + number] = leaf.base
    return found


def _outputs(
    result: ShaderResult, types: Mapping[tuple[int | str, int], str]
) -> dict[int, tuple[WrittenValue, ...]]:
    """Return the outputs by instance; of a geometry shader, those of all emitted vertices."""
    if result.stage is Stage.GEOMETRY:
        streams = emitted_streams(result)
        planes = [
            (f"stream {number} " if number else "", key, plane)
            for number, stream in streams.items()
            for key, plane in stream.planes.items()
        ]
    else:
        planes = [("", key, plane) for key, plane in result.outputs.items()]
    planes.sort(key=lambda found: (found[0], str(found[1].slot).zfill(4), found[1].component))
    outputs: dict[int, list[WrittenValue]] = {}
    for prefix, key, plane in planes:
        base = types.get((key.slot, key.component), "mixed")
        for instance, vertex in np.argwhere(plane.written).tolist():
            where = f" of vertex {vertex}" if plane.vertices > 1 else ""
            name = f"{prefix}{key_text(key, result.stage)}{where}"
            bits = None if plane.poison[instance, vertex] else int(plane.bits[instance, vertex])
            written = WrittenValue(name, base, int(plane.bit_size[instance, vertex]), bits)
            outputs.setdefault(instance, []).append(written)
    return {instance: tuple(found) for instance, found in outputs.items()}


def _written_cell(key: MemoryKey, cell: MemoryCell, result: ShaderResult) -> WrittenValue:
    lanes = tuple(sorted(result.writers.get(key, ())))
    bits = None if cell.poison or cell.holes else cell.bits
    return WrittenValue(place_text(key), "mixed", cell.bit_size, bits, lanes)
