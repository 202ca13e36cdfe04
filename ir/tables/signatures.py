"""One-line signatures of opcodes and intrinsics."""

from __future__ import annotations

from nirls.ir.tables.entries import ANY_COMPONENTS, FREE_COMPONENTS, Intrinsic, Opcode
from nirls.ir.tables.lookup import intrinsic, opcode


def opcode_signature(name: str) -> str:
    """Format the types of the newest form of an opcode; "" for an unknown one.

    >>> opcode_signature("fdot3")
    'fdot3(float[3], float[3]) -> float[1]'
    """
    entry = opcode(name)
    return "" if entry is None else signature_of_opcode(entry)


def signature_of_opcode(entry: Opcode) -> str:
    """Format the types of one form of an opcode."""
    inputs = ", ".join(
        _sized(type_, size) for type_, size in zip(entry.input_types, entry.input_sizes, strict=True)
    )
    return f"{entry.name}({inputs}) -> {_sized(entry.output_type, entry.output_size)}"


def intrinsic_signature(name: str) -> str:
    """Format sources, indices and destination of the newest form of an intrinsic; "" for an unknown one.

    The width of a source is in brackets: N for the instruction's width, none for any.

    >>> intrinsic_signature("load_push_constant")
    '@load_push_constant(offset[1]) (base, range, align_mul, align_offset) -> N components'
    """
    entry = intrinsic(name)
    return "" if entry is None else signature_of_intrinsic(entry)


def signature_of_intrinsic(entry: Intrinsic) -> str:
    """Format sources, indices and destination of one form of an intrinsic."""
    sources = ", ".join(
        source + _bracketed(width)
        for source, width in zip(source_names(entry), entry.src_components, strict=True)
    )
    indices = f" ({', '.join(entry.indices)})" if entry.indices else ""
    return f"@{entry.name}({sources}){indices}{_result(entry)}"


def source_names(entry: Intrinsic) -> tuple[str, ...]:
    """Return the names of the sources of an intrinsic; `src0`, `src1` ... for unnamed ones."""
    return tuple(name or f"src{position}" for position, name in enumerate(entry.src_names))


def _result(entry: Intrinsic) -> str:
    if not entry.has_dest:
        return ""
    width = entry.dest_components
    if width == FREE_COMPONENTS:
        components = "N components"
    elif width == ANY_COMPONENTS:
        components = "any components"
    else:
        components = f"{width} component{'s' if width > 1 else ''}"
    sizes = " or ".join(str(size) for size in entry.bit_sizes)
    return f" -> {components}" + (f" of {sizes} bits" if sizes else "")


def _sized(type_: str, size: int) -> str:
    return f"{type_}[{size}]" if size else type_


def _bracketed(width: int) -> str:
    if width == ANY_COMPONENTS:
        return ""
    return "[N]" if width == FREE_COMPONENTS else f"[{width}]"
