"""Builder of instructions at a cursor, with unused value numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from nirls.ir.model.clone import CloneMap, clone_instr
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import (
    AluInstr,
    IndexValue,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    UndefInstr,
)
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def, Src


class Builder:
    """A cursor in a function body (Mesa: `nir_builder`).

    Instructions are inserted before `before`, or at the end of `block` (before its jump) if `before` is None.
    Numbers continue from the highest of the function.
    """

    __slots__ = ("before", "block", "impl", "next_index")

    def __init__(self, impl: FunctionImpl, block: Block, before: Instr | None = None) -> None:
        self.impl = impl
        self.block = block
        self.before = before
        self.next_index = impl.next_index()

    def at_start_of(self, block: Block) -> Builder:
        """Move the cursor to the start of a block, after its phis."""
        self.block = block
        self.before = next((instr for instr in block if not isinstance(instr, PhiInstr)), None)
        return self

    def at_end_of(self, block: Block) -> Builder:
        """Move the cursor to the end of a block, before its jump."""
        self.block, self.before = block, block.jump
        return self

    def before_instr(self, instr: Instr) -> Builder:
        """Move the cursor directly before an instruction. Raises ValueError if it is in no block."""
        if instr.block is None:
            raise ValueError("instruction is in no block")
        self.block, self.before = instr.block, instr
        return self

    def after_instr(self, instr: Instr) -> Builder:
        """Move the cursor directly behind an instruction. Raises ValueError if it is in no block."""
        if instr.block is None:
            raise ValueError("instruction is in no block")
        self.block, self.before = instr.block, instr.next
        return self

    def insert(self, instr: Instr) -> Instr:
        """Insert a complete instruction at the cursor."""
        self.block.insert_before(self.before if self.before is not None else self.block.jump, instr)
        return instr

    def define(self, instr: Instr, num_components: int, bit_size: int) -> Def:
        """Insert an instruction at the cursor with a fresh def."""
        value = instr.make_def(self.next_index, num_components, bit_size)
        self.next_index += 1
        self.insert(instr)
        return value

    def copy(self, instr: Instr, remap: CloneMap | None = None) -> Instr:
        """Insert a copy of an instruction with a fresh number; operands are looked up in `remap`."""
        copy = clone_instr(instr, CloneMap() if remap is None else remap)
        copy.span = copy.comment = None
        if copy.def_ is not None:
            copy.def_.index = self.next_index
            self.next_index += 1
        return self.insert(copy)

    def load_const(self, values: Sequence[int], bit_size: int) -> Def:
        """Insert a constant from the raw bits of its components."""
        mask = (1 << bit_size) - 1
        return self.define(LoadConstInstr([value & mask for value in values]), len(values), bit_size)

    def undef(self, num_components: int, bit_size: int) -> Def:
        return self.define(UndefInstr(), num_components, bit_size)

    def alu(
        self,
        op: str,
        sources: Sequence[Def | AluSrc],
        num_components: int,
        bit_size: int,
        flags: frozenset[str] = frozenset(),
    ) -> Def:
        """Insert an ALU operation; a bare def is read with the identity swizzle over all its components."""
        slots = [
            src if isinstance(src, AluSrc) else AluSrc(src, IDENTITY_SWIZZLE[: src.num_components])
            for src in sources
        ]
        return self.define(AluInstr(op, slots, flags), num_components, bit_size)

    def mov(self, value: Def, component: int) -> Def:
        """Extract one component of a value (Mesa: `nir_channel`); a scalar is returned unchanged."""
        if value.num_components == 1:
            return value
        return self.alu("mov", [AluSrc(value, (component,))], 1, value.bit_size)

    def intrinsic(
        self,
        name: str,
        sources: Sequence[Def],
        indices: Mapping[str, IndexValue],
        num_components: int = 0,
        bit_size: int = 32,
    ) -> IntrinsicInstr:
        """Insert an intrinsic; `num_components` 0 means no destination."""
        instr = IntrinsicInstr(name, [Src(value) for value in sources], indices)
        if num_components == 0:
            self.insert(instr)
        else:
            self.define(instr, num_components, bit_size)
        return instr

    def load(
        self,
        name: str,
        sources: Sequence[Def],
        indices: Mapping[str, IndexValue],
        num_components: int,
        bit_size: int,
    ) -> Def:
        """Insert an intrinsic that makes a value; return the value."""
        instr = IntrinsicInstr(name, [Src(value) for value in sources], indices)
        return self.define(instr, num_components, bit_size)


def merged_channels(
    builder: Builder, made: Def, places: Mapping[int, int], width: int, before: Callable[[], Def]
) -> Def:
    """Build a value of `width` components whose channel i is component `places[i]` of `made`.

    Other channels are those of `before()`, which is called only if there are any. `made` is returned if it
    already is the result.
    """
    if made.num_components == width and all(places.get(channel) == channel for channel in range(width)):
        return made
    rest = before() if len(places) < width else made
    parts = [
        AluSrc(made, (places[channel],)) if channel in places else AluSrc(rest, (channel,))
        for channel in range(width)
    ]
    return builder.alu("mov" if width == 1 else f"vec{width}", parts, width, made.bit_size)
