"""Instruction classes of NIR."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.math_control import EXACT_WORDS
from nirls.ir.model.values import AluSrc, Def, PhiSrc, RegDest, Src, TexSrc

if TYPE_CHECKING:
    from nirls.ir.model.control_flow import Block
    from nirls.ir.model.shader import Function, Variable
    from nirls.ir.model.span import Span

SrcT = TypeVar("SrcT", bound=Src)
IndexValue = int | str | tuple[str, ...] | IoSemantics | XfbOutputs


class Instr:
    """An instruction in a block.

    `def_` is the SSA def, `reg_dest` the register destination in register form; at most one is set. `span` is
    the source range in the dump, None for an instruction created by a pass. `comment` is the text of a
    comment after it on its line, with its marks (`// Color`). Instructions of a block form a doubly linked
    list; use `Block` and `nirls.ir.model.builder` to edit it.
    """

    __slots__ = ("block", "comment", "def_", "next", "prev", "reg_dest", "span")
    kind: ClassVar[str] = ""

    def __init__(self) -> None:
        self.block: Block | None = None
        self.prev: Instr | None = None
        self.next: Instr | None = None
        self.def_: Def | None = None
        self.reg_dest: RegDest | None = None
        self.span: Span | None = None
        self.comment: str | None = None

    def srcs(self) -> Sequence[Src]:
        """The source slots in printed order, register indirections not included."""
        return ()

    def all_srcs(self) -> Iterator[Src]:
        """Yield all srcs: the sources, and the indices of register accesses."""
        for src in self.srcs():
            yield src
            if src.reg_indirect is not None:
                yield src.reg_indirect
        if self.reg_dest is not None and self.reg_dest.indirect is not None:
            yield self.reg_dest.indirect

    def defs(self) -> Sequence[Def]:
        """Return the defs of the instruction: at most one, except for a parallel copy."""
        return () if self.def_ is None else (self.def_,)

    def make_def(self, index: int, num_components: int, bit_size: int, divergent: bool | None = None) -> Def:
        """Create this instruction's SSA destination and return it."""
        self.def_ = Def(index, num_components, bit_size, self, divergent)
        return self.def_

    def detach_operands(self) -> None:
        """Clear all srcs, which removes this instruction from all use lists."""
        for src in list(self.all_srcs()):
            src.clear()
        if self.reg_dest is not None:
            self.reg_dest.clear()

    def remove(self) -> None:
        """Remove the instruction from its block and from all use lists (Mesa: `nir_instr_remove`).

        Its def may still have uses, which the caller must rewrite.
        """
        self.detach_operands()
        self.unlink()

    def unlink(self) -> None:
        """Unlink the instruction from its block and keep its sources, to insert it elsewhere."""
        if self.block is None:
            return
        self.block.unlink(self)

    def __repr__(self) -> str:
        name = getattr(self, "op", None) or getattr(self, "name", None) or self.kind
        number = f" %{self.def_.index}" if self.def_ is not None else ""
        return f"<{type(self).__name__}{number} {name}>"


class _InstrWithSources(Instr, Generic[SrcT]):
    """An instruction with a list of sources, all of one class."""

    __slots__ = ()
    sources: list[SrcT]

    def srcs(self) -> Sequence[SrcT]:
        return self.sources


