"""Access to values for compiled instructions: SSA slots, registers, and facts about the shader."""

from __future__ import annotations

from collections.abc import Callable

from nirls.ir.analysis.buffer_blocks import possible_blocks
from nirls.ir.effects import UNIFORM_SOURCES
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.glsl_types import StructTypes
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader, Variable
from nirls.ir.model.values import Def, RegDest, Register, Src
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.state.subgroup_lanes import lanes_that_differ
from nirls.verification.evaluate.storage.cells import Cells
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, lane_index

Reader = Callable[[State], Value]
Writer = Callable[[State, Value], None]
StepMaker = Callable[["Compiler", IntrinsicInstr], Step]
"""A function that compiles an intrinsic."""


class Compiler:
    """Context for compiling the instructions of a function: the shader, value slots and known blocks."""

    def __init__(self, shader: Shader) -> None:
        self.shader = shader
        self.types = StructTypes.of(shader)
        self.fragment_inputs = FragmentInputs(shader)
        self.float_controls = FloatControls.of(shader)
        self._undeclared: dict[tuple[str, str], Variable] = {}
        self._slots: dict[Def, int] = {}
        self._kept: set[Def] = set()
        self._blocks: dict[str, range | None] = {}

    def possible_blocks(self, kind: str) -> range | None:
        """Return the possible block indices of `ubo` or `ssbo` accesses; None if unknown."""
        if kind not in self._blocks:
            self._blocks[kind] = possible_blocks(self.shader, kind)
        return self._blocks[kind]

    def slot(self, value: Def) -> int:
        """Return the slot of a def of the function being compiled."""
        return self._slots[value]

    def undeclared(self, instr: DerefInstr) -> Variable:
        """Return a placeholder for a variable that the dump uses in derefs but does not declare."""
        key = (instr.mode, instr.var_name)
        variable = self._undeclared.get(key)
        if variable is None:
            variable = self._undeclared[key] = Variable(instr.var_name, instr.mode, instr.type_name)
        return variable

    def is_kept(self, value: Def) -> bool:
        """Return whether lanes that have left a loop may still read the def while others iterate."""
        return value in self._kept

    def read(self, src: Src) -> Reader:
        """Compile the read of a src."""
        if src.def_ is None:
            if src.reg is None:
                raise Unsupported("an empty source")
            return register_reader(self, src)
        slot = self._slots[src.def_]

        def read(state: State) -> Value:
            return state.frame.values[slot]

        return read

    def operand(self, instr: IntrinsicInstr, number: int) -> Reader:
        """Compile the read of a source, undefined where it must be uniform and is not."""
        read = self.read(instr.sources[number])
        if number not in UNIFORM_SOURCES.get(instr.name, ()):
            return read

        def uniform(state: State) -> Value:
            value = read(state)
            differing = lanes_that_differ(state, value)
            return value if differing is None else Marks(differing).marked(value)

        return uniform

    def write(self, instr: Instr) -> Writer:
        """Compile the write of an instruction's result."""
        if instr.reg_dest is not None:
            return register_writer(self, instr.reg_dest)
        if instr.def_ is None:
            raise Unsupported(f"{instr!r} without destination")
        return self.write_def(instr.def_)

    def write_def(self, dest: Def) -> Writer:
        """Compile the write of a def."""
        slot = self._slots[dest]
        if dest in self._kept:
            return lambda state, value: state.merge(slot, value)

        def write(state: State, value: Value) -> None:
            state.frame.values[slot] = value

        return write

    def write_dest(self, dest: Def | RegDest) -> Writer:
        """Compile the write of a parallel copy's destination."""
        return self.write_def(dest) if isinstance(dest, Def) else register_writer(self, dest)


def step_of(compute: Callable[..., Value]) -> StepMaker:
    """Return a maker of steps that compute the result from the state and the values of all sources."""

    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        readers = [compiler.operand(instr, number) for number in range(len(instr.sources))]
        write = compiler.write(instr)
        return lambda state: write(state, compute(state, *(read(state) for read in readers)))

    return make


def no_step(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Compile an instruction that does nothing."""
    return lambda state: None


def register_cells(state: State, reg: Register) -> Cells:
    """Return the storage of an old-style register in the running function."""
    found = state.frame.locals.get(reg)
    if not isinstance(found, Cells):
        found = Cells(reg.num_array_elems, reg.num_components, reg.bit_size, state.lanes)
        state.frame.locals[reg] = found
    return found


def register_reader(compiler: Compiler, src: Src) -> Reader:
    """Compile the read of a register src, `r0` or `r0[2 + ssa_3]`."""
    reg = src.reg
    assert reg is not None
    offset = src.reg_offset
    indirect = None if src.reg_indirect is None else compiler.read(src.reg_indirect)

    def read(state: State) -> Value:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        return register_cells(state, reg).load(index, state.lane_numbers)

    return read


def register_writer(compiler: Compiler, dest: RegDest) -> Writer:
    """Compile the write of a register destination, `r0.xy` or `r1[ssa_4]`.

    A value as wide as the register is stored per component; a narrower one fills the write mask in order.
    """
    reg, mask, offset = dest.reg, dest.write_mask, dest.offset
    indirect = None if dest.indirect is None else compiler.read(dest.indirect)

    def write(state: State, value: Value) -> None:
        index: Array | int = offset if indirect is None else offset + lane_index(indirect(state))
        cells, stored = register_cells(state, reg), state.masks.stored(value)
        cells.store(index, stored, mask, state.masks.active, state.lane_numbers)

    return write
