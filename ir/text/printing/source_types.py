"""Type of each src, by the opcode, the intrinsic or the kind of texture source.

Rules: `nir_op_infos`, `nir_intrinsic_instr_src_type`, `nir_intrinsic_instr_dest_type` and
`nir_tex_instr_src_type` of Mesa. A base type is `float`, `int`, `uint`, `bool`, or "" where Mesa says
`nir_type_invalid`.
"""

from __future__ import annotations

from functools import lru_cache

from nirls.ir.model.glsl_types import LeafType, array_parts, leaf_type
from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr, TexInstr
from nirls.ir.tables import opcode
from nirls.ir.tables.entries import base_type

_MOST_NAMES = 4096

# Mesa: nir_get_io_offset_src_number.
_OFFSET_SOURCES: dict[str, int] = {
    **dict.fromkeys(
        (
            "load_input",
            "load_per_primitive_input",
            "load_output",
            "load_shared",
            "load_task_payload",
            "load_uniform",
            "load_kernel_input",
            "load_global",
            "load_global_2x32",
            "load_global_constant",
            "load_scratch",
            "load_fs_input_interp_deltas",
            "shared_atomic",
            "shared_atomic_swap",
            "task_payload_atomic",
            "task_payload_atomic_swap",
            "global_atomic",
            "global_atomic_swap",
            "load_coefficients_agx",
        ),
        0,
    ),
    **dict.fromkeys(
        (
            "load_ubo",
            "load_ssbo",
            "load_input_vertex",
            "load_per_vertex_input",
            "load_per_vertex_output",
            "load_per_view_output",
            "load_per_primitive_output",
            "load_interpolated_input",
            "load_smem_amd",
            "store_output",
            "store_shared",
            "store_task_payload",
            "store_global",
            "store_global_2x32",
            "store_scratch",
            "ssbo_atomic",
            "ssbo_atomic_swap",
        ),
        1,
    ),
    **dict.fromkeys(
        (
            "store_ssbo",
            "store_per_vertex_output",
            "store_per_view_output",
            "store_per_primitive_output",
            "load_attribute_pan",
        ),
        2,
    ),
}

_INTEGER_COORDINATES = frozenset(
    (
        "txf",
        "txf_ms",
        "txf_ms_fb",
        "txf_ms_mcs_intel",
        "samples_identical",
        "fragment_fetch_amd",
        "fragment_mask_fetch_amd",
    )
)
_INTEGER_LODS = frozenset(("txs", "txf", "txf_ms", "fragment_fetch_amd", "fragment_mask_fetch_amd"))
_FLOAT_TEX_SOURCES = frozenset(
    (
        "projector",
        "comparator",
        "bias",
        "min_lod",
        "ddx",
        "ddy",
        "backend1",
        "backend2",
        "lod_bias_min_agx",
    )
)
_INTEGER_TEX_SOURCES = frozenset(("offset", "ms_index", "plane"))


@lru_cache(_MOST_NAMES)
def alu_types(op: str) -> tuple[tuple[str, ...], str] | None:
    """Return the base types of the inputs and the output of an ALU opcode; None for an unknown one."""
    entry = opcode(op)
    if entry is None:
        return None
    return tuple(base_type(name) for name in entry.input_types), base_type(entry.output_type)


def glsl_base_type(type_name: str) -> str:
    """Return the base type of a GLSL scalar, vector or matrix; "" for arrays, structs and opaque types."""
    leaf, _ = _shape(type_name)
    return "" if leaf is None else base_type(leaf.base)


def component_count(type_name: str) -> int:
    """Return the component count of a GLSL type (Mesa: `glsl_get_components`): 0 for arrays and structs.

    >>> [component_count(name) for name in ("vec3", "mat4", "mat2x3", "vec4[2]")]
    [3, 16, 6, 0]
    """
    leaf, columns = _shape(type_name)
    return 0 if leaf is None else leaf.num_components * columns


@lru_cache(_MOST_NAMES)
def _shape(type_name: str) -> tuple[LeafType | None, int]:
    """Return the type of a column, and the number of columns: 1 for scalars and vectors."""
    matrix = None if "[" in type_name else array_parts(type_name)
    return (leaf_type(type_name), 1) if matrix is None else (leaf_type(matrix[0]), matrix[1])


def intrinsic_src_type(instr: IntrinsicInstr, position: int) -> str:
    """Return the base type of an intrinsic's source, if Mesa defines one."""
    name = instr.name
    if name == "store_output" and position == 0:
        return _index_type(instr, "src_type")
    if name == "store_deref" and position == 1:
        return _pointee_type(instr)
    return "int" if _OFFSET_SOURCES.get(name) == position else ""


def intrinsic_dest_type(instr: IntrinsicInstr) -> str:
    """Return the base type of an intrinsic's value, if Mesa defines one."""
    name = instr.name
    if name == "load_deref":
        return _pointee_type(instr)
    if name in ("load_input", "load_uniform", "load_per_primitive_input"):
        return _index_type(instr, "dest_type")
    return ""


def tex_src_type(instr: TexInstr, kind: str) -> str:
    """Return the base type of a texture source by its kind."""
    if kind == "coord":
        return "int" if instr.op in _INTEGER_COORDINATES else "float"
    if kind == "lod":
        return "int" if instr.op in _INTEGER_LODS else "float"
    if kind in _FLOAT_TEX_SOURCES:
        return "float"
    return "int" if kind in _INTEGER_TEX_SOURCES else "uint"


def _index_type(instr: IntrinsicInstr, index: str) -> str:
    return base_type(instr.indices.get(index))


def _pointee_type(instr: IntrinsicInstr) -> str:
    pointer = instr.sources[0].def_ if instr.sources else None
    if pointer is None or not isinstance(pointer.instr, DerefInstr):
        return ""
    return glsl_base_type(pointer.instr.type_name)
