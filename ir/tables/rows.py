"""The one-line notation in which the tables are kept.

An opcode is `name | inputs -> output | properties | releases`, with the number of components of a fixed
size in brackets: `fdot3 | float[3], float[3] -> float[1] | 2src_commutative | 22.3 25.0`.

An intrinsic is `name | sources -> destination | bit sizes | indices | words | releases`. The sources and
the destination are numbers of components, `n` for as wide as the instruction, `?` for any, `-` for no
destination; the words are `CAN_ELIMINATE`, `CAN_REORDER` and `sysval`.

Lines of text load much faster than objects, and most runs look at a few dozen of them.
"""

from __future__ import annotations

from nirls.ir.tables.entries import ANY_COMPONENTS, FREE_COMPONENTS, Intrinsic, Opcode

_WIDTH_WORDS = {FREE_COMPONENTS: "n", ANY_COMPONENTS: "?"}
_WIDTHS = {word: width for width, word in _WIDTH_WORDS.items()}


def name_of_row(row: str) -> str:
    """The name in front of the first bar."""
    return row.partition("|")[0].strip()


def format_opcode(opcode: Opcode) -> str:
    """The row of an opcode, without its older forms."""
    inputs = ", ".join(
        _typed(type_, size) for type_, size in zip(opcode.input_types, opcode.input_sizes, strict=True)
    )
    words = sorted(opcode.algebraic_properties) + ["conversion"] * opcode.is_conversion
    return _join(
        opcode.name,
        f"{inputs} -> {_typed(opcode.output_type, opcode.output_size)}",
        " ".join(words),
        " ".join(opcode.releases),
    )


def parse_opcode(row: str) -> Opcode:
    """The opcode of a row. Raises ValueError for a row that is not in the notation."""
    name, signature, words, releases = _fields(row, 4)
    inputs, arrow, output = signature.partition("->")
    if not arrow:
        raise ValueError(f"no arrow in the row of {name}")
    sources = [_untyped(text) for text in _list(inputs)]
    output_type, output_size = _untyped(output)
    properties = frozenset(words.split())
    return Opcode(
        name=name,
        input_sizes=tuple(size for _, size in sources),
        input_types=tuple(type_ for type_, _ in sources),
        output_size=output_size,
        output_type=output_type,
        algebraic_properties=properties - {"conversion"},
        is_conversion="conversion" in properties,
        releases=tuple(releases.split()),
    )


def format_intrinsic(intrinsic: Intrinsic) -> str:
    """The row of an intrinsic, without its older forms."""
    sources = ", ".join(_WIDTH_WORDS.get(width, str(width)) for width in intrinsic.src_components)
    width = intrinsic.dest_components
    dest = _WIDTH_WORDS.get(width, str(width)) if intrinsic.has_dest else "-"
    return _join(
        intrinsic.name,
        f"{sources} -> {dest}",
        " ".join(str(size) for size in intrinsic.bit_sizes),
        ", ".join(intrinsic.indices),
        " ".join(sorted(intrinsic.flags) + ["sysval"] * intrinsic.is_sysval),
        " ".join(intrinsic.releases),
    )


def parse_intrinsic(row: str) -> Intrinsic:
    """The intrinsic of a row. Raises ValueError for a row that is not in the notation."""
    name, signature, bit_sizes, indices, words, releases = _fields(row, 6)
    sources, arrow, dest = signature.partition("->")
    if not arrow:
        raise ValueError(f"no arrow in the row of {name}")
    dest = dest.strip()
    flags = frozenset(words.split())
    return Intrinsic(
        name=name,
        src_components=tuple(_width(text) for text in _list(sources)),
        has_dest=dest != "-",
        dest_components=ANY_COMPONENTS if dest == "-" else _width(dest),
        bit_sizes=tuple(int(size) for size in bit_sizes.split()),
        indices=tuple(_list(indices)),
        flags=flags - {"sysval"},
        is_sysval="sysval" in flags,
        releases=tuple(releases.split()),
    )


def _join(*fields: str) -> str:
    return " | ".join(fields).rstrip()


def _fields(row: str, count: int) -> list[str]:
    fields = [field.strip() for field in row.split("|")]
    if len(fields) != count:
        raise ValueError(f"{len(fields)} fields, not {count}, in the row of {fields[0]}")
    return fields


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _typed(type_: str, size: int) -> str:
    return f"{type_}[{size}]" if size else type_


def _untyped(text: str) -> tuple[str, int]:
    type_, bracket, size = text.strip().partition("[")
    return (type_, int(size.rstrip("]"))) if bracket else (type_, 0)


def _width(text: str) -> int:
    return _WIDTHS[text] if text in _WIDTHS else int(text)
