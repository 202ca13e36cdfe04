"""C++ for the constant indices of intrinsics, by the names and types of nir_intrinsics.py."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from nirls.ir.mesa_test.access import access_expression
from nirls.ir.mesa_test.code import Code, mask_expression
from nirls.ir.mesa_test.variables import MODES, format_expression
from nirls.ir.model.access import access_bits
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.slots import slot_name, slot_stage

_SIGNED: Final = frozenset(("base",))
_OTHER_ACCESSES: Final = frozenset(("dst_access", "src_access"))
_MASKED_SWIZZLE = re.compile(r"\(\(id & (\d+)\) \| (\d+)\) \^ (\d+)\Z")
_WORD = re.compile(r"\w+\Z", re.ASCII)

_IMAGE_DIMS: Final = {
    "1D": "GLSL_SAMPLER_DIM_1D",
    "2D": "GLSL_SAMPLER_DIM_2D",
    "3D": "GLSL_SAMPLER_DIM_3D",
    "Cube": "GLSL_SAMPLER_DIM_CUBE",
    "Rect": "GLSL_SAMPLER_DIM_RECT",
    "Buf": "GLSL_SAMPLER_DIM_BUF",
    "2D-MSAA": "GLSL_SAMPLER_DIM_MS",
    "Subpass": "GLSL_SAMPLER_DIM_SUBPASS",
    "Subpass-MSAA": "GLSL_SAMPLER_DIM_SUBPASS_MS",
}
_DESCRIPTORS: Final = {
    "sampler": "VK_DESCRIPTOR_TYPE_SAMPLER",
    "texture+sampler": "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER",
    "texture": "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE",
    "image": "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE",
    "texture-buffer": "VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER",
    "image-buffer": "VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER",
    "UBO": "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER",
    "SSBO": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER",
    "input-att": "VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT",
    "inline-UBO": "VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK",
    "accel-struct": "VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR",
}
_MEMORY_SEMANTICS: Final = {
    "ACQ": "NIR_MEMORY_ACQUIRE",
    "REL": "NIR_MEMORY_RELEASE",
    "AVAILABLE": "NIR_MEMORY_MAKE_AVAILABLE",
    "VISIBLE": "NIR_MEMORY_MAKE_VISIBLE",
}
_LAYOUTS: Final = {
    "row_major": "GLSL_MATRIX_LAYOUT_ROW_MAJOR",
    "col_major": "GLSL_MATRIX_LAYOUT_COLUMN_MAJOR",
}
_RESOURCES: Final = {
    "bindless": "nir_resource_intel_bindless",
    "pushable": "nir_resource_intel_pushable",
    "sampler": "nir_resource_intel_sampler",
    "non-uniform": "nir_resource_intel_non_uniform",
    "sampler-embedded": "nir_resource_intel_sampler_embedded",
}
_CMAT_SIGNS: Final = {
    "A": "NIR_CMAT_A_SIGNED",
    "B": "NIR_CMAT_B_SIGNED",
    "C": "NIR_CMAT_C_SIGNED",
    "Result": "NIR_CMAT_RESULT_SIGNED",
}
_MATH_WORDS: Final = {
    "exact": "nir_fp_exact",
    "fp-fast-math": "nir_fp_fast_math",
    "preserve:sz": "nir_fp_preserve_signed_zero",
    "preserve:inf": "nir_fp_preserve_inf",
    "preserve:nan": "nir_fp_preserve_nan",
}
# The words of `io_semantics` in the order of the members of `nir_io_semantics`.
_SEMANTICS: Final = {
    "dualsrc": "dual_source_blend_index",
    "fbfetch": "fb_fetch_output",
    "coherent": "fb_fetch_output_coherent",
    "gs_streams": "gs_streams",
    "mediump": "medium_precision",
    "perview": "per_view",
    "high_16bits": "high_16bits",
    "invariant": "invariant",
    "high_dvec2": "high_dvec2",
    "no_varying": "no_varying",
    "no_sysval_output": "no_sysval_output",
    "explicit_strict": "interp_explicit_strict",
}

NEWER_SEMANTICS: Final = ("no_signed_zero", "no_validate")
"""Words of 26 whose place among the members is not known: they are set one by one, after the others."""


def index_expression(instr: IntrinsicInstr, name: str, value: IndexValue, code: Code) -> str | None:
    """Return the expression for an index; None for one that is zero, which designated members leave out."""
    if isinstance(value, IoSemantics):
        return _io_semantics(instr, value, code)
    if isinstance(value, XfbOutputs):
        return _xfb(value, first=2 if name == "io_xfb2" else 0) if value.outputs else None
    if isinstance(value, tuple):
        return _flags(instr, name, value, code) if value else None
    if isinstance(value, int):
        return _number(instr, name, value, code)
    if name in _OTHER_ACCESSES:
        bits = access_bits(value)
        if bits is not None:
            return _number(instr, name, bits, code)
    writer = _WRITERS.get(name)
    if writer is None:
        return code.refuse(f"the index {name}={value} of @{instr.name}")
    if name == "desc_type":
        code.includes.add("vulkan/vulkan_core.h")
    expression = writer(value)
    if expression is None:
        return code.refuse(f"the index {name}={value} of @{instr.name}")
    return expression or None


def _number(instr: IntrinsicInstr, name: str, value: int, code: Code) -> str | None:
    if name == "access" or name in _OTHER_ACCESSES:
        return access_expression(value, code) if value else None
    if name == "swizzle_mask" and instr.name == "quad_swizzle_amd":
        lanes = f"{value:04d}"
        value = sum(int(lane) << (2 * place) for place, lane in enumerate(lanes))
    if not value:
        return None
    if name == "write_mask":
        return f"0x{value:x}"
    if value < 0 and name not in _SIGNED:
        return f"0x{value & 0xFFFFFFFF:x}"
    return str(value)


def _io_semantics(instr: IntrinsicInstr, value: IoSemantics, code: Code) -> str:
    if value.location < 0:
        return code.refuse("an access to a slot without a name, whose number is not printed")
    stage = slot_stage(instr.name, code.shader.stage)
    is_output = "output" in instr.name
    is_named = is_output or instr.name.endswith(("input", "input_vertex"))
    slot = slot_name(value.location, stage, is_output=is_output) if is_named else "UNKNOWN"
    location = str(value.location) if slot == "UNKNOWN" else slot
    members = [f".location = {location}"]
    if value.num_slots != 1:
        members.append(f".num_slots = {value.num_slots}")
    given = dict(value.values)
    for word in (*value.flags, *given):
        if word in NEWER_SEMANTICS and code.api.is_since_26:
            continue
        if word not in _SEMANTICS:
            code.refuse(f"the word {word} of the I/O semantics of @{instr.name}")
    for word, member in _SEMANTICS.items():
        if word == "gs_streams":
            streams = _streams(given.get(word, ""))
            if streams:
                members.append(f".{member} = 0x{streams:x}")
        elif word in value.flags:
            members.append(f".{member} = 1")
    return f"{{{', '.join(members)}}}"


def _streams(text: str) -> int:
    """Pack `x=0 y=1 z=0 w=0` into two bits for each component."""
    numbers = re.findall(r"\d+", text)
    return sum((int(number) & 3) << (2 * place) for place, number in enumerate(numbers))


def _xfb(value: XfbOutputs, first: int) -> str:
    places = {start - first: (count, buffer, offset) for start, count, buffer, offset in value.outputs}
    outputs = []
    for place in range(max(places) + 1):
        count, buffer, offset = places.get(place, (0, 0, 0))
        outputs.append(f"{{.num_components = {count}, .buffer = {buffer}, .offset = {offset // 4}}}")
    return f"{{.out = {{{', '.join(outputs)}}}}}"


def _flags(instr: IntrinsicInstr, name: str, words: tuple[str, ...], code: Code) -> str | None:
    if name == "memory_modes":
        return modes_expression("|".join(words), code)
    names = _MEMORY_SEMANTICS if name == "memory_semantics" else {}
    wanted = [word for word in words if word != "NONE"]
    for word in wanted:
        if word not in names:
            code.refuse(f"the index {name}={'|'.join(words)} of @{instr.name}")
    if not wanted:
        return None
    return mask_expression([names[word] for word in wanted if word in names], "nir_memory_semantics")


def modes_expression(text: str, code: Code) -> str:
    """Return the expression for modes of variables joined by `|`."""
    words = [word.strip() for word in text.split("|")]
    for word in words:
        if word not in MODES:
            code.refuse(f"the mode {word}")
    return mask_expression([MODES[word] for word in words if word in MODES], "nir_variable_mode")


def _in(names: dict[str, str]) -> Callable[[str], str | None]:
    return names.get


def _mask_in(names: dict[str, str], type_name: str) -> Callable[[str], str | None]:
    def write(text: str) -> str | None:
        words = text.split("|")
        if not all(word in names for word in words):
            return None
        return mask_expression([names[word] for word in words], type_name)

    return write


def _prefixed(prefix: str) -> Callable[[str], str | None]:
    return lambda text: f"{prefix}{text}" if _WORD.match(text) else None


def _boolean(text: str) -> str | None:
    return {"true": "true", "false": ""}.get(text)


def _scope(text: str) -> str | None:
    return "" if text == "NONE" else f"SCOPE_{text}" if _WORD.match(text) else None


def _interpolation(text: str) -> str | None:
    return "" if text == "INTERP_MODE_NONE" else text if _WORD.match(text) else None


def _format(text: str) -> str | None:
    return "" if text == "none" else format_expression(text) if _WORD.match(text) else None


def _alu_type(text: str) -> str | None:
    return "" if text == "invalid" else f"nir_type_{text}" if _WORD.match(text) else None


def _rounding(text: str) -> str | None:
    return "" if text == "undef" else f"nir_rounding_mode_{text}" if _WORD.match(text) else None


def _atomic(text: str) -> str | None:
    if not _WORD.match(text):
        return None
    return f"nir_atomic_op_{'ordered_add_gfx12_amd' if text == 'ordered_add' else text}"


def _masked_swizzle(text: str) -> str | None:
    match = _MASKED_SWIZZLE.match(text)
    if match is None:
        return None
    keep, force, flip = map(int, match.groups())
    return f"0x{keep | force << 5 | flip << 10:x}"


def _math_control(text: str) -> str | None:
    words = []
    for part in text.split(", "):
        start, colon, kept = part.partition(":")
        words += [f"{start}:{word}" for word in kept.split(",")] if colon else [part]
    if not all(word in _MATH_WORDS for word in words):
        return None
    return " | ".join(_MATH_WORDS[word] for word in words if word != "fp-fast-math")


_WRITERS: Final[dict[str, Callable[[str], str | None]]] = {
    "image_dim": _in(_IMAGE_DIMS),
    "image_array": _boolean,
    "format": _format,
    "desc_type": _in(_DESCRIPTORS),
    "src_type": _alu_type,
    "dest_type": _alu_type,
    "swizzle_mask": _masked_swizzle,
    "memory_scope": _scope,
    "execution_scope": _scope,
    "interp_mode": _interpolation,
    "reduction_op": _prefixed("nir_op_"),
    "alu_op": _prefixed("nir_op_"),
    "atomic_op": _atomic,
    "rounding_mode": _rounding,
    "ray_query_value": _prefixed("nir_ray_query_value_"),
    "matrix_layout": _in(_LAYOUTS),
    "resource_access_intel": _mask_in(_RESOURCES, "nir_resource_data_intel"),
    "cmat_signed_mask": _mask_in(_CMAT_SIGNS, "nir_cmat_signed"),
    "fp_math_ctrl": _math_control,
}
