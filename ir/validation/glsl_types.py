"""What the printed names of GLSL types say: widths of vectors, elements of arrays, what is a sampler."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_SCALARS: dict[str, int] = {
    "bool": 1,
    "float": 32,
    "int": 32,
    "uint": 32,
    "double": 64,
    "float16_t": 16,
    "bfloat16_t": 16,
    "int8_t": 8,
    "uint8_t": 8,
    "int16_t": 16,
    "uint16_t": 16,
    "int64_t": 64,
    "uint64_t": 64,
}
# Prefix of a vector's name, bit size, name of its scalar.
_VECTORS: dict[str, tuple[int, str]] = {
    "": (32, "float"),
    "i": (32, "int"),
    "u": (32, "uint"),
    "b": (1, "bool"),
    "d": (64, "double"),
    "f16": (16, "float16_t"),
    "bf16": (16, "bfloat16_t"),
    "i8": (8, "int8_t"),
    "u8": (8, "uint8_t"),
    "i16": (16, "int16_t"),
    "u16": (16, "uint16_t"),
    "i64": (64, "int64_t"),
    "u64": (64, "uint64_t"),
}
_VECTOR = re.compile(r"([a-z]?[a-z]?\d*)vec(\d+)\Z")
_MATRIX = re.compile(r"(|d|f16)mat(\d)(?:x(\d))?\Z")
# Stride and alignment of laid-out matrices and vectors: `mat4x16a0B`, `mat3x16a0BRM`.
_LAYOUT = re.compile(r"x\d+a\d+B(?:RM)?")
_REPETITION = re.compile(r"#\d+")
_ARRAY = re.compile(r"([^\[\]]+)\[(\d*)\](.*)\Z")
_OPAQUE = re.compile(r"([iu]|i64|u64|v)?(sampler|texture|image|subpassInput)\w*\Z")


@dataclass(frozen=True, slots=True)
class VectorType:
    """A scalar or vector: components and bits of a component; booleans have 1."""

    num_components: int
    bit_size: int
    scalar: str

    @property
    def is_boolean(self) -> bool:
        return self.scalar == "bool"


@lru_cache(4096)
def bare_type(name: str) -> str:
    """The name without the layout of matrices and vectors (Mesa: `glsl_get_bare_type`).

    Nor has it the number by which the printer tells types of one name apart (`struct[4]#2`).
    """
    name = _LAYOUT.sub("", name) if "B" in name else name
    return _REPETITION.sub("", name) if "#" in name else name


@lru_cache(4096)
def vector_type(name: str) -> VectorType | None:
    """The shape of a scalar or vector type, None for any other name."""
    name = bare_type(name)
    bits = _SCALARS.get(name)
    if bits is not None:
        return VectorType(1, bits, name)
    match = _VECTOR.match(name)
    if match is None or match.group(1) not in _VECTORS:
        return None
    bits, scalar = _VECTORS[match.group(1)]
    return VectorType(int(match.group(2)), bits, scalar)


@lru_cache(4096)
def element_type(name: str) -> str | None:
    """What an array deref of a type gives: array element, matrix column, vector component.

    None where the type is no such thing, as far as its name tells. Layouts are left out.

    >>> element_type("vec4[3][2]"), element_type("mat4x3"), element_type("ivec2")
    ('vec4[2]', 'vec3', 'int')
    """
    name = bare_type(name)
    match = _ARRAY.match(name)
    if match is not None:
        return match.group(1) + match.group(3)
    match = _MATRIX.match(name)
    if match is not None:
        return f"{match.group(1)}vec{match.group(3) or match.group(2)}"
    vector = vector_type(name)
    return vector.scalar if vector is not None and vector.num_components > 1 else None


def is_array_or_matrix(name: str) -> bool:
    """Whether the name is that of an array or a matrix."""
    return "[" in name or _MATRIX.match(bare_type(name)) is not None


def without_arrays(name: str) -> str:
    """The name in front of all array lengths."""
    return name.partition("[")[0]


def opaque_kind(name: str) -> str | None:
    """`sampler`, `texture`, `image` or `subpassInput` for such types (not arrays of them), else None."""
    match = _OPAQUE.match(name)
    return None if match is None else match.group(2)


def is_plainly_no_struct(name: str) -> bool:
    """Whether the name is of a type that has no fields: vector, matrix, array, sampler and the like."""
    return vector_type(name) is not None or is_array_or_matrix(name) or opaque_kind(name) is not None
