"""Facts of a dump for timelines, extracted from its text, as parsing a whole log is too slow."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from hashlib import blake2b
from math import prod
from typing import Final, NamedTuple

from nirls.ir.io.level import LoweringLevel
from nirls.ir.text.declarations import name_or_type, variables
from nirls.ir.text.slot_accesses import PrintedAccess, slot_accesses
from nirls.ir.text.structure import (
    DIVERGENCE,
    IO_VARIABLE,
    DumpLineKind,
    body_start,
    header_fields,
    line_kind,
)
from nirls.server.engine.pipelines.dump_facts import Neighbours, dump_facts, is_source_hash, neighbours_of
from nirls.verification.pass_abilities import Operation, OperationKind, Operations, ability_of, beyond_ability

_WAYS = {b"shader_in": b"in", b"shader_out": b"out"}
_LOCATION = re.compile(rb"[A-Z_0-9]+(?:\.([xyzw]+))?")
_COLUMNS = re.compile(rb"mat(\d)")
_ARRAY = re.compile(rb"\[(\d{1,9})\]")

# Patterns of text in which two prints of the same code may differ, and of numbers.
_REMARK = re.compile(rb"(?<![ \t])[ \t]*+(?://[^\n]*|/\*[^*\n]*\*/)")
_CONSTANT_BEHIND_USE = re.compile(rb"(%\d+) \((?:0x|-?\d|true|false|-?nan|-?inf)[^)\n]{0,400}\)")
_CONSTANT_READINGS = re.compile(rb"(load_const \([^=\n)]{0,400})(?: = [^)\n]{0,400}\)|\) = \([^\n]*)")
_NUMBER = re.compile(rb"%\d+|\b(?:ssa_|block_|b|r)\d+\b")
_NO_COMPUTATION = re.compile(rb"deref|put[ _]|= (?:load_const|undefined|mov|vec\d{1,2})\b|load_barycentric")
_WORD = re.compile(rb"\w*")
_TEXTURE_OPERATIONS = frozenset(
    ("tex", "txb", "txl", "txd", "txf", "txf_ms", "txs", "lod", "tg4", "query_levels", "samples_identical")
)
_KINDS = (
    (re.compile(r"(?:load_const|undefined)\Z"), OperationKind.CONSTANT),
    (re.compile(r"(?:[if]?mov|vec\d+)\Z"), OperationKind.MOVE),
    (re.compile(r"phi\Z"), OperationKind.PHI),
    (re.compile(r"deref_"), OperationKind.DEREF),
    (re.compile(r"call\Z"), OperationKind.OTHER),
)

Scalar = tuple[bytes, int, int]


@dataclass(frozen=True, slots=True)
class DumpCounts:
    """Size of a shader.

    `instructions` counts all instructions, including constants and derefs. `inputs` and `outputs` count
    scalar slot components, as used by loads and stores of lowered I/O, else as declared by variables.
    `registers` counts declared NIR registers.
    """

    instructions: int
    blocks: int
    inputs: int
    outputs: int
    registers: int


COUNT_NAMES: Final = tuple(count.name for count in fields(DumpCounts))
"""The names of the counts, which are columns of tables."""


@dataclass(frozen=True, slots=True)
class ShaderIdentity:
    """Header fields that no pass changes. `source` is the source hash; None if unknown."""

    stage: str
    name: str | None
    label: str | None
    source: str | None

    @property
    def is_anonymous(self) -> bool:
        """Whether the header has no field but the stage."""
        return self.name is None and self.label is None and self.source is None

    def is_completed_by(self, other: ShaderIdentity) -> bool:
        """Whether another identity has all known fields of this one, and more."""
        pairs = ((self.name, other.name), (self.label, other.label), (self.source, other.source))
        return self.stage == other.stage and self != other and all(own in (None, its) for own, its in pairs)


class DumpDigest:
    """Facts of one dump text, computed lazily."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._body_start = body_start(text)

    @cached_property
    def identity(self) -> ShaderIdentity:
        """Identity of the shader of this snapshot."""
        fields = self._header
        source = fields.get("source_blake3", fields.get("source_sha1", ""))
        return ShaderIdentity(
            fields.get("shader", "").removeprefix("MESA_SHADER_"),
            fields.get("name"),
            fields.get("label"),
            source if is_source_hash(source) else None,
        )

    @cached_property
    def _header(self) -> dict[str, str]:
        return header_fields(self._text)

    @property
    def neighbours(self) -> Neighbours:
        """The stages in front of and behind the shader."""
        return neighbours_of(self._header)

    @cached_property
    def is_internal(self) -> bool:
        """Whether the header says that Mesa made the shader for itself."""
        return dump_facts(self._text).is_internal

    @cached_property
    def io_names(self) -> frozenset[bytes]:
        """Names of the declared inputs and outputs."""
        return frozenset(variable.way + b" " + variable.name for variable in self._io_variables)

    @cached_property
    def io_slots(self) -> frozenset[tuple[bytes, bytes, bytes]]:
        """Direction, name and slot of each declared input and output, such as `VARYING_SLOT_VAR1.xy`."""
        return frozenset(
            (io_variable.way, io_variable.name, io_variable.location.partition(b",")[0])
            for io_variable in self._io_variables
        )

    @cached_property
    def accessed_io(self) -> frozenset[tuple[bytes, bytes]]:
        """Name and mode of each input and output variable that the code accesses."""
        return frozenset(IO_VARIABLE.findall(self._text, self._body_start))

    @cached_property
    def _io_variables(self) -> tuple[_IoVariable, ...]:
        return tuple(_io_variables(self._text, self._body_start))

    @cached_property
    def interface(self) -> tuple[frozenset[Scalar], frozenset[Scalar]]:
        """Scalars read and written by lowered I/O: (slot, offset in slots, component)."""
        scalars: tuple[set[Scalar], set[Scalar]] = (set(), set())
        for access in slot_accesses(self._text, self._body_start):
            scalars[access.is_output].update(_scalars(access))
        return frozenset(scalars[0]), frozenset(scalars[1])

    @property
    def has_lowered_io(self) -> bool:
        """Whether the code accesses slots, and no variables of inputs and outputs are declared."""
        return any(self.interface) and not self.io_names

    @property
    def has_io_variables(self) -> bool:
        """Whether variables of inputs and outputs are declared, and the code accesses no slots."""
        return bool(self.io_names) and not any(self.interface)

    @cached_property
    def counts(self) -> DumpCounts:
        """Size of the shader."""
        accessed = self.interface
        declared = None if all(accessed) else _declared_scalars(self._io_variables, self.identity.stage)
        _, instructions, blocks = self._shape
        return DumpCounts(
            instructions,
            blocks,
            len(accessed[0]) if accessed[0] or declared is None else declared[0],
            len(accessed[1]) if accessed[1] or declared is None else declared[1],
            self._text.count(b"decl_reg ", self._body_start),
        )

    @cached_property
    def io_level(self) -> LoweringLevel | None:
        """Lowering level of the inputs and outputs."""
        return dump_facts(self._text).level

    @cached_property
    def instructions(self) -> Counter[bytes]:
        """Number of the instructions of each kind, without the numbers of values."""
        return Counter(line.shape for line in self._lines if line.kind is DumpLineKind.INSTRUCTION)

    @cached_property
    def operations(self) -> Operations:
        """The operations of the instructions."""
        counts: Counter[Operation] = Counter()
        by_value: dict[bytes, Operation] = {}
        for line in self._lines:
            if line.kind is DumpLineKind.INSTRUCTION:
                operation = _operation(line.shape)
                if not operation.name.isidentifier():
                    continue  # a damaged line
                counts[operation] += 1
                target, is_value, _ = line.plain.partition(b" = ")
                if is_value:
                    by_value[target.rpartition(b" ")[2]] = operation
        return Operations(counts, by_value)

    @cached_property
    def computations(self) -> Counter[bytes]:
        """The instructions without accesses of inputs, outputs and variables, constants and moves."""
        return Counter(
            {shape: count for shape, count in self.instructions.items() if not _NO_COMPUTATION.search(shape)}
        )

    @property
    def shape(self) -> bytes:
        """Hash of the code without numbers: shaders with different hashes differ."""
        return self._shape[0]

    @cached_property
    def _shape(self) -> tuple[bytes, int, int]:
        """Hash, number of instructions, and number of blocks without the end blocks of functions."""
        kinds = [line.kind for line in self._lines]
        blocks = max(0, kinds.count(DumpLineKind.BLOCK) - kinds.count(DumpLineKind.IMPL))
        return (
            _key([line.shape for line in self._lines]),
            kinds.count(DumpLineKind.INSTRUCTION),
            blocks,
        )

    @cached_property
    def numbered_in_order(self) -> bytes:
        """Hash of the code with renumbered values: shaders with equal hashes are equal."""
        names: dict[bytes, bytes] = {}

        def in_order(match: re.Match[bytes]) -> bytes:
            return names.setdefault(match[0], b"%%%d" % len(names))

        return _key([_NUMBER.sub(in_order, b"\n".join([line.plain for line in self._lines]))])

    @cached_property
    def declarations(self) -> bytes:
        """Hash of the declarations of variables and functions, including local variables."""
        return _key(line.strip() for line in self._text.splitlines() if line.lstrip().startswith(b"decl_"))

    @cached_property
    def header(self) -> bytes:
        """Hash of the header lines."""
        lines = self._text[: self._body_start].splitlines()
        return _key(b" ".join(line.split()) for line in lines if not line.startswith((b"decl_", b"//")))

    @cached_property
    def _lines(self) -> list[_CodeLine]:
        """Lines of the functions without declarations."""
        lines = map(_code_line, self._text[self._body_start :].split(b"\n"))
        return [line for line in lines if line.kind is not DumpLineKind.DECLARATION]


