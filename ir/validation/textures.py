"""Checks of texture instructions: allowed and required sources, and results.

The rules of validate_tex_instr in Mesa give errors, what only the documentation in nir.h says gives warnings.
"""

from __future__ import annotations

from nirls.ir.finding import Severity
from nirls.ir.model.glsl_types import is_known_not_struct, opaque_kind
from nirls.ir.model.instructions import DerefInstr, TexInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.model.variable_path import PATH_SOURCES
from nirls.ir.tables.entries import split_type
from nirls.ir.validation.reporter import Reporter

_SAMPLING = frozenset(("tex", "txb", "txl", "txd", "txf", "txf_ms", "tg4", "lod", "txf_ms_fb"))
_QUERIES = frozenset(("txs", "query_levels", "texture_samples", "samples_identical"))
_OTHERS = frozenset(
    (
        *("txf_ms_mcs", "txf_ms_mcs_intel", "tex_prefetch", "fragment_fetch", "fragment_mask_fetch"),
        *("fragment_fetch_amd", "fragment_mask_fetch_amd", "descriptor_amd", "sampler_descriptor_amd"),
        *("hdr_dim_nv", "tex_type_nv", "lod_bias_agx", "lod_bias", "custom_border_color_agx"),
        *("has_custom_border_color_agx", "image_min_lod_agx", "gradient_pan", "resinfo_intel"),
        *("sample_pos_nv", "custom_border_color", "has_custom_border_color", "lod_query"),
    )
)
_KNOWN = _SAMPLING | _QUERIES | _OTHERS

# Required sources besides the coordinate.
_REQUIRED: dict[str, tuple[str, ...]] = {
    "txb": ("bias",),
    "txl": ("lod",),
    "txd": ("ddx", "ddy"),
    "txf_ms": ("ms_index",),
}
# Drivers fold these into one of their own sources (`backend1`).
_FOLDABLE = frozenset(("coord", "bias", "lod", "ddx", "ddy", "ms_index"))
_ALLOWED_FOR: dict[str, frozenset[str]] = {
    "bias": frozenset(("txb", "tg4", "lod")),
    "ddx": frozenset(("txd",)),
    "ddy": frozenset(("txd",)),
}
_NO_LOD = frozenset(("tex", "txb", "txd", "lod"))
_SCALARS = frozenset(("lod", "bias", "comparator", "ms_index", "projector", "min_lod", "plane"))
_RESULT_WIDTHS: dict[str, tuple[int, ...]] = {
    "lod": (2,),
    "query_levels": (1,),
    "texture_samples": (1,),
    "samples_identical": (1,),
    "txs": (1, 2, 3),
    "tg4": (4,),
}
# A shadow lookup may return one component; a sparse lookup appends the residency code.
_SAMPLE_WIDTHS = (1, 4)
_RESULT_BASES: dict[str, tuple[str, ...]] = {
    "lod": ("float",),
    "txs": ("int", "uint"),
    "query_levels": ("int", "uint"),
    "texture_samples": ("int", "uint"),
    "samples_identical": ("bool",),
}


def is_known_texture_op(name: str) -> bool:
    """Whether Mesa has the texture operation."""
    return name in _KNOWN


def check_texture(instr: TexInstr, reporter: Reporter) -> None:
    """Check a texture instruction of a known operation."""
    _check_sources(instr, reporter)
    _check_required(instr, reporter)
    _check_result(instr, reporter)
    if instr.component and instr.op != "tg4":
        reporter.report("bad-texture-source", f"{instr.op} has no gather component", instr.span)
    if instr.offsets:
        if instr.op != "tg4":
            reporter.report("bad-texture-source", f"{instr.op} takes one offset only", instr.span)
        elif instr.src_of_kind("offset") is not None:
            reporter.report("bad-texture-source", "tg4 has both one offset and four", instr.span)


def _check_sources(instr: TexInstr, reporter: Reporter) -> None:
    seen: set[str] = set()
    is_old = reporter.shader.dialect is Dialect.OLD
    for position, src in enumerate(instr.sources):
        kind = src.kind
        problem = ""
        if kind in seen and kind not in _PATHS:
            problem = f"{instr.op} has two {kind} sources"
        elif kind in _ALLOWED_FOR and instr.op not in _ALLOWED_FOR[kind] and instr.op in _SAMPLING:
            problem = f"{instr.op} takes no {kind}"
        elif kind == "lod" and instr.op in _NO_LOD:
            problem = f"{instr.op} takes no lod"
        elif kind in _SCALARS and src.num_components > 1 and not is_old:
            problem = f"{kind} {reporter.name_of(src)} has {src.num_components} components"
        elif kind in ("texture_deref", "sampler_deref"):
            problem = _deref_problem(kind, src.def_instr)
        if problem:
            reporter.report("bad-texture-source", problem, reporter.place_of_source(instr, position))
        seen.add(kind)


_PATHS = frozenset(PATH_SOURCES.values())


def _deref_problem(kind: str, deref: object) -> str:
    if deref is None:
        return ""
    if not isinstance(deref, DerefInstr):
        return f"{kind} is not a deref"
    if not is_known_not_struct(deref.type_name):
        return ""
    opaque = opaque_kind(deref.type_name)
    allowed = ("sampler",) if kind == "sampler_deref" else ("sampler", "texture", "image", "subpassInput")
    return "" if opaque in allowed else f"{kind} of type {deref.type_name}"


def _check_required(instr: TexInstr, reporter: Reporter) -> None:
    kinds = {src.kind for src in instr.sources}
    if any(kind.startswith("backend") for kind in kinds):
        return
    needed = ("coord", *_REQUIRED.get(instr.op, ())) if instr.op in _SAMPLING else ()
    for kind in needed:
        if kind not in kinds and kind in _FOLDABLE:
            reporter.report("missing-texture-source", f"{instr.op} has no {kind}", instr.span)


def _check_result(instr: TexInstr, reporter: Reporter) -> None:
    value = instr.def_
    base, size = split_type(instr.dest_type)
    size = (size or 32) if base else 0
    bases = _RESULT_BASES.get(instr.op)
    if bases is not None and base and base not in bases:
        message = f"{instr.op} returns {' or '.join(bases)}, not {base}"
        reporter.report("bad-texture-type", message, instr.span, severity=Severity.WARNING)
    if value is None or not value.num_components:
        return
    # Booleans are lowered to 32 bits without changing the printed type.
    if size and value.bit_size and value.bit_size != size and base != "bool":
        message = f"{reporter.name_of(value)} has {value.bit_size} bits, but {instr.dest_type} has {size}"
        reporter.report("bad-texture-type", message, reporter.place_of_dest(instr))
    is_sparse = any("sparse" in flag for flag in instr.flags)
    widths = _RESULT_WIDTHS.get(instr.op, _SAMPLE_WIDTHS if instr.op in _SAMPLING else ())
    if widths and value.num_components - is_sparse not in widths:
        message = f"{instr.op} returns {' or '.join(map(str, widths))} components, not {value.num_components}"
        reporter.report("bad-texture-type", message, reporter.place_of_dest(instr))
