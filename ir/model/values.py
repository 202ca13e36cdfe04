"""Values and their uses: SSA defs, sources with use lists, and the registers of register-form NIR."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nirls.ir.model.control_flow import Block, If
    from nirls.ir.model.instructions import Instr

UNREADABLE_INDEX = -1  # number of the placeholder for an unreadable operand
IDENTITY_SWIZZLE = tuple(range(16))
VALID_BIT_SIZES = frozenset((1, 8, 16, 32, 64))
VALID_COMPONENT_COUNTS = frozenset((1, 2, 3, 4, 5, 8, 16))


class Def:
    """An SSA value (Mesa: `nir_def`).

    `index` is the printed number (`%12`, `ssa_12`), unique within a function except in broken dumps. `instr`
    is None for a placeholder of a number that is used but not defined (or, numbered `UNREADABLE_INDEX`, of
    unreadable text); its sizes are 0. `divergent` is the printed `con` / `div`, None without one; it is not
    the result of an analysis. `name` is the debug name (`%23.color`), None without one.
    """

    __slots__ = ("bit_size", "divergent", "index", "instr", "name", "num_components", "uses")

    def __init__(
        self,
        index: int,
        num_components: int,
        bit_size: int,
        instr: Instr | None = None,
        divergent: bool | None = None,
        name: str | None = None,
    ) -> None:
        self.index = index
        self.num_components = num_components
        self.bit_size = bit_size
        self.instr = instr
        self.divergent = divergent
        self.name = name
        self.uses: dict[Src, None] = {}

    def replace_all_uses_with(self, other: Def) -> None:
        """Replace all uses by uses of `other` (Mesa: `nir_def_rewrite_uses`)."""
        for src in list(self.uses):
            src.set_def(other)

    def users(self) -> Iterator[Instr | If]:
        """Yield the instructions and ifs that read this value, each once, in the order of their uses."""
        return iter(dict.fromkeys(src.owner for src in self.uses if src.owner is not None))

    def __repr__(self) -> str:
        return f"<Def %{self.index} {self.bit_size}x{self.num_components}>"


class Register:
    """A register of old, register-form NIR: `decl_reg vec4 32 r0`, optionally an array `r0[4]`.

    `name` is the comment that older printers add (`/* color */`). Sources and destinations that name
    the register are in `uses` and `writes`.
    """

    __slots__ = ("bit_size", "index", "name", "num_array_elems", "num_components", "span", "uses", "writes")

    def __init__(
        self,
        index: int,
        num_components: int,
        bit_size: int,
        num_array_elems: int = 0,
        name: str | None = None,
    ) -> None:
        self.index = index
        self.num_components = num_components
        self.bit_size = bit_size
        self.num_array_elems = num_array_elems
        self.name = name
        self.span: object = None
        self.uses: dict[Src, None] = {}
        self.writes: dict[RegDest, None] = {}

    def __repr__(self) -> str:
        return f"<Register r{self.index} {self.bit_size}x{self.num_components}>"


class Src:
    """A source of an instruction or if: an SSA value, or in old dialects a register.

    Exactly one of `def_` and `reg` is set, neither after `clear`. A register source may be indexed,
    `r0[2 + ssa_3]`: `reg_offset` is the constant part and `reg_indirect` the source of the variable part.
    """

    __slots__ = ("def_", "owner", "reg", "reg_indirect", "reg_offset")

    def __init__(self, value: Def | Register | None = None, owner: Instr | If | None = None) -> None:
        self.owner = owner
        self.def_: Def | None = None
        self.reg: Register | None = None
        self.reg_offset = 0
        self.reg_indirect: Src | None = None
        if isinstance(value, Def):
            self.def_ = value
            value.uses[self] = None
        elif value is not None:
            self.set_reg(value)

    @property
    def ssa(self) -> Def:
        """The SSA value in this slot. Raises ValueError for a register source."""
        if self.def_ is None:
            raise ValueError("source is a register, not an SSA value")
        return self.def_

    @property
    def def_instr(self) -> Instr | None:
        """The instruction that defines the SSA value; None for a register and for an undefined number."""
        return None if self.def_ is None else self.def_.instr

    def set_owner(self, owner: Instr | If) -> None:
        """Set the instruction or if that reads the slot, and the index of its register."""
        self.owner = owner
        if self.reg_indirect is not None:
            self.reg_indirect.owner = owner

    def set_def(self, value: Def) -> None:
        """Set the slot to an SSA value and update the use lists."""
        self.clear()
        self.def_ = value
        value.uses[self] = None

    def set_reg(self, reg: Register, offset: int = 0, indirect: Src | None = None) -> None:
        """Set the slot to a register and update the use lists."""
        self.clear()
        self.reg = reg
        self.reg_offset = offset
        self.reg_indirect = indirect
        if indirect is not None:
            indirect.owner = self.owner
        reg.uses[self] = None

    def clear(self) -> None:
        """Clear the slot and remove it from its use list."""
        if self.def_ is not None:
            self.def_.uses.pop(self, None)
            self.def_ = None
        if self.reg is not None:
            self.reg.uses.pop(self, None)
            self.reg = None
            self.reg_offset = 0
        if self.reg_indirect is not None:
            self.reg_indirect.clear()
            self.reg_indirect = None

    @property
    def num_components(self) -> int:
        """Components of the whole value in the slot, before any swizzle."""
        value = self.def_ if self.def_ is not None else self.reg
        return 0 if value is None else value.num_components

    @property
    def bit_size(self) -> int:
        """Bit size of the value in the slot."""
        value = self.def_ if self.def_ is not None else self.reg
        return 0 if value is None else value.bit_size


class AluSrc(Src):
    """A source of an ALU instruction: a value with a swizzle and, in old dialects, `-` and `abs()`.

    `swizzle` holds one component number for each component that the instruction reads, so its length
    is the number of components read.
    """

    __slots__ = ("abs", "negate", "swizzle")

    def __init__(
        self,
        value: Def | Register | None = None,
        swizzle: tuple[int, ...] = (0,),
        *,
        negate: bool = False,
        absolute: bool = False,
        owner: Instr | None = None,
    ) -> None:
        super().__init__(value, owner)
        self.swizzle = swizzle
        self.negate = negate
        self.abs = absolute

    @property
    def is_plain(self) -> bool:
        """Whether it has no modifier and reads components 0, 1, ... in order."""
        return not self.negate and not self.abs and self.swizzle == IDENTITY_SWIZZLE[: len(self.swizzle)]


class TexSrc(Src):
    """A source of a texture instruction; `kind` is the word Mesa prints: `coord`, `lod`, `texture_deref`."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, value: Def | Register | None = None) -> None:
        super().__init__(value)
        self.kind = kind


class PhiSrc(Src):
    """A source of a phi: the value that arrives from the predecessor block `pred`."""

    __slots__ = ("pred",)

    def __init__(self, pred: Block, value: Def | Register | None = None) -> None:
        super().__init__(value)
        self.pred = pred


class RegDest:
    """The destination of an instruction that writes a register: `r0.xy`, `r1[0 + ssa_4]`."""

    __slots__ = ("indirect", "instr", "offset", "reg", "write_mask")

    def __init__(
        self,
        reg: Register,
        write_mask: int,
        offset: int = 0,
        indirect: Src | None = None,
        instr: Instr | None = None,
    ) -> None:
        self.reg = reg
        self.write_mask = write_mask
        self.offset = offset
        self.indirect = indirect
        self.instr = instr
        if indirect is not None:
            indirect.owner = instr
        reg.writes[self] = None

    def clear(self) -> None:
        """Remove the destination from its register's list of writes."""
        self.reg.writes.pop(self, None)
        if self.indirect is not None:
            self.indirect.clear()
