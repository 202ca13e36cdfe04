"""Rows of `intrinsics.txt` and `textures.txt`: `names | accesses | exchange | words`.

Names are separated by spaces; `*` matches any text. `@reorderable` and `@sysval` are all intrinsics with that
flag in the opcode tables and without another row.

An access is `KIND MEMORY(RESOURCE)[START, SIZE]`, several are separated by `;`. The kind is `read`, `write`
or `atomic`. The memory is one of `MEMORIES`, `deref` for the modes of the deref that is the resource, or
`modes` for the index `memory_modes`. The resource is a source (`s0`): the index of a buffer, an image, a
deref, a vertex. Start and size are formulas in bytes (see `formula`); a size that is not given is that of
the value. Without a range the access may be anywhere in its memory. `everything` stands for all accesses
there are.

The exchange is `quad`, `subgroup` or `workgroup` if values pass between the invocations of one. The words:

- `ordered`: not repeated, removed or moved across others of its kind, although it may access no memory;
- `ends`: the invocation may end here; `demotes`: it may become a helper;
- `helpers`: helper invocations take part; `asks-helpers`: the result says whether this is one;
- `per-subgroup`: the range is that of a whole subgroup, not of one invocation;
- `barrier`: it orders the accesses of other instructions;
- `resource`: the result is a descriptor of a buffer or image, or what one says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal

from nirls.ir.effects.formula import Formula
from nirls.ir.tables import intrinsic

MEMORIES: Final = (
    *("shared", "task_payload", "ssbo", "counter", "global", "gds", "image", "scratch", "register"),
    *("ubo", "uniform", "push_const", "constant", "input", "output", "xfb", "framebuffer"),
    *("query", "ray", "clock", "param"),
)
"""Kinds of memory. `output` holds the outputs of all invocations of a patch or mesh workgroup, `param` what a
function hands to the one that it calls or returns to."""

_RESOURCES = frozenset(("ubo", "uniform", "push_const", "ssbo", "image", "global", "deref"))

Kind = Literal["read", "write", "atomic"]
Exchange = Literal["", "quad", "subgroup", "workgroup"]

_FOLDER = Path(__file__).parent
_ACCESS = re.compile(r"(read|write|atomic) (\w+)(?:\((s\d+)\))?(?:\[([^],]++)(?:, *+([^]]++))?\])?")
_WORDS = frozenset(
    ("ordered", "ends", "demotes", "helpers", "asks-helpers", "per-subgroup", "barrier", "resource"),
)


@dataclass(frozen=True, slots=True)
class AccessRow:
    """One access: `resource` is the number of a source, `start` and `size` are formulas in bytes."""

    kind: Kind
    memory: str
    resource: int | None = None
    start: Formula | None = None
    size: Formula | None = None


@dataclass(frozen=True, slots=True)
class EffectRow:
    """Effects of an operation, independent of sources and indices."""

    accesses: tuple[AccessRow, ...] = ()
    exchange: Exchange = ""
    words: frozenset[str] = frozenset()
    is_everything: bool = False

    @property
    def only_reads_resources(self) -> bool:
        """Whether it reads buffers, images, uniforms, memory of a deref or descriptors, and nothing else."""
        if self.is_everything or self.exchange or not self.words <= {"resource"}:
            return False
        reads = all(access.kind == "read" and access.memory in _RESOURCES for access in self.accesses)
        return reads and bool(self.accesses or self.words)


EVERYTHING: Final = EffectRow(
    tuple(AccessRow("atomic", memory) for memory in MEMORIES),
    "workgroup",
    frozenset(("ordered", "ends", "helpers", "asks-helpers", "per-subgroup", "barrier")),
    is_everything=True,
)
"""The row of an intrinsic that has none."""


@lru_cache(4096)
def row_of_intrinsic(name: str) -> EffectRow:
    """Return the row of an intrinsic; `EVERYTHING` if there is none."""
    key = intrinsic_key(name)
    return EVERYTHING if key is None else parse_row(_table("intrinsics.txt").rows[key])


@lru_cache(256)
def row_of_texture(operation: str) -> EffectRow:
    """Return the row of a texture operation; `EVERYTHING` if there is none."""
    row = _table("textures.txt").rows.get(operation)
    return EVERYTHING if row is None else parse_row(row)


def intrinsic_key(name: str) -> str | None:
    """Return the name or pattern of an intrinsic's row in `intrinsics.txt`; None if it has none."""
    table = _table("intrinsics.txt")
    if name in table.rows:
        return name
    for key, pattern in table.patterns.items():
        if pattern.match(name) is not None:
            return key
    entry = intrinsic(name)
    if entry is None:
        return None
    if entry.can_eliminate and entry.can_reorder:
        return "@reorderable"
    return "@sysval" if entry.is_sysval else None


def parse_row(row: str) -> EffectRow:
    """Parse a row without its names. Raises ValueError on a syntax error."""
    fields = [field.strip() for field in row.split("|")]
    if len(fields) != 3:
        raise ValueError(f"{len(fields) + 1} fields, not 4: {row}")
    accesses, exchange, words = fields[0], fields[1], frozenset(fields[2].split())
    if not words <= _WORDS or exchange not in ("", "quad", "subgroup", "workgroup"):
        raise ValueError(f"unknown word: {row}")
    if accesses == "everything":
        return EVERYTHING
    access_rows = tuple(_access(text.strip()) for text in accesses.split(";") if text.strip())
    return EffectRow(access_rows, exchange, words)  # type: ignore[arg-type]


def _access(text: str) -> AccessRow:
    match = _ACCESS.fullmatch(text)
    if match is None or match[2] not in (*MEMORIES, "deref", "modes"):
        raise ValueError(f"not an access: {text}")
    resource = None if match[3] is None else int(match[3][1:])
    start = None if match[4] is None else Formula(match[4])
    size = Formula("width" if match[5] is None else match[5]) if start is not None else None
    return AccessRow(match[1], match[2], resource, start, size)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class _Table:
    """Unparsed rows by name or pattern, and the patterns in order."""

    rows: Mapping[str, str]
    patterns: Mapping[str, re.Pattern[str]]


@cache
def _table(file_name: str) -> _Table:
    rows: dict[str, str] = {}
    for line in (_FOLDER / file_name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            names, _, row = line.partition("|")
            rows.update(dict.fromkeys(names.split(), row))
    return _Table(rows, {key: re.compile(translate(key)) for key in rows if "*" in key})
