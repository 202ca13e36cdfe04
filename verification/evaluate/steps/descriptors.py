"""Descriptors of buffers: resource indices, the numbers of blocks, sizes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.ir.analysis.buffer_blocks import HANDLES
from nirls.ir.model.access import VS_BINDINGS
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Src
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker, step_of
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.derefs import pointer_reader
from nirls.verification.evaluate.steps.inputs import dest_shape
from nirls.verification.evaluate.steps.memory_words import unsigned
from nirls.verification.evaluate.storage.memory import Place
from nirls.verification.evaluate.values.arrays import container_type
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import variable_name
from nirls.verification.evaluate.values.value import Value, either, lane_index

_DESCRIPTOR_WORDS = 4


def place_of_block(instr: IntrinsicInstr, index: Src, space: str) -> Callable[[State], Place]:
    """Compile the place of a block. Each stage numbers its own UBOs, but not those with a descriptor."""
    if space != "ubo" or not _is_number(index):
        return lambda state: (space,)
    return place_in_stage(instr, space)


def place_in_stage(instr: IntrinsicInstr, space: str) -> Callable[[State], Place]:
    """Compile the place of what each stage has alone; a merged shader has that of its vertices too."""
    of_vertices = bool(instr.int_index("access") & VS_BINDINGS)
    return lambda state: state.memory.numbered(space, Stage.VERTEX if of_vertices else state.launch.stage)


def _is_number(index: Src) -> bool:
    """Return whether a buffer is given by a number that is computed of no descriptor."""
    if index.num_components != 1:
        return False
    seen: set[Instr] = set()
    work = [index.def_instr]
    while work:
        maker = work.pop()
        if isinstance(maker, IntrinsicInstr) and maker.name in HANDLES:
            return False
        if isinstance(maker, AluInstr | PhiInstr) and maker not in seen:
            seen.add(maker)
            work += [src.def_instr for src in maker.srcs()]
    return True


def blocks_of_variable_index(
    compiler: Compiler, instr: IntrinsicInstr, index: Src, space: str
) -> range | None:
    """Return the valid block indices for an index that is not constant: others are undefined behaviour.

    The dump of a merged control shader does not contain the block count of its vertex shader.
    """
    if index.def_ is None or isinstance(index.def_instr, LoadConstInstr) or is_descriptor(index):
        return None
    if instr.int_index("access") & VS_BINDINGS:
        return None
    return compiler.possible_blocks(space)


def is_descriptor(buffer: Src) -> bool:
    """Return whether a buffer is given by its descriptor, as AMD drivers do, not by its index."""
    return buffer.def_ is not None and buffer.def_.num_components >= _DESCRIPTOR_WORDS


def undefined_outside(index: Value, blocks: range) -> Value:
    numbers = unsigned(index)
    outside = ((numbers < blocks.start) | (numbers >= blocks.stop))[None]
    if not outside.any():
        return index
    return Value(index.bits, index.bit_size, either(index.poison, outside), index.error, index.fragile)


def _resource_index(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compute a descriptor: set, binding and array index in one number, followed by zeros."""
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)
    number = (instr.int_index("desc_set") << 8 | instr.int_index("binding")) << 12

    def step(state: State) -> None:
        index = read(state)
        rows = np.zeros((width, state.lanes), container_type(bit_size))
        rows[0] = (number + lane_index(index)) & ((1 << bit_size) - 1)
        write(state, Marks.of(index).marked(Value(rows, bit_size)))

    return step


def _resource_reindex(state: State, old: Value, more: Value) -> Value:
    rows = old.bits.copy()
    rows[0] = rows[0] + lane_index(more).astype(rows.dtype)
    return Marks.of(more).marked(Value(rows, old.bit_size, old.poison, None, old.fragile))


def _descriptor(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    width, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        value = read(state)
        rows = np.zeros((width, state.lanes), container_type(bit_size))
        shared = min(width, len(value.bits))
        rows[:shared] = value.bits[:shared]
        write(state, Marks.of(value).marked(Value(rows, bit_size)))

    return step


def _size_query(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    read, write = compiler.read(instr.sources[0]), compiler.write(instr)
    _, bit_size = dest_shape(instr)
    name = instr.name
    space = "ssbo" if "ssbo" in name else "ubo"
    blocks = blocks_of_variable_index(compiler, instr, instr.sources[0], space)

    def step(state: State) -> None:
        value = read(state)
        if blocks is not None:
            value = undefined_outside(value, blocks)
        hashes = state.environment.hash_of(name, *value.bits)
        sizes = (hashes % np.uint64(64) + np.uint64(1)) * np.uint64(16)
        rows = np.broadcast_to(sizes.astype(container_type(bit_size)), (1, state.lanes))
        write(state, Marks.of(value).marked(Value(rows, bit_size)))

    return step


def _array_length(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    pointer_of, write = pointer_reader(compiler, instr.sources[0]), compiler.write(instr)
    _, bit_size = dest_shape(instr)

    def step(state: State) -> None:
        pointer = pointer_of(state)
        variable = pointer.root.variable
        name = "descriptor" if variable is None else variable_name(variable)
        parts = [] if pointer.root.descriptor is None else [pointer.root.descriptor]
        hashes = state.environment.hash_of(("length", name, pointer.shape()), *parts)
        rows = (hashes % np.uint64(64) + np.uint64(1)).astype(container_type(bit_size))
        write(state, Value(np.broadcast_to(rows, (1, state.lanes)), bit_size))

    return step


STEPS: dict[str, StepMaker] = {
    "vulkan_resource_index": _resource_index,
    "vulkan_resource_reindex": step_of(_resource_reindex),
    "load_vulkan_descriptor": _descriptor,
    "get_ssbo_size": _size_query,
    "get_ubo_size": _size_query,
    "deref_buffer_array_length": _array_length,
}
