"""Words for the values of constant indices, by the name of the index in the intrinsic tables."""

from __future__ import annotations

from collections.abc import Mapping

from nirls.ir.model.access import access_words
from nirls.ir.model.instructions import IndexValue
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.slots import varying_slot
from nirls.ir.text.lowering.index_values import INTERP_MODES

VARIABLE_MODES = (
    "shader_in",
    "shader_out",
    "uniform",
    "ubo",
    "ssbo",
    "shared",
    "global",
    "system",
    "image",
    "push_const",
    "constant",
    "shader_temp",
    "function_temp",
    "task_payload",
    "shader_call_data",
    "ray_hit_attrib",
)
_SCOPES = ("NONE", "INVOCATION", "SUBGROUP", "SHADER_CALL", "WORKGROUP", "QUEUE_FAMILY", "DEVICE")
_TYPES = (
    *(f"{base}{size}" for base in ("float", "int", "uint") for size in (32, 16, 64)),
    "int8",
    "uint8",
    "bool1",
    "bool32",
)
_REDUCTIONS = (
    "iadd",
    "imul",
    "fadd",
    "fmul",
    "imin",
    "umin",
    "fmin",
    "imax",
    "umax",
    "fmax",
    "iand",
    "ior",
    "ixor",
)
_ALIGNMENTS = ("4", "8", "16", "32", "64", "128", "256", "1073741824")

WORDS: Mapping[str, tuple[str, ...]] = {
    "access": ("none", *access_words((1 << 20) - 1)),
    "dst_access": ("none", *access_words((1 << 20) - 1)),
    "src_access": ("none", *access_words((1 << 20) - 1)),
    "interp_mode": INTERP_MODES,
    "write_mask": ("x", "xy", "xyz", "xyzw", "y", "z", "w", "yz", "zw", "yzw"),
    "dest_type": _TYPES,
    "src_type": _TYPES,
    "execution_scope": _SCOPES,
    "memory_scope": _SCOPES,
    "memory_semantics": ("NONE", "ACQ", "REL", "ACQ|REL", "AVAILABLE", "VISIBLE"),
    "memory_modes": VARIABLE_MODES,
    "image_dim": ("1D", "2D", "3D", "Cube", "Rect", "Buf", "2D-MSAA", "Subpass", "Subpass-MSAA"),
    "image_array": ("false", "true"),
    "format": (
        "none",
        "r32_float",
        "r32_uint",
        "r32_sint",
        "r32g32_float",
        "r32g32b32a32_float",
        "r32g32b32a32_uint",
        "r32g32b32a32_sint",
        "r16g16b16a16_float",
        "r8g8b8a8_unorm",
        "r8g8b8a8_uint",
        "r8_unorm",
        "r11g11b10_float",
        "r10g10b10a2_unorm",
    ),
    "desc_type": (
        "UBO",
        "SSBO",
        "texture+sampler",
        "texture",
        "sampler",
        "image",
        "texture-buffer",
        "image-buffer",
        "input-att",
        "inline-UBO",
        "accel-struct",
    ),
    "rounding_mode": ("undef", "rtne", "ru", "rd", "rtz"),
    "atomic_op": (
        "iadd",
        "imin",
        "umin",
        "imax",
        "umax",
        "iand",
        "ior",
        "ixor",
        "xchg",
        "fadd",
        "fmin",
        "fmax",
        "cmpxchg",
        "fcmpxchg",
        "inc_wrap",
        "dec_wrap",
    ),
    "reduction_op": _REDUCTIONS,
    "align_mul": _ALIGNMENTS,
    "align_offset": ("0", "4", "8", "12"),
    "component": ("0", "1", "2", "3"),
    "stream_id": ("0", "1", "2", "3"),
    "cluster_size": ("0", "2", "4", "8", "16", "32", "64"),
    "base": ("0",),
    "range_base": ("0",),
    "range": ("16", "4294967295"),
    "slots": ("1", "2", "3", "4"),
}
"""Suggested values by index name in the tables, and `slots` of `io_semantics`."""

DEFAULTS: Mapping[str, IndexValue] = {
    "io_semantics": IoSemantics(varying_slot("VAR0"), 1),
    "io_xfb": XfbOutputs(),
    "io_xfb2": XfbOutputs(),
    "dest_type": "float32",
    "src_type": "float32",
    "write_mask": 1,
    "interp_mode": "INTERP_MODE_SMOOTH",
    "execution_scope": "WORKGROUP",
    "memory_scope": "WORKGROUP",
    "memory_semantics": ("ACQ", "REL"),
    "memory_modes": ("ssbo",),
    "image_dim": "2D",
    "image_array": "false",
    "format": "none",
    "desc_type": "UBO",
    "rounding_mode": "undef",
    "atomic_op": "iadd",
    "reduction_op": "iadd",
    "align_mul": 4,
    "range": 16,
}
"""Default index values of a new intrinsic; 0 for all others."""
