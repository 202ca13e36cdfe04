"""GLSL types by their printed names, and struct types reconstructed from the derefs of a dump."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.shader import Shader

_SCALARS = {
    "bool": ("bool", 1),
    "float": ("float", 32),
    "int": ("int", 32),
    "uint": ("uint", 32),
    "double": ("float", 64),
    "float16_t": ("float", 16),
    "bfloat16_t": ("bfloat", 16),
    "int8_t": ("int", 8),
    "uint8_t": ("uint", 8),
    "int16_t": ("int", 16),
    "uint16_t": ("uint", 16),
    "int64_t": ("int", 64),
    "uint64_t": ("uint", 64),
}
_VECTOR_PREFIX = {
    "": "float",
    "i": "int",
    "u": "uint",
    "b": "bool",
    "d": "double",
    "f16": "float16_t",
    "bf16": "bfloat16_t",
    "i8": "int8_t",
    "u8": "uint8_t",
    "i16": "int16_t",
    "u16": "uint16_t",
    "i64": "int64_t",
    "u64": "uint64_t",
}
_SCALAR_NAME = {shape: name for name, shape in _SCALARS.items()}
_VECTOR = re.compile(rf"({'|'.join(_VECTOR_PREFIX)})vec([23458]|16)\Z")
_MATRIX = re.compile(r"(|d|f16)mat(\d)(?:x(\d))?\Z")
# Stride and alignment of laid-out matrices and vectors: `mat4x16a0B`, `mat3x16a0BRM`.
_LAYOUT = re.compile(r"x\d+a\d+B(?:RM)?")
# The printer numbers distinct types of the same name: `struct[4]#2`.
_REPETITION = re.compile(r"#\d+")
_ARRAY = re.compile(r"([^\[\]]*)\[(\d*)\](.*)\Z", re.DOTALL)
_OPAQUE = re.compile(r"([iu]|i64|u64|v)?(sampler|texture|image|subpassInput)\w*\Z")


@dataclass(frozen=True, slots=True)
class LeafType:
    """A scalar or vector type: base (`float`, `int`, `uint`, `bool`, `bfloat`), component count, bit size."""

    base: str
    num_components: int
    bit_size: int


@lru_cache(4096)
def bare_type(name: str) -> str:
    """Strip strides, alignments and repetition numbers from a type name (Mesa: `glsl_get_bare_type`)."""
    name = _LAYOUT.sub("", name) if "B" in name else name
    return _REPETITION.sub("", name) if "#" in name else name


@lru_cache(4096)
def leaf_type(name: str) -> LeafType | None:
    """Parse a scalar or vector type; None for any other type."""
    name = bare_type(name)
    if name in _SCALARS:
        base, bits = _SCALARS[name]
        return LeafType(base, 1, bits)
    match = _VECTOR.match(name)
    if match is None:
        return None
    base, bits = _SCALARS[_VECTOR_PREFIX[match.group(1)]]
    return LeafType(base, int(match.group(2)), bits)


def type_name_of(leaf: LeafType) -> str:
    """Return the name of a scalar or vector type.

    >>> type_name_of(LeafType("uint", 3, 32))
    'uvec3'
    """
    scalar = _SCALAR_NAME[leaf.base, leaf.bit_size]
    if leaf.num_components == 1:
        return scalar
    prefix = next(prefix for prefix, name in _VECTOR_PREFIX.items() if name == scalar)
    return f"{prefix}vec{leaf.num_components}"


@lru_cache(4096)
def array_parts(name: str) -> tuple[str, int] | None:
    """Return element type and length of an array or matrix type (0 for an unsized array), else None."""
    match = _ARRAY.match(name)
    if match is not None:
        return match.group(1) + match.group(3), int(match.group(2) or 0)
    match = _MATRIX.match(bare_type(name))
    if match is None:
        return None
    columns = int(match.group(2))
    return f"{match.group(1)}vec{match.group(3) or match.group(2)}", columns


@lru_cache(4096)
def element_type(name: str) -> str | None:
    """Return the type of an array element, matrix column or vector component, without layout; else None.

    >>> element_type("vec4[3][2]"), element_type("mat4x3"), element_type("ivec2")
    ('vec4[2]', 'vec3', 'int')
    """
    name = bare_type(name)
    parts = array_parts(name)
    if parts is not None:
        return parts[0]
    leaf = leaf_type(name)
    return _SCALAR_NAME[leaf.base, leaf.bit_size] if leaf is not None and leaf.num_components > 1 else None


def without_arrays(name: str) -> str:
    """Strip all array lengths from a type name."""
    return name.partition("[")[0]


def opaque_kind(name: str) -> str | None:
    """Return `sampler`, `texture`, `image` or `subpassInput`; None for other types and for arrays."""
    match = _OPAQUE.match(name)
    return None if match is None else match.group(2)


def is_known_not_struct(name: str) -> bool:
    """Whether a type is a scalar, vector, matrix, array or opaque type; other names may be structs."""
    return leaf_type(name) is not None or array_parts(name) is not None or opaque_kind(name) is not None


@dataclass(slots=True)
class StructTypes:
    """Fields by struct type name, in the order in which the dump first names them."""

    fields: dict[str, dict[str, str]] = field(default_factory=dict)

    @classmethod
    def of(cls, shader: Shader) -> StructTypes:
        """Collect the fields in the derefs of a shader. Fields without a deref do not affect it."""
        types = cls()
        for instr in shader.instrs():
            if isinstance(instr, DerefInstr) and instr.deref_kind == "struct" and instr.field is not None:
                parent = instr.parent_deref
                if parent is not None:
                    fields = types.fields.setdefault(parent.type_name, {})
                    fields.setdefault(instr.field, instr.type_name)
        return types

    def member_type(self, type_name: str, key: str | int) -> str:
        """Return the type of a field, or of an element of an array or matrix; empty if unknown."""
        if isinstance(key, str):
            return self.fields.get(type_name, {}).get(key, "")
        parts = array_parts(type_name)
        return "" if parts is None else parts[0]

    def leaves(self, type_name: str) -> Iterator[tuple[tuple[str | int, ...], LeafType]]:
        """Yield the paths to all known scalars and vectors inside a type, with their types."""
        work: list[tuple[tuple[str | int, ...], str]] = [((), type_name)]
        while work:
            path, name = work.pop()
            leaf = leaf_type(name)
            if leaf is not None:
                yield path, leaf
                continue
            parts = array_parts(name)
            if parts is not None:
                work.extend(((*path, index), parts[0]) for index in reversed(range(parts[1])))
                continue
            fields = self.fields.get(name, {})
            work.extend(((*path, key), inner) for key, inner in reversed(fields.items()))
