"""C++ for texture instructions.

A dump prints neither the dimension nor whether the texture is an array; a deref of the texture has them in
its type. Without one, the simplest dimension is taken that the sources allow.
"""

from __future__ import annotations

import re
from typing import Final

from nirls.ir.mesa_test.code import Code, def_name
from nirls.ir.mesa_test.types import SAMPLER_DIMS, sampled_dimension
from nirls.ir.model.glsl_types import without_arrays
from nirls.ir.model.instructions import DerefInstr, TexInstr

_OPS: Final = {"tex (pre-dispatchable)": "tex_prefetch"}
_FLAGS: Final = {
    "texture non-uniform": "texture_non_uniform",
    "sampler non-uniform": "sampler_non_uniform",
    "implicit lod": "is_gather_implicit_lod",
    "sparse": "is_sparse",
    "skip_helpers": "skip_helpers",
}
# Coordinates of a dimension, without the layer of an array.
_WIDTHS: Final = {1: "1D", 2: "2D", 3: "3D"}
_BACKEND_FLAGS = re.compile(r"backend_flags=0x[0-9A-Fa-f]+\Z")
_MULTISAMPLED: Final = ("txf_ms", "txf_ms_fb", "txf_ms_mcs_intel", "fragment_fetch_amd")


def write_tex(instr: TexInstr, code: Code) -> None:
    """Write one texture instruction."""
    value = instr.def_
    if value is None or any(src.def_ is None for src in instr.sources):
        code.refuse(f"{instr.op} of registers of the old form")
        return
    name, number = f"tex_{value.index}", value.index
    flags = [flag for flag in instr.flags if flag in _FLAGS]
    backend_flags = [flag for flag in instr.flags if _BACKEND_FLAGS.match(flag)]
    others = instr.flags - {*flags, *backend_flags}
    unknown = sorted(flag for flag in others if not _is_dimension(flag))
    if unknown:
        code.refuse(f"the flag {', '.join(unknown)} of {instr.op}")
        return
    dim, is_array = _dimension(instr)
    coordinate = instr.src_of_kind("coord")
    code.line(f"nir_tex_instr *{name} = nir_tex_instr_create(b->shader, {len(instr.sources)});")
    code.line(f"{name}->op = nir_texop_{_OPS.get(instr.op) or code.word(instr.op)};")
    code.line(f"{name}->dest_type = nir_type_{code.word(instr.dest_type)};")
    code.line(f"{name}->sampler_dim = {dim};")
    if is_array:
        code.line(f"{name}->is_array = true;")
    if coordinate is not None:
        code.line(f"{name}->coord_components = {coordinate.num_components};")
    if instr.src_of_kind("comparator") is not None:
        code.line(f"{name}->is_shadow = true;")
        if value.num_components - ("sparse" in flags) == 1:
            code.line(f"{name}->is_new_style_shadow = true;")
    for flag in sorted(flags):
        code.line(f"{name}->{_FLAGS[flag]} = true;")
    for flag in backend_flags:
        code.line(f"{name}->{flag.replace('=', ' = ')};")
    for member in ("component", "texture_index", "sampler_index"):
        index = getattr(instr, member)
        if index:
            code.line(f"{name}->{member} = {index};")
    for place, offsets in enumerate(instr.offsets):
        for axis, offset in enumerate(offsets):
            code.line(f"{name}->tg4_offsets[{place}][{axis}] = {offset};")
    for place, src in enumerate(instr.sources):
        kind = f"nir_tex_src_{code.word(src.kind)}"
        code.line(f"{name}->src[{place}] = nir_tex_src_for_ssa({kind}, {code.value(src)});")
    code.line(f"nir_def_init(&{name}->instr, &{name}->def, {value.num_components}, {value.bit_size});")
    code.line(f"nir_builder_instr_insert(b, &{name}->instr);")
    code.line(f"nir_def *{def_name(value)} = &tex_{number}->def;")


def _is_dimension(flag: str) -> bool:
    """Whether newer printers add this word for the dimension."""
    return not flag[:1].islower()


def _dimension(instr: TexInstr) -> tuple[str, bool]:
    """Return the dimension, and whether the texture is an array."""
    for kind in ("texture_deref", "sampler_deref", "texture_deref_intrinsic", "sampler_deref_intrinsic"):
        src = instr.src_of_kind(kind)
        deref = None if src is None else src.def_instr
        if isinstance(deref, DerefInstr):
            found = sampled_dimension(without_arrays(deref.type_name))
            if found is not None:
                return found[0], found[1]
    coordinate, derivative = instr.src_of_kind("coord"), instr.src_of_kind("ddx")
    width = 2 if coordinate is None else coordinate.num_components
    if instr.op in _MULTISAMPLED:
        return SAMPLER_DIMS["2DMS"], width == 3
    if coordinate is None and instr.op == "txs" and instr.def_ is not None:
        width = instr.def_.num_components
    if derivative is not None:
        return SAMPLER_DIMS[_WIDTHS.get(derivative.num_components, "2D")], width > derivative.num_components
    if width == 3 and instr.src_of_kind("comparator") is not None:
        return SAMPLER_DIMS["2D"], True
    return (SAMPLER_DIMS["Cube"], True) if width == 4 else (SAMPLER_DIMS[_WIDTHS.get(width, "2D")], False)
