"""Name resolution within one function: values, registers, variables, and constants in scope."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    ParallelCopyInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def, PhiSrc, RegDest, Register, Src, TexSrc
from nirls.ir.text.lowering.index_values import component_numbers
from nirls.ir.text.lowering.records import (
    AluRecord,
    AluSrcRecord,
    CallRecord,
    DerefRecord,
    DestRecord,
    InstrRecord,
    IntrinsicRecord,
    JumpRecord,
    LoadConstRecord,
    ParallelCopyRecord,
    PhiRecord,
    TexRecord,
    UndefRecord,
    ValueRecord,
)


@dataclass(slots=True)
class FunctionScope:
    """Converts records to instructions of one function.

    Values may be read above their definition (phis of loops, broken dumps): such a read gets the value
    object that the definition fills in later. Objects that are not filled in at the end are undefined
    references. Reads of a repeated number refer to the nearest definition above.
    """

    shader: Shader
    impl: FunctionImpl
    functions: dict[str, Function]
    defs: dict[int, Def] = field(default_factory=dict)
    pending: dict[int, Def] = field(default_factory=dict)
    registers: dict[int, Register] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    constants: dict[int, LoadConstInstr] = field(default_factory=dict)
    phis: list[tuple[PhiInstr, PhiRecord, Sequence[int] | None]] = field(default_factory=list)
    _numbers: Sequence[int] | None = None
    _hidden_constants: list[list[tuple[int, LoadConstInstr | None]]] = field(default_factory=list)

    def enter_body(self) -> None:
        """Start a nested body, whose constants are only in scope within it."""
        self._hidden_constants.append([])

    def leave_body(self) -> None:
        """End a nested body and forget its constants."""
        for value, shadowed in reversed(self._hidden_constants.pop()):
            if shadowed is None:
                del self.constants[value]
            else:
                self.constants[value] = shadowed

    def condition(self, record: ValueRecord) -> If:
        """Create an if on a value."""
        self._numbers = None
        return If(self._src(record))

    def instr(self, record: InstrRecord, numbers: Sequence[int] | None = None) -> Instr:
        """Create the instruction of a record with resolved operands; phi sources are set in `finish`.

        If `numbers` is given, the numbers of values in the record are positions in it.
        """
        self._numbers = numbers
        instr = _MAKERS[type(record)](self, record)
        dest: DestRecord | None = getattr(record, "dest", None)
        if dest is not None:
            if dest.is_register:
                instr.reg_dest = self._reg_dest(dest, instr)
            else:
                instr.def_ = self._define(dest, instr)
        if type(instr) is LoadConstInstr and len(instr.values) == 1 and instr.def_ is not None:
            self._remember_constant(instr, instr.def_.bit_size)
        return instr

    def finish(self) -> None:
        """Set the sources of phis, now that all blocks exist, and list undefined references."""
        blocks = {block.index: block for block in reversed(self.impl.blocks())}
        blocks.setdefault(self.impl.end_block.index, self.impl.end_block)
        for phi, record, numbers in self.phis:
            self._numbers = numbers
            for pred_index, value in record.sources:
                pred = blocks.get(pred_index)
                if pred is None:  # a broken dump: the phi names a block that is not there
                    pred = blocks[pred_index] = Block(pred_index)
                source = PhiSrc(pred)
                self._fill(source, value)
                phi.add_source(source)
        self.impl.undefined_references = list(self.pending.values())

    def _alu(self, record: AluRecord) -> AluInstr:
        return AluInstr(record.op, [self._alu_src(src) for src in record.sources], record.flags)

    def _load_const(self, record: LoadConstRecord) -> LoadConstInstr:
        return LoadConstInstr(record.values)

    def _undef(self, record: UndefRecord) -> UndefInstr:
        return UndefInstr()

    def _intrinsic(self, record: IntrinsicRecord) -> IntrinsicInstr:
        return IntrinsicInstr(
            record.name, [self._src(value) for value in record.sources], dict(record.indices)
        )

    def _phi(self, record: PhiRecord) -> PhiInstr:
        phi = PhiInstr([])
        self.phis.append((phi, record, self._numbers))
        return phi

    def _tex(self, record: TexRecord) -> TexInstr:
        sources = []
        for kind, value in record.sources:
            source = TexSrc(kind)
            self._fill(source, value)
            sources.append(source)
        return TexInstr(
            record.op,
            record.dest_type,
            sources,
            texture_index=record.texture_index,
            sampler_index=record.sampler_index,
            component=record.component,
            offsets=record.offsets,
            flags=record.flags,
        )

    def _jump(self, record: JumpRecord) -> JumpInstr:
        condition = () if record.condition is None else (self._src(record.condition),)
        return JumpInstr(record.jump_kind, condition, record.targets)

    def _call(self, record: CallRecord) -> CallInstr:
        srcs = [self._src(value) for value in record.sources]
        callee = self.functions.get(record.callee)
        return CallInstr(record.callee, srcs, callee, op=record.op, is_indirect=record.is_indirect)

    def _deref(self, record: DerefRecord) -> DerefInstr:
        index, const_index = None, None
        if isinstance(record.array_index, int):
            const_index = record.array_index
            holder = self.constants.get(const_index)
            if holder is not None and holder.def_ is not None:
                index = Src(holder.def_)
        elif record.array_index is not None:
            index = self._src(record.array_index)
        return DerefInstr(
            record.deref_kind,
            record.mode,
            record.type_name,
            var=self.variables.get(record.var_name) if record.deref_kind == "var" else None,
            var_name=record.var_name,
            parent=None if record.parent is None else self._src(record.parent),
            index=index,
            const_index=const_index,
            field=record.field,
            cast_info=record.cast_info,
        )

    def _parallel_copy(self, record: ParallelCopyRecord) -> ParallelCopyInstr:
        sources = [self._src(value) for _, value in record.copies]
        instr = ParallelCopyInstr([], sources)
        for dest, _ in record.copies:
            if dest.is_register:
                instr.dests.append(self._reg_dest(dest, instr))
            else:
                instr.dests.append(self._define(dest, instr))
        return instr

    def _define(self, dest: DestRecord, instr: Instr) -> Def:
        number = dest.number if self._numbers is None else self._numbers[dest.number]
        value = self.pending.pop(number, None)
        if value is None:
            value = Def(number, dest.num_components, dest.bit_size, instr, dest.divergent, dest.name)
        else:
            # The sources of phis are set last, so this is a read by another instruction.
            self.shader.has_early_reads = True
            value.num_components, value.bit_size = dest.num_components, dest.bit_size
            value.name = dest.name
            value.instr, value.divergent = instr, dest.divergent
        self.defs[number] = value
        return value

    def _reg_dest(self, dest: DestRecord, instr: Instr) -> RegDest:
        reg = self._register(dest.number)
        mask = dest.write_mask if dest.write_mask is not None else (1 << reg.num_components) - 1
        indirect = None if dest.indirect is None else self._src(dest.indirect)
        return RegDest(reg, mask, dest.offset, indirect, instr)

    def _register(self, index: int) -> Register:
        reg = self.registers.get(index)
        if reg is None:
            reg = self.registers[index] = Register(index, 0, 0)
        return reg

    def _src(self, record: ValueRecord) -> Src:
        if not record.is_register:
            return Src(self._value(record.number))
        source = Src()
        self._fill(source, record)
        return source

    def _alu_src(self, record: AluSrcRecord) -> AluSrc:
        value, swizzle, negate, absolute, suffix, behind_name = record
        if not value.is_register:
            read = self._value(value.number)
            if read.name is not None and suffix:
                if suffix == read.name:
                    swizzle = behind_name
                elif suffix.startswith(f"{read.name}."):
                    swizzle = component_numbers(suffix[len(read.name) + 1 :])
            return AluSrc(
                read,
                swizzle or IDENTITY_SWIZZLE[: read.num_components or 1],
                negate=negate,
                absolute=absolute,
            )
        source = AluSrc(None, (), negate=negate, absolute=absolute)
        self._fill(source, value)
        source.swizzle = swizzle or IDENTITY_SWIZZLE[: source.num_components or 1]
        return source

    def _fill(self, source: Src, record: ValueRecord) -> None:
        if not record.is_register:
            source.set_def(self._value(record.number))
            return
        indirect = None if record.indirect is None else self._src(record.indirect)
        source.set_reg(self._register(record.number), record.offset, indirect)

    def _value(self, number: int) -> Def:
        if self._numbers is not None:
            number = self._numbers[number]
        value = self.defs.get(number)
        if value is None:
            value = self.pending.get(number)
            if value is None:
                value = self.pending[number] = Def(number, 0, 0)
        return value

    def _remember_constant(self, instr: LoadConstInstr, bit_size: int) -> None:
        if bit_size < _SMALLEST_ARRAY_INDEX:
            return
        bits = instr.values[0]
        value = bits - (1 << bit_size) if bit_size > 1 and bits >> (bit_size - 1) else bits
        if self._hidden_constants:
            self._hidden_constants[-1].append((value, self.constants.get(value)))
        self.constants[value] = instr


_SMALLEST_ARRAY_INDEX = 8  # bits; a boolean is never an index


_MAKERS: dict[type, Callable[[FunctionScope, Any], Instr]] = {
    AluRecord: FunctionScope._alu,
    CallRecord: FunctionScope._call,
    DerefRecord: FunctionScope._deref,
    IntrinsicRecord: FunctionScope._intrinsic,
    JumpRecord: FunctionScope._jump,
    LoadConstRecord: FunctionScope._load_const,
    ParallelCopyRecord: FunctionScope._parallel_copy,
    PhiRecord: FunctionScope._phi,
    TexRecord: FunctionScope._tex,
    UndefRecord: FunctionScope._undef,
}