class AluInstr(_InstrWithSources[AluSrc]):
    """An ALU operation: `fadd`, `vec4`, `mov`, `b32csel`.

    `flags` holds what is printed between opcode and sources, `exact` (`!`), `sat` (old dialects), `nsw` and
    `nuw`, and the words of `nirls.ir.model.math_control`, which newer printers put in a comment behind them.
    """

    __slots__ = ("flags", "op", "sources")
    kind = "alu"

    def __init__(self, op: str, sources: Sequence[AluSrc], flags: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self.op = op
        self.flags = flags
        self.sources = list(sources)
        for src in self.sources:
            src.set_owner(self)

    def become(self, op: str, sources: Sequence[AluSrc]) -> None:
        """Change the operation and its sources; the number, the flags and the source line stay."""
        for src in self.sources:
            src.clear()
        self.op, self.sources = op, list(sources)
        for src in self.sources:
            src.set_owner(self)

    @property
    def exact(self) -> bool:
        """Whether the instruction is marked `!` or `exact`, so that its float result must not change."""
        return not self.flags.isdisjoint(EXACT_WORDS)


class LoadConstInstr(Instr):
    """`load_const`: the raw bits of each component as unsigned integers of the value's bit size."""

    __slots__ = ("values",)
    kind = "load_const"

    def __init__(self, values: Sequence[int]) -> None:
        super().__init__()
        self.values = tuple(values)


def constant_of(value: Def | None) -> tuple[int, ...] | None:
    """Return the raw bits of each component of a constant; None for other values."""
    maker = None if value is None else value.instr
    return maker.values if isinstance(maker, LoadConstInstr) else None


def scalar_constant(value: Def | None) -> int | None:
    """Return the raw bits of a scalar constant; None for other values."""
    values = constant_of(value)
    return values[0] if values is not None and len(values) == 1 else None


def is_undef(value: Def | None) -> bool:
    """Whether a value is undefined; False for None."""
    return value is not None and isinstance(value.instr, UndefInstr)


class UndefInstr(Instr):
    """`undefined` (old dialects: `ssa_undef`): an undefined value."""

    __slots__ = ()
    kind = "undef"


class IntrinsicInstr(_InstrWithSources[Src]):
    """An intrinsic: `@load_input`, `@store_deref`, `@barrier`.

    `indices` maps the index names of the intrinsic tables (`base`, `write_mask`, `io_semantics`, ...)
    to their values in printed order. Plain numbers are int (`wrmask=xy` is 3, `access=readonly` a bit
    mask); alu types are str (`float32`); enumerations are the word that modern Mesa prints
    (`INTERP_MODE_SMOOTH`); lists of words are tuples; `io_semantics` is an `IoSemantics`; `io_xfb`
    and `io_xfb2` are `XfbOutputs`. Values that cannot be parsed are the raw text as str.
    """

    __slots__ = ("indices", "name", "sources")
    kind = "intrinsic"

    def __init__(self, name: str, sources: Sequence[Src], indices: Mapping[str, IndexValue]) -> None:
        super().__init__()
        self.name = name
        self.indices: dict[str, IndexValue] = dict(indices)
        self.sources = list(sources)
        for src in self.sources:
            src.set_owner(self)

    def int_index(self, name: str, default: int = 0) -> int:
        """Return an index as a number; `default` if it is absent or not a number."""
        value = self.indices.get(name, default)
        return value if isinstance(value, int) else default

    @property
    def io_semantics(self) -> IoSemantics | None:
        """The I/O semantics of an input load or output access, None for other intrinsics."""
        value = self.indices.get("io_semantics")
        return value if isinstance(value, IoSemantics) else None

    @property
    def write_mask(self) -> int:
        """The write mask of a store; all components of the stored value if it is not printed.

        Exports call it `enabled_channels` since Mesa 26.
        """
        return self.int_index("write_mask", self.int_index("enabled_channels", 0xFFFF))


REGISTER_INTRINSICS = frozenset(
    ("decl_reg", "load_reg", "store_reg", "load_reg_indirect", "store_reg_indirect")
)
"""Declaration of and accesses to registers in modern dumps."""


class TexInstr(_InstrWithSources[TexSrc]):
    """A texture instruction. `dest_type` is the printed alu type (`float32`), `op` the word (`txl`).

    `texture_index` and `sampler_index` are None if not printed, because a deref or handle source gives
    them. `component` is the gather component of `tg4`. `offsets` holds the four
    explicit tg4 offsets or nothing. `flags` holds the words printed last (`texture non-uniform`,
    `sampler non-uniform`, `implicit lod`, `sparse`).
    """

    __slots__ = (
        "component",
        "dest_type",
        "flags",
        "offsets",
        "op",
        "sampler_index",
        "sources",
        "texture_index",
    )
    kind = "tex"

    def __init__(
        self,
        op: str,
        dest_type: str,
        sources: Sequence[TexSrc],
        *,
        texture_index: int | None = None,
        sampler_index: int | None = None,
        component: int | None = None,
        offsets: tuple[tuple[int, int], ...] = (),
        flags: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__()
        self.op = op
        self.dest_type = dest_type
        self.sources = list(sources)
        self.texture_index = texture_index
        self.sampler_index = sampler_index
        self.component = component
        self.offsets = offsets
        self.flags = flags
        for src in self.sources:
            src.set_owner(self)

    def src_of_kind(self, kind: str) -> TexSrc | None:
        """Return the source of a kind, or None."""
        return next((src for src in self.sources if src.kind == kind), None)


class DerefInstr(Instr):
    """A dereference. `deref_kind` is `var`, `array`, `array_wildcard`, `ptr_as_array`, `struct` or `cast`.

    `mode` and `type_name` are the texts in parentheses (`shader_in`, `vec4`); mode may be several words
    joined by `|`. `var` is set for `var` derefs (None if the variable is not declared;
    `var_name` keeps the text), `parent` for all others, `index` for the array kinds, `field` for
    `struct`. Dumps print a constant array index as a number: it is `const_index`, and `index` is the nearest
    preceding constant with that value, None if there is none. `cast_info` holds
    `ptr_stride`, `align_mul`, `align_offset` of a cast, and `in_bounds` of an array.
    """

    __slots__ = (
        "_srcs",
        "cast_info",
        "const_index",
        "deref_kind",
        "field",
        "index",
        "mode",
        "parent",
        "type_name",
        "var",
        "var_name",
    )
    kind = "deref"

    def __init__(
        self,
        deref_kind: str,
        mode: str,
        type_name: str,
        *,
        var: Variable | None = None,
        var_name: str = "",
        parent: Src | None = None,
        index: Src | None = None,
        const_index: int | None = None,
        field: str | None = None,
        cast_info: tuple[tuple[str, int], ...] = (),
    ) -> None:
        super().__init__()
        self.deref_kind = deref_kind
        self.mode = mode
        self.type_name = type_name
        self.var = var
        self.var_name = var_name
        self.parent = parent
        self.index = index
        self.const_index = const_index
        self.field = field
        self.cast_info = cast_info
        self._srcs = [src for src in (parent, index) if src is not None]
        for src in self._srcs:
            src.set_owner(self)

    def srcs(self) -> Sequence[Src]:
        return self._srcs

    @property
    def modes(self) -> frozenset[str]:
        """The words of `mode`."""
        return frozenset(word.strip() for word in self.mode.split("|"))

    @property
    def parent_deref(self) -> DerefInstr | None:
        """The deref that defines the parent source; None for a `var` deref and for other parents."""
        maker = None if self.parent is None else self.parent.def_instr
        return maker if isinstance(maker, DerefInstr) else None

    @property
    def root(self) -> DerefInstr:
        """The first deref of the chain: that of a variable, or one whose parent is not a deref."""
        deref = self
        while (parent := deref.parent_deref) is not None:
            deref = parent
        return deref

    @property
    def constant_index(self) -> int | None:
        """The constant array index, printed or made constant by a pass; None if it is not constant."""
        holder = None if self.index is None else self.index.def_instr
        if self.const_index is None and isinstance(holder, LoadConstInstr) and self.index is not None:
            bits, size = holder.values[0], self.index.bit_size
            return bits - (1 << size) if size > 1 and bits >> (size - 1) else bits
        return self.const_index


class PhiInstr(_InstrWithSources[PhiSrc]):
    """A phi: one source for each predecessor of its block."""

    __slots__ = ("sources",)
    kind = "phi"

    def __init__(self, sources: Sequence[PhiSrc]) -> None:
        super().__init__()
        self.sources = list(sources)
        for src in self.sources:
            src.set_owner(self)

    def src_for(self, pred: Block) -> PhiSrc | None:
        """Return the source for a predecessor, or None."""
        return next((src for src in self.sources if src.pred is pred), None)

    def add_source(self, src: PhiSrc) -> None:
        """Add the source for another predecessor."""
        src.set_owner(self)
        self.sources.append(src)

    def remove_source(self, src: PhiSrc) -> None:
        """Remove the source of a removed predecessor."""
        self.sources.remove(src)
        src.clear()


class JumpInstr(_InstrWithSources[Src]):
    """`break`, `continue`, `return`, `halt`, or the unstructured `goto` / `goto_if`.

    `targets` holds the block numbers of a goto; `sources` the condition of a `goto_if`.
    """

    __slots__ = ("jump_kind", "sources", "targets")
    kind = "jump"

    def __init__(self, jump_kind: str, sources: Sequence[Src] = (), targets: tuple[int, ...] = ()) -> None:
        super().__init__()
        self.jump_kind = jump_kind
        self.sources = list(sources)
        self.targets = targets
        for src in self.sources:
            src.set_owner(self)


class CallInstr(_InstrWithSources[Src]):
    """`call callee params`; `callee` is None if the dump does not declare the function.

    `op` is `call` or one of the `cmat_call_...`. If `is_indirect`, the first source is a function pointer,
    and `callee` only gives the parameters.
    """

    __slots__ = ("callee", "callee_name", "is_indirect", "op", "sources")
    kind = "call"

    def __init__(
        self,
        callee_name: str,
        sources: Sequence[Src],
        callee: Function | None = None,
        *,
        op: str = "call",
        is_indirect: bool = False,
    ) -> None:
        super().__init__()
        self.callee_name = callee_name
        self.callee = callee
        self.op = op
        self.is_indirect = is_indirect
        self.sources = list(sources)
        for src in self.sources:
            src.set_owner(self)

    @property
    def arguments(self) -> Sequence[Src]:
        """Return the argument srcs of the call."""
        return self.sources[1:] if self.is_indirect else self.sources


class ParallelCopyInstr(_InstrWithSources[Src]):
    """A parallel copy, created when leaving SSA form: all sources are read before any destination is written.

    `dests[i]` receives `sources[i]`; a destination is an SSA def or a register destination.
    """

    __slots__ = ("dests", "sources")
    kind = "parallel_copy"

    def __init__(self, dests: Sequence[Def | RegDest], sources: Sequence[Src]) -> None:
        super().__init__()
        self.dests = list(dests)
        self.sources = list(sources)
        for src in self.sources:
            src.set_owner(self)
        for dest in self.dests:
            dest.instr = self

    def defs(self) -> Sequence[Def]:
        return [dest for dest in self.dests if isinstance(dest, Def)]


def operation_name(instr: Instr) -> str:
    """Return the opcode, intrinsic or jump of an instruction, or the name of its kind."""
    match instr:
        case AluInstr() | TexInstr():
            return instr.op
        case IntrinsicInstr():
            return instr.name
        case DerefInstr():
            return f"deref_{instr.deref_kind}"
        case JumpInstr():
            return instr.jump_kind
    return instr.kind