def beyond_pass(pass_name: str, before: DumpDigest, after: DumpDigest) -> tuple[str, ...]:
    """Return the operations of the second snapshot that the pass cannot have made, as text.

    Empty for a pass of which is not known what it can do.
    """
    if before.shape == after.shape or ability_of(pass_name) is None:
        return ()
    if not after.instructions - before.instructions:
        return ()
    return beyond_ability(pass_name, before.operations, after.operations)


class _CodeLine(NamedTuple):
    """A line of code: `plain` is without comments, alignment, constant values at uses and divergence.

    `shape` is also without numbers.
    """

    plain: bytes
    shape: bytes
    kind: DumpLineKind


@lru_cache(1 << 14)
def _code_line(text: bytes) -> _CodeLine:
    """Read a line; successive snapshots of a log have most of their lines in common."""
    if b" (" in text:
        text = _CONSTANT_BEHIND_USE.sub(rb"\1", text)
    if b"load_const" in text:
        text = _CONSTANT_READINGS.sub(rb"\1)", text)
    if b"//" in text or b"/*" in text:
        text = _REMARK.sub(b"", text)
    if b"con " in text or b"div " in text:
        text = DIVERGENCE.sub(b"", text)
    plain = b" ".join(text.split())
    shape = _NUMBER.sub(b"%", plain)
    return _CodeLine(plain, shape, line_kind(shape))


