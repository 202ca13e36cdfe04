"""C++ expressions for GLSL types, which a dump names only.

Of a struct, a dump shows the fields that its derefs name. A struct is made of these, in the order in which
the dump first names them; it prints the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from nirls.ir.mesa_test.code import Code, c_string
from nirls.ir.model.glsl_types import StructTypes, array_parts, bare_type, leaf_type

_LAYOUT = re.compile(r"(?P<bare>\w+?)x(?P<stride>\d+)a(?P<alignment>\d+)B(?P<row_major>RM)?\Z")
_MATRIX = re.compile(r"(?P<kind>|d|f16)mat(?P<columns>\d)(?:x(?P<rows>\d))?\Z")
_ARRAY = re.compile(r"([^\[\]]+)\[(\d*)\](.*)\Z", re.DOTALL)
_OPAQUE = re.compile(
    r"(?P<base>|i|u|i64|u64|v)(?P<kind>sampler|texture|image)"
    r"(?P<dim>1D|2D|3D|Cube|2DRect|Buffer|2DMS|ExternalOES|SubpassInput|SubpassInputMS)"
    r"(?P<array>Array)?(?P<shadow>Shadow)?\Z"
)
_REPETITION = re.compile(r"#\d+\Z")

SAMPLER_DIMS: Final = {
    "1D": "GLSL_SAMPLER_DIM_1D",
    "2D": "GLSL_SAMPLER_DIM_2D",
    "3D": "GLSL_SAMPLER_DIM_3D",
    "Cube": "GLSL_SAMPLER_DIM_CUBE",
    "2DRect": "GLSL_SAMPLER_DIM_RECT",
    "Buffer": "GLSL_SAMPLER_DIM_BUF",
    "2DMS": "GLSL_SAMPLER_DIM_MS",
    "ExternalOES": "GLSL_SAMPLER_DIM_EXTERNAL",
    "SubpassInput": "GLSL_SAMPLER_DIM_SUBPASS",
    "SubpassInputMS": "GLSL_SAMPLER_DIM_SUBPASS_MS",
}
"""The dimension of a sampler, texture or image type by the words in its name."""

_BASES: Final = {
    "": "GLSL_TYPE_FLOAT",
    "i": "GLSL_TYPE_INT",
    "u": "GLSL_TYPE_UINT",
    "i64": "GLSL_TYPE_INT64",
    "u64": "GLSL_TYPE_UINT64",
    "v": "GLSL_TYPE_VOID",
}
# Base and bit size of a component: the function for a scalar, that for a vector, and the base type.
_COMPONENTS: Final = {
    ("bool", 1): ("glsl_bool_type", "glsl_bvec_type", "GLSL_TYPE_BOOL"),
    ("float", 16): ("glsl_float16_t_type", "glsl_f16vec_type", "GLSL_TYPE_FLOAT16"),
    ("float", 32): ("glsl_float_type", "glsl_vec_type", "GLSL_TYPE_FLOAT"),
    ("float", 64): ("glsl_double_type", "glsl_dvec_type", "GLSL_TYPE_DOUBLE"),
    ("int", 8): ("glsl_int8_t_type", "glsl_i8vec_type", "GLSL_TYPE_INT8"),
    ("int", 16): ("glsl_int16_t_type", "glsl_i16vec_type", "GLSL_TYPE_INT16"),
    ("int", 32): ("glsl_int_type", "glsl_ivec_type", "GLSL_TYPE_INT"),
    ("int", 64): ("glsl_int64_t_type", "glsl_i64vec_type", "GLSL_TYPE_INT64"),
    ("uint", 8): ("glsl_uint8_t_type", "glsl_u8vec_type", "GLSL_TYPE_UINT8"),
    ("uint", 16): ("glsl_uint16_t_type", "glsl_u16vec_type", "GLSL_TYPE_UINT16"),
    ("uint", 32): ("glsl_uint_type", "glsl_uvec_type", "GLSL_TYPE_UINT"),
    ("uint", 64): ("glsl_uint64_t_type", "glsl_u64vec_type", "GLSL_TYPE_UINT64"),
}
_MATRIX_BASES: Final = {"": "GLSL_TYPE_FLOAT", "d": "GLSL_TYPE_DOUBLE", "f16": "GLSL_TYPE_FLOAT16"}
_PLAIN: Final = {
    "void": "glsl_void_type()",
    "sampler": "glsl_bare_sampler_type()",
    "samplerShadow": "glsl_bare_shadow_sampler_type()",
    "atomic_uint": "glsl_atomic_uint_type()",
}


def type_expression(name: str, code: Code) -> str:
    """Return the expression for a type; the structs in it must have been declared."""
    if name in code.structs:
        return code.structs[name]
    array = _ARRAY.match(name)
    if array is not None:
        element = type_expression(array.group(1) + array.group(3), code)
        return f"glsl_array_type({element}, {int(array.group(2) or 0)}, 0)"
    if name in _PLAIN:
        return _PLAIN[name]
    opaque = _OPAQUE.match(name)
    if opaque is not None:
        return _opaque_type(opaque)
    layout = _LAYOUT.match(name)
    bare = layout.group("bare") if layout is not None else name
    shape = _shape(bare)
    if shape is None:
        return code.refuse(f"the type {name}")
    scalar, vector, base, rows, columns = shape
    if layout is not None:
        row_major = "true" if layout.group("row_major") else "false"
        return (
            f"glsl_simple_explicit_type({base}, {rows}, {columns}, {layout.group('stride')}, {row_major},"
            f" {layout.group('alignment')})"
        )
    if columns > 1:
        return f"glsl_matrix_type({base}, {rows}, {columns})"
    return f"{scalar}()" if rows == 1 else f"{vector}({rows})"


def _shape(name: str) -> tuple[str, str, str, int, int] | None:
    """Return the functions and the base of a component type, rows and columns; None for other types."""
    leaf = leaf_type(name)
    if leaf is not None:
        functions = _COMPONENTS.get((leaf.base, leaf.bit_size))
        return None if functions is None else (*functions, leaf.num_components, 1)
    matrix = _MATRIX.match(name)
    if matrix is None:
        return None
    columns = int(matrix.group("columns"))
    return "", "", _MATRIX_BASES[matrix.group("kind")], int(matrix.group("rows") or columns), columns


def _opaque_type(match: re.Match[str]) -> str:
    dim, base = SAMPLER_DIMS[match.group("dim")], _BASES[match.group("base")]
    is_array = "true" if match.group("array") else "false"
    if match.group("kind") == "sampler":
        is_shadow = "true" if match.group("shadow") else "false"
        return f"glsl_sampler_type({dim}, {is_shadow}, {is_array}, {base})"
    return f"glsl_{match.group('kind')}_type({dim}, {is_array}, {base})"


def sampled_dimension(type_name: str) -> tuple[str, bool, bool] | None:
    """Return the dimension, and whether it is an array and a shadow sampler; None for other types."""
    match = _OPAQUE.match(type_name)
    if match is None:
        return None
    return SAMPLER_DIMS[match.group("dim")], bool(match.group("array")), bool(match.group("shadow"))


def declare_structs(names: Iterable[str], code: Code) -> None:
    """Declare the structs among the types, and those inside them, before the code that uses them."""
    known = code.struct_types
    before = len(code.lines)
    for name in names:
        _declare(name, known, code, frozenset())
    if len(code.lines) > before:
        code.line()


def _declare(name: str, known: StructTypes, code: Code, above: frozenset[str]) -> None:
    while (array := _ARRAY.match(name)) is not None:
        name = array.group(1) + array.group(3)
    if name in code.structs or not _is_struct(name, known):
        return
    if name in above:
        code.refuse(f"the struct {name}, which holds itself")
        return
    fields = known.fields.get(name, {})
    for inner in fields.values():
        _declare(inner, known, code, above | {name})
    variable = code.identifier(_REPETITION.sub("", name), "type")
    own_name = c_string(_REPETITION.sub("", name))
    if not fields:
        # No deref names a field of it; an empty struct would have no size.
        fields = {"unused": "float"}
    code.line(f"const struct glsl_struct_field {variable}_fields[] = {{")
    with code.indented():
        for field_name, field_type in fields.items():
            code.line(f"{{{type_expression(field_type, code)}, {c_string(field_name)}}},")
    code.line("};")
    code.line(f"const struct glsl_type *{variable} =")
    with code.indented():
        code.line(f"glsl_struct_type({variable}_fields, ARRAY_SIZE({variable}_fields), {own_name}, false);")
    code.structs[name] = variable


def _is_struct(name: str, known: StructTypes) -> bool:
    if name in known.fields:
        return True
    if name in _PLAIN or _OPAQUE.match(name) or leaf_type(name) or array_parts(bare_type(name)):
        return False
    return _LAYOUT.match(name) is None and re.fullmatch(r"[\w.:#]+", name) is not None


def field_position(type_name: str, field_name: str, code: Code) -> int:
    """Return the position of a field in the struct that is declared; 0 and a refusal for an unknown one."""
    fields = code.struct_types.fields.get(type_name, {})
    if field_name not in fields:
        code.refuse(f"the field {field_name} of {type_name}")
        return 0
    return list(fields).index(field_name)
