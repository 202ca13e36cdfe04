"""Printing of intrinsic indices in each dialect, and the raw numbers that older dialects add."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from nirls.ir.io.access import INPUT_LOADS, OUTPUT_STORES
from nirls.ir.model.access import access_words
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Dialect
from nirls.ir.model.slots import slot_name, slot_stage
from nirls.ir.model.stage import Stage
from nirls.ir.tables import FREE_COMPONENTS, intrinsic, opcodes
from nirls.ir.tables.entries import split_type
from nirls.ir.text.lowering.index_values import ALU_BASE_TYPES, INTERP_MODES, TABLE_NAMES

_PRINTED_NAMES = {table_name: printed for printed, table_name in TABLE_NAMES.items()}

_INPUT_ACCESSES = INPUT_LOADS | {"load_coefficients_agx", "load_attribute_pan"}
_OUTPUT_ACCESSES = OUTPUT_STORES | {"load_output"}
_STAGES_WITH_SLOTS = frozenset(
    (
        Stage.VERTEX,
        Stage.TESS_CTRL,
        Stage.TESS_EVAL,
        Stage.GEOMETRY,
        Stage.FRAGMENT,
        Stage.TASK,
        Stage.MESH,
    )
)

_CLASSIC_RELEASE = "22.3"
_MASKED_SWIZZLE = re.compile(r"\(\(id & (\d{1,9})\) \| (\d{1,9})\) \^ (\d{1,9})\Z")

_ALU_BASES = {base: number for number, base in ALU_BASE_TYPES.items()}
# The numbers of Mesa 22.3, whose format classic dumps are printed in.
_MEMORY_SEMANTICS = {"NONE": 0, "ACQ": 1, "REL": 2, "AVAILABLE": 4, "VISIBLE": 8}
_VARIABLE_MODES = (
    "system",
    "uniform",
    "shader_in",
    "shader_out",
    "image",
    "shader_call_data",
    "ray_hit_attrib",
    "ubo",
    "push_const",
    "ssbo",
    "constant",
    "task_payload",
    "shader_temp",
    "function_temp",
    "shared",
    "global",
)
_ENUMERATIONS: Mapping[str, Mapping[str, int]] = {
    "execution_scope": (
        _SCOPES := {
            "NONE": 0,
            "INVOCATION": 1,
            "SUBGROUP": 2,
            "SHADER_CALL": 3,
            "WORKGROUP": 4,
            "QUEUE_FAMILY": 5,
            "DEVICE": 6,
        }
    ),
    "memory_scope": _SCOPES,
    "exec_scope": _SCOPES,
    "mem_scope": _SCOPES,
    "image_dim": {
        "1D": 0,
        "2D": 1,
        "3D": 2,
        "Cube": 3,
        "Rect": 4,
        "Buf": 5,
        "2D-MSAA": 7,
        "Subpass": 8,
        "Subpass-MSAA": 9,
    },
    "image_array": {"false": 0, "true": 1},
    "format": {"none": 0},
    "desc_type": {
        "sampler": 0,
        "texture+sampler": 1,
        "texture": 2,
        "image": 3,
        "texture-buffer": 4,
        "image-buffer": 5,
        "UBO": 6,
        "SSBO": 7,
        "input-att": 10,
        "inline-UBO": 1000138000,
        "accel-struct": 1000150000,
    },
    "rounding_mode": {"undef": 0, "rtne": 1, "ru": 2, "rd": 3, "rtz": 4},
}
# Indices that older printers show as a word or a mask, with the raw number in a comment.
_SHOWN_AS_WORDS = frozenset(
    (
        "write_mask",
        "reduction_op",
        "src_type",
        "dest_type",
        "swizzle_mask",
        "memory_semantics",
        "memory_modes",
        "io_semantics",
        "io_xfb",
        "io_xfb2",
        "ray_query_value",
        *_ENUMERATIONS,
    )
)
# Of I/O semantics, only text that could not be read is a string.
_WITHOUT_NAME = frozenset(("cmat_desc", "dst_cmat_desc", "src_cmat_desc", "fp_math_ctrl", "io_semantics"))
# Words without a name are numbered in the order in which they stand.
_IN_ORDER = re.compile(r"index\d+\Z")
_PLAIN_NUMBERS_IN_OLDER = frozenset(("access", "interp_mode"))


def component_letters(num_components: int) -> str:
    """Return the component letters of a value of that width."""
    return "xyzw" if num_components <= 4 else "abcdefghijklmnop"


def index_text(instr: IntrinsicInstr, name: str, value: IndexValue, stage: Stage | None) -> str:
    """Format an index as in modern dumps, `name=value`."""
    if isinstance(value, int):
        if name == "access":
            return f"access={'|'.join(access_words(value)) or 'none'}"
        if name == "write_mask":
            return f"wrmask={mask_letters(value, stored_components(instr))}"
        if name == "swizzle_mask" and instr.name == "quad_swizzle_amd":
            # One digit for each invocation of the quad.
            return f"swizzle_mask={value:04d}"
        return f"{_PRINTED_NAMES.get(name, name)}={value}"
    if isinstance(value, IoSemantics):
        return f"io location={_slot_text(instr.name, value.location, stage)}{_io_details(value)}"
    if isinstance(value, XfbOutputs):
        return f"{_PRINTED_NAMES[name]}({_xfb_details(value)})"
    if isinstance(value, tuple):
        return f"{_PRINTED_NAMES.get(name, name)}={_words_text(name, value)}"
    if name in _WITHOUT_NAME or _IN_ORDER.match(name):
        return value
    return f"{_PRINTED_NAMES.get(name, name)}={value}"


def older_index_text(
    instr: IntrinsicInstr, name: str, value: IndexValue, dialect: Dialect, stage: Stage | None = None
) -> str:
    """Format an index as in classic and old dumps, without the raw number."""
    if name in _PLAIN_NUMBERS_IN_OLDER:
        number = raw_number(name, value)
        return f"{name}={value if number is None else number}"
    if isinstance(value, IoSemantics):
        if dialect is Dialect.OLD:
            return f"location={max(value.location, 0)}{_old_io_details(instr, value, stage)}"
        slot = "UNKNOWN" if value.location < 0 else value.location
        return f"io location={slot}{_io_details(value, dialect)}"
    if name == "memory_modes" and value == ():
        return f"{_PRINTED_NAMES[name]}="
    text = index_text(instr, name, value, None)
    # Old dumps have a space after formats.
    return f"{text} " if name == "format" and dialect is Dialect.OLD else text


def is_shown_as_word(name: str) -> bool:
    """Return whether classic dumps add the raw number in a comment after the index."""
    return name in _SHOWN_AS_WORDS


def is_unnamed(name: str) -> bool:
    """Return whether an index has only a place: its name was not printed, and no table has it."""
    return _IN_ORDER.match(name) is not None


def raw_number(name: str, value: IndexValue) -> int | None:
    """Return the raw number of an index in Mesa 22.3; None if unknown."""
    if isinstance(value, int):
        return value
    if isinstance(value, IoSemantics):
        return _packed_io_semantics(value)
    if isinstance(value, XfbOutputs):
        return _packed_xfb(value, first=0 if name == "io_xfb" else 2)
    if name in ("src_type", "dest_type") and isinstance(value, str):
        base, size = split_type(value)
        return None if base not in _ALU_BASES else _ALU_BASES[base] | size
    if name == "interp_mode" and isinstance(value, str):
        return INTERP_MODES.index(value) if value in INTERP_MODES else None
    words = (value,) if isinstance(value, str) else value
    if name == "memory_semantics":
        return _bits(words, _MEMORY_SEMANTICS)
    if name == "memory_modes":
        return _bits(words, {word: 1 << bit for bit, word in enumerate(_VARIABLE_MODES)})
    if isinstance(value, str):
        if name == "reduction_op":
            return _opcode_numbers().get(value)
        if name == "swizzle_mask":
            return _masked_swizzle(value)
        return _ENUMERATIONS.get(name, {}).get(value)
    return None


def unpack_io_flags(value: IoSemantics) -> IoSemantics:
    """Convert the flags of an old dump's packed word to flag words.

    The flags up to `high_16bits` kept their bit positions; those above were added and moved later.
    """
    packed = dict(value.values).get("packed")
    if packed is None:
        return value
    number = int(packed)
    words = [word for word, bit in _IO_FLAG_BITS.items() if bit <= _LAST_STABLE_FLAG and number & bit]
    rest = tuple(item for item in value.values if item[0] != "packed")
    return IoSemantics(value.location, value.num_slots, (*value.flags, *words), rest)


def stored_components(instr: IntrinsicInstr) -> int:
    """Return the component count (Mesa: `nir_intrinsic_instr::num_components`), from the stored value."""
    entry = intrinsic(instr.name)
    if entry is not None:
        for width, src in zip(entry.src_components, instr.sources, strict=False):
            if width == FREE_COMPONENTS and src.num_components:
                return src.num_components
    return instr.def_.num_components if instr.def_ is not None else 4


def mask_letters(mask: int, num_components: int) -> str:
    """Return the letters of a write mask: 5 is `xz`."""
    letters = component_letters(num_components)
    return "".join([letters[i] for i in range(min(num_components, 16)) if mask >> i & 1])


def slot_is_named(intrinsic_name: str, stage: Stage | None) -> bool:
    """Return whether modern dumps print the slot of an access by name rather than number."""
    return (
        intrinsic_name in _INPUT_ACCESSES or intrinsic_name in _OUTPUT_ACCESSES
    ) and stage in _STAGES_WITH_SLOTS


def _slot_text(intrinsic_name: str, location: int, stage: Stage | None) -> str:
    if slot_is_named(intrinsic_name, stage):
        owner = slot_stage(intrinsic_name, stage)
        return slot_name(location, owner, is_output=intrinsic_name in _OUTPUT_ACCESSES)
    return "UNKNOWN" if location < 0 else str(location)


def _io_details(value: IoSemantics, dialect: Dialect = Dialect.MODERN) -> str:
    flags: tuple[str, ...] = value.flags
    if dialect is not Dialect.MODERN:
        # Older printers have no words for these.
        flags = tuple(flag for flag in flags if flag not in ("invariant", "high_dvec2", "explicit_strict"))
    words = "".join([f" {flag}" for flag in flags])
    numbers = "".join([f" {key}({text})" for key, text in value.values if key != "packed"])
    return f" slots={value.num_slots}{words}{numbers}"


def _old_io_details(instr: IntrinsicInstr, value: IoSemantics, stage: Stage | None) -> str:
    """Format slots and flags as in 2020 and 2021, which depends on the stage."""
    packed = _packed_io_semantics(value) or 0
    is_store = instr.name == "store_output"
    text = f" slots={value.num_slots}"
    if stage is Stage.FRAGMENT and is_store and packed & _IO_FLAG_BITS["dualsrc"]:
        text += " dualsrc=1"
    if stage is Stage.FRAGMENT and instr.name == "load_output" and packed & _IO_FLAG_BITS["fbfetch"]:
        text += " fbfetch=1"
    if is_store and packed & _IO_FLAG_BITS["perview"]:
        text += " perview=1"
    if stage is Stage.GEOMETRY and is_store:
        streams = [f"{letter}={packed >> (15 + 2 * i) & 3}" for i, letter in enumerate("xyzw")]
        text += f" gs_streams({' '.join(streams)})"
    words = [word for word in ("mediump", "high_16bits") if packed & _IO_FLAG_BITS[word]]
    return text + "".join([f" {word}" for word in words])


def _xfb_details(value: XfbOutputs) -> str:
    captures = []
    for component, count, buffer, offset in value.outputs:
        run = f"components={component}..{component + count - 1}" if count > 1 else f"component={component}"
        captures.append(f"{run} buffer={buffer} offset={offset}")
    return ", ".join(captures)


def _words_text(name: str, words: tuple[str, ...]) -> str:
    if words:
        return "|".join(words)
    return "NONE" if name == "memory_semantics" else "0"


def _bits(words: tuple[str, ...], bits: Mapping[str, int]) -> int | None:
    number = 0
    for word in words:
        bit = bits.get(word)
        if bit is None:
            return None
        number |= bit
    return number


_LAST_STABLE_FLAG = 1 << 25
_IO_FLAG_BITS = {
    "dualsrc": 1 << 13,
    "fbfetch": 1 << 14,
    "mediump": 1 << 23,
    "perview": 1 << 24,
    "high_16bits": 1 << 25,
    "invariant": 1 << 26,
    "no_varying": 1 << 27,
    "no_sysval_output": 1 << 28,
}


def _packed_io_semantics(value: IoSemantics) -> int | None:
    details = dict(value.values)
    if "packed" in details:
        # The flags of old dumps are kept; the location and the slots may have been changed.
        return int(details["packed"]) & ~0x1FFF | (value.location & 0x7F) | (value.num_slots & 0x3F) << 7
    if value.location < 0:
        return None
    number = value.location | value.num_slots << 7
    for flag in value.flags:
        number |= _IO_FLAG_BITS.get(flag, 0)
    streams = details.get("gs_streams")
    if streams is not None:
        for component, entry in enumerate(streams.split()):
            stream = entry.partition("=")[2]
            number |= (int(stream[:1]) if stream[:1].isdecimal() else 0) << (15 + 2 * component)
    return number


def _packed_xfb(value: XfbOutputs, first: int) -> int:
    number = 0
    for component, count, buffer, offset in value.outputs:
        number |= (count | buffer << 4 | (offset // 4 & 0xFF) << 8) << (16 * ((component - first) & 1))
    return number - (1 << 32) if number >> 31 else number


@cache
def _opcode_numbers() -> Mapping[str, int]:
    """Return the numbers of `nir_op` in Mesa 22.3, whose opcodes are in alphabetical order."""
    names = [
        name
        for name, entry in sorted(opcodes().items())
        if any(_CLASSIC_RELEASE in form.releases for form in entry.forms())
    ]
    return {name: number for number, name in enumerate(names)}


def _masked_swizzle(text: str) -> int | None:
    match = _MASKED_SWIZZLE.match(text)
    if match is None:
        return None
    keep, force, flip = map(int, match.groups())
    return keep & 0x1F | (force & 0x1F) << 5 | (flip & 0x1F) << 10