@lru_cache(1 << 12)
def _operation(shape: bytes) -> Operation:
    _, is_value, rest = shape.partition(b" = ")
    rest = (rest if is_value else shape).removeprefix(b"intrinsic ")
    name = _decoded((_WORD.match(rest.lstrip(b"@")) or [b""])[0]) or ""
    if rest.startswith(b"@") or b"intrinsic " in shape:
        if name.endswith("_deref"):
            return Operation(OperationKind.COPY, name)
        if name.startswith(("discard", "demote", "terminate")):
            return Operation(OperationKind.DISCARD, name)
        if name.endswith("_reg"):
            return Operation(OperationKind.REGISTER, name)
        access = next(slot_accesses(shape), None)
        return Operation(OperationKind.INTRINSIC, name, "" if access is None else access.slot.decode())
    if rest.startswith(b"(") or name in _TEXTURE_OPERATIONS:
        return Operation(OperationKind.TEXTURE, "tex")
    if not is_value:
        return Operation(OperationKind.OTHER, name)
    kind = next((kind for pattern, kind in _KINDS if pattern.match(name)), OperationKind.ALU)
    return Operation(kind, name)


def _scalars(access: PrintedAccess) -> Iterator[Scalar]:
    channels = map(b"xyzw".index, access.write_mask) if access.is_store else range(access.width)
    for channel in channels:
        for slot in range(min(access.count, 64)):
            yield access.slot, slot, access.component + channel


class _IoVariable(NamedTuple):
    """A `decl_var` line of an input (`way` is `in`) or output (`out`); `words` precede its name."""

    way: bytes
    words: tuple[bytes, ...]
    name: bytes
    location: bytes


def _io_variables(text: bytes, end: int) -> Iterator[_IoVariable]:
    for variable in variables(text, 0, end):
        words = variable["words"].split()
        way = next((_WAYS[word] for word in words if word in _WAYS), None)
        if way is not None:
            start, end = name_or_type(variable)
            yield _IoVariable(way, tuple(words), text[start:end], variable["inside"] or b"")


def _declared_scalars(variables: Iterable[_IoVariable], stage: str) -> tuple[int, int]:
    """Count the scalars of declared inputs and outputs; the per-vertex array dimension is not counted."""
    counts = [0, 0]
    for variable in variables:
        is_output = variable.way == b"out"
        type_name = variable.words[-1]
        elements = [int(size) for size in _ARRAY.findall(type_name)]
        per_vertex = stage in ("TESS_CTRL", "TESS_EVAL", "GEOMETRY") and (
            not is_output or stage == "TESS_CTRL"
        )
        if per_vertex and b"patch" not in variable.words:
            elements = elements[1:]
        columns, channels = _COLUMNS.search(type_name), _LOCATION.match(variable.location)
        size = len((channels and channels[1]) or b"xyzw") * (int(columns[1]) if columns else 1)
        counts[is_output] += size * prod(elements)
    return counts[0], counts[1]


def _key(parts: Iterable[bytes]) -> bytes:
    return blake2b(b"\n".join(parts), digest_size=16).digest()


def _decoded(text: bytes | None) -> str | None:
    return None if text is None else text.decode("utf-8", "replace")
