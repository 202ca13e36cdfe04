"""Notation of the rows in `opcodes.txt` and `intrinsics.txt`.

An opcode is `name | inputs -> output | properties | releases`, with the number of components of a fixed
size in brackets: `fdot3 | float[3], float[3] -> float[1] | 2src_commutative | 10.5-26.2`.

An intrinsic is `name | sources -> destination | bit sizes | indices | words | releases`. A source is a
number of components, `n` for the instruction's width, `?` for any, or a name with one of these in brackets:
`load_ssbo | index[?], offset[1] -> n`. The destination is such a number, `-` for none. The bit sizes are
those that the destination may have; `src0` stands for the bit size of source 0. The words are flags such as
`CAN_ELIMINATE`, and `sysval`.

Releases are ranges of release numbers (notation: `releases`). A name has one row for each form, newest first.
Blank lines and lines that begin with `#` are ignored.
"""

from __future__ import annotations

from nirls.ir.tables.entries import ANY_COMPONENTS, FREE_COMPONENTS, Intrinsic, Opcode
from nirls.ir.tables.releases import format_releases, parse_releases

_WIDTH_WORDS = {FREE_COMPONENTS: "n", ANY_COMPONENTS: "?"}
_WIDTHS = {word: width for width, word in _WIDTH_WORDS.items()}


def name_of_row(row: str) -> str:
    """Return the name of a row."""
    return row.partition("|")[0].strip()


def releases_of_row(row: str) -> tuple[str, ...]:
    """Return the releases of a row."""
    return parse_releases(row.rpartition("|")[2])


def format_opcode(opcode: Opcode) -> str:
    """Format the row of an opcode, without older forms."""
    inputs = ", ".join(
        _typed(type_, size) for type_, size in zip(opcode.input_types, opcode.input_sizes, strict=True)
    )
    words = sorted(opcode.algebraic_properties) + ["conversion"] * opcode.is_conversion
    return _join(
        opcode.name,
        f"{inputs} -> {_typed(opcode.output_type, opcode.output_size)}",
        " ".join(words),
        format_releases(opcode.releases),
    )


def parse_opcode(row: str) -> Opcode:
    """Parse the row of an opcode. Raises ValueError on a syntax error."""
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
        releases=parse_releases(releases),
    )


def format_intrinsic(intrinsic: Intrinsic) -> str:
    """Format the row of an intrinsic, without older forms."""
    sources = ", ".join(
        f"{name}[{_width_word(width)}]" if name else _width_word(width)
        for name, width in zip(intrinsic.src_names, intrinsic.src_components, strict=True)
    )
    dest = _width_word(intrinsic.dest_components) if intrinsic.has_dest else "-"
    sizes = [str(size) for size in intrinsic.bit_sizes]
    if intrinsic.bit_size_src is not None:
        sizes.append(f"src{intrinsic.bit_size_src}")
    return _join(
        intrinsic.name,
        f"{sources} -> {dest}",
        " ".join(sizes),
        ", ".join(intrinsic.indices),
        " ".join(sorted(intrinsic.flags) + ["sysval"] * intrinsic.is_sysval),
        format_releases(intrinsic.releases),
    )


def parse_intrinsic(row: str) -> Intrinsic:
    """Parse the row of an intrinsic. Raises ValueError on a syntax error."""
    name, signature, bit_sizes, indices, words, releases = _fields(row, 6)
    sources, arrow, dest = signature.partition("->")
    if not arrow:
        raise ValueError(f"no arrow in the row of {name}")
    dest = dest.strip()
    flags = frozenset(words.split())
    named = [_named(text) for text in _list(sources)]
    sizes = bit_sizes.split()
    return Intrinsic(
        name=name,
        src_names=tuple(source for source, _ in named),
        src_components=tuple(width for _, width in named),
        has_dest=dest != "-",
        dest_components=ANY_COMPONENTS if dest == "-" else _width(dest),
        bit_sizes=tuple(int(size) for size in sizes if size.isdecimal()),
        bit_size_src=next((int(size[3:]) for size in sizes if size.startswith("src")), None),
        indices=tuple(_list(indices)),
        flags=flags - {"sysval"},
        is_sysval="sysval" in flags,
        releases=parse_releases(releases),
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


def _named(text: str) -> tuple[str, int]:
    name, bracket, width = text.partition("[")
    return (name, _width(width.rstrip("]"))) if bracket else ("", _width(text))


def _width_word(width: int) -> str:
    return _WIDTH_WORDS.get(width, str(width))


def _width(text: str) -> int:
    return _WIDTHS[text] if text in _WIDTHS else int(text)
