"""Records: single lines of a dump before names are resolved.

A record depends on the text of its line alone, so records are cached by that text, see `known_lines`.
"""

from __future__ import annotations

from typing import NamedTuple

from nirls.ir.model.instructions import IndexValue


class ValueRecord(NamedTuple):
    """A reference to a value: an SSA number, or a register with a constant and a variable index."""

    number: int
    is_register: bool = False
    offset: int = 0
    indirect: ValueRecord | None = None


class AluSrcRecord(NamedTuple):
    """A value as an ALU source; `swizzle` is None if none is printed (all components in order).

    `suffix` is the text after the number and its dot: a swizzle, the name of the value, or both
    (`color`, `color.x`). This depends on the definition of the value: `swizzle` is for a value without a
    name, `behind_name` for one whose name is all of the suffix.
    """

    value: ValueRecord
    swizzle: tuple[int, ...] | None
    negate: bool = False
    absolute: bool = False
    suffix: str = ""
    behind_name: tuple[int, ...] | None = None


class DestRecord(NamedTuple):
    """The destination of an instruction: an SSA value with its sizes, or a register."""

    number: int
    num_components: int
    bit_size: int
    divergent: bool | None = None
    is_register: bool = False
    write_mask: int | None = None
    offset: int = 0
    indirect: ValueRecord | None = None
    name: str | None = None


class AluRecord(NamedTuple):
    dest: DestRecord | None
    op: str
    flags: frozenset[str]
    sources: tuple[AluSrcRecord, ...]


class LoadConstRecord(NamedTuple):
    dest: DestRecord | None
    values: tuple[int, ...]


class UndefRecord(NamedTuple):
    dest: DestRecord | None


class IntrinsicRecord(NamedTuple):
    dest: DestRecord | None
    name: str
    sources: tuple[ValueRecord, ...]
    indices: tuple[tuple[str, IndexValue], ...]


class TexRecord(NamedTuple):
    dest: DestRecord | None
    op: str
    dest_type: str
    sources: tuple[tuple[str, ValueRecord], ...]
    texture_index: int | None
    sampler_index: int | None
    component: int | None
    offsets: tuple[tuple[int, int], ...]
    flags: frozenset[str]


class DerefRecord(NamedTuple):
    """A deref; `array_index` is a number if the dump prints one (`[3]`), a value otherwise."""

    dest: DestRecord | None
    deref_kind: str
    mode: str
    type_name: str
    var_name: str
    parent: ValueRecord | None
    array_index: ValueRecord | int | None
    field: str | None
    cast_info: tuple[tuple[str, int], ...]


class PhiRecord(NamedTuple):
    dest: DestRecord | None
    sources: tuple[tuple[int, ValueRecord], ...]


class JumpRecord(NamedTuple):
    jump_kind: str
    condition: ValueRecord | None
    targets: tuple[int, ...]


class CallRecord(NamedTuple):
    op: str
    callee: str
    sources: tuple[ValueRecord, ...]
    is_indirect: bool


class ParallelCopyRecord(NamedTuple):
    copies: tuple[tuple[DestRecord, ValueRecord], ...]


class LineRecord(NamedTuple):
    """An instruction with the length of its line and its comment, and whether annotations follow it."""

    instr: InstrRecord
    length: int
    comment: str | None
    is_annotated: bool = False


InstrRecord = (
    AluRecord
    | LoadConstRecord
    | UndefRecord
    | IntrinsicRecord
    | TexRecord
    | DerefRecord
    | PhiRecord
    | JumpRecord
    | CallRecord
    | ParallelCopyRecord
)
