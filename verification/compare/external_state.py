"""Forms in which a shader addresses external state: variables, buffer indices, addresses, exports.

A lowering pass replaces one form by another (a UBO variable by an index and an offset). Two snapshots with
different forms read different contents, although the lowering is correct.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from nirls.ir.analysis.correspondence import value_numbers
from nirls.ir.effects import DERIVATIVE_OPCODES, effects_of
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, LoadConstInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src
from nirls.verification.evaluate.alu.run import is_supported
from nirls.verification.evaluate.steps import INTRINSIC_STEPS, hardware
from nirls.verification.evaluate.steps.descriptors import is_descriptor
from nirls.verification.evaluate.steps.preamble import has_values_of_driver
from nirls.verification.evaluate.steps.system_values import is_known

MEMORY_BY_NAME: dict[str, str] = {
    "ubo": "UBOs by index",
    "ssbo": "SSBOs by index",
    "push_constant": "push constants by offset",
    "push_const": "push constants by offset",
    "uniform": "uniforms by offset",
    "global": "memory by address",
    "smem": "memory by address",
    "buffer": "buffers by descriptor",
    "constant": "constant data by offset",
    "kernel_input": "kernel inputs by offset",
    "const_ir3": "constants by register",
    "task_payload": "task payload by offset",
}
"""Form of a memory access, by the part of its name after `load_` or `store_`, or before `_atomic`."""

LAID_OUT_BY_DRIVERS = frozenset(
    MEMORY_BY_NAME[name] for name in ("push_constant", "uniform", "const_ir3", "kernel_input")
)
"""Forms of memory of which the driver chooses where everything is."""

_ADDRESSED = ("global", "shared", "scratch", "ssbo", "ubo")
"""Memories that are accessed at addresses."""

_MODES: dict[str, str] = {
    "shader_in": "inputs",
    "shader_out": "outputs",
    "system": "",
    "function_temp": "",
    "shader_temp": "",
    "local": "",
    "global": "",
    "shared": "",
    "mem_shared": "",
}
_BINDINGS = frozenset(("vulkan_resource_index", "load_vulkan_descriptor"))
_BY_BINDING = {"UBOs by index": "UBOs by binding", "SSBOs by index": "SSBOs by binding"}
"""Forms of indices that are descriptors of Vulkan, which drivers replace by numbers of their own."""

_OPAQUE_IN_NAME = ("image", "bindless", "texture", "sampler")
TEXTURES_BY_INDEX = "textures by index"
_QUERIES = frozenset(("txs", "query_levels", "texture_samples", "samples_identical", "lod"))
"""Texture operations that a driver computes from the words of a descriptor."""

_TEXTURE_ADDRESSES = frozenset(
    f"{what}_{how}" for what in ("texture", "sampler") for how in ("deref", "handle", "offset")
)
_EXTERNAL_MEMORY = frozenset(("ssbo", "global", "image"))
_HALF = 0x3F000000
_SIZES = ("_size", "_samples", "_levels")
_OWN_MEMORY = ("_shared", "_scratch", "_reg", "_param", "_barycentric")


def external_state(shader: Shader) -> frozenset[str]:
    """Return the forms of all accesses to external state, in words."""
    words = {word for instr in shader.instrs() for word in _forms(instr)} - {""}
    if any(isinstance(instr, IntrinsicInstr) and instr.name in _BINDINGS for instr in shader.instrs()):
        words = {_BY_BINDING.get(word, word) for word in words}
    if has_values_of_driver(shader):
        words.add("values of a preamble that the dump does not have")
    return frozenset(words)


def replaceable(forms: frozenset[str]) -> frozenset[str]:
    """Return those forms that are names of operations without a known meaning, or of queries.

    A pass that replaces them by other instructions gives the same result only on the hardware.
    """
    return frozenset(form for form in forms if " " not in form and form not in ("inputs", "outputs"))


def external_writes(shader: Shader) -> Counter[str]:
    """Return the number of instructions that write external state, by form."""
    return Counter(
        form
        for instr in shader.instrs()
        if isinstance(instr, IntrinsicInstr) and effects_of(instr).writes(_EXTERNAL_MEMORY)
        if (form := form_of(instr))
    )


def keeps_addresses(before: Shader, after: Shader) -> bool:
    """Whether the second shader accesses external state only at addresses that the first computes too.

    Then no access was renamed, and the results have to be the same without a transfer of contents.
    """
    return not any(_new_forms(before, after))


def keeps_layout(before: Shader, after: Shader) -> bool:
    """Whether the second shader reads what drivers lay out only where the first one does."""
    return LAID_OUT_BY_DRIVERS.isdisjoint(_new_forms(before, after))


def _new_forms(before: Shader, after: Shader) -> Iterator[str]:
    """Yield the form of each access of the second shader at an address that the first does not compute."""
    numbers: dict[Hashable, int] = {}
    old = set(_addresses(before, numbers))
    return (address[0] for address in _addresses(after, numbers) if address not in old)


def own_accesses(shader: Shader) -> frozenset[str]:
    """Return the intrinsics that access memory in a form of a driver's own, which is not evaluated."""
    return frozenset(
        instr.name
        for instr in shader.instrs()
        if isinstance(instr, IntrinsicInstr)
        and instr.name not in INTRINSIC_STEPS
        and any(effects_of(instr).touches(memory) for memory in _ADDRESSED)
    )


def _addresses(shader: Shader, numbers: dict[Hashable, int]) -> Iterator[tuple[str, Hashable, Hashable]]:
    """Yield the form of each access, with the value numbers of the sources that are its address."""
    instrs = list(shader.instrs())
    number_of = dict(zip(instrs, value_numbers(instrs, numbers), strict=True))
    for instr in instrs:
        form = form_of(instr)
        if not form or form in ("inputs", "outputs") or isinstance(instr, AluInstr):
            continue
        if isinstance(instr, TexInstr):
            sources: Sequence[Src] = [src for src in instr.sources if src.kind in _TEXTURE_ADDRESSES]
            fixed: Hashable = (instr.texture_index, instr.sampler_index)
        elif isinstance(instr, IntrinsicInstr):
            sources = instr.sources[_address_sources(instr)]
            fixed = (instr.int_index("base"), instr.int_index("binding"), instr.int_index("desc_set"))
        else:
            continue
        values = [None if src.def_instr is None else number_of.get(src.def_instr) for src in sources]
        swizzles = [getattr(src, "swizzle", None) for src in sources]
        yield form, fixed, tuple(zip(values, map(str, swizzles), strict=True))


def _address_sources(instr: IntrinsicInstr) -> slice:
    """Return which sources of an access are its address, and not data."""
    if instr.name.startswith(("store_", "export_")):
        return slice(1, None)
    if "_atomic" not in instr.name and "image_store" not in instr.name:
        return slice(None)
    is_by_buffer = instr.name.startswith("ssbo_")
    return slice(3 if "image" in instr.name else 2 if is_by_buffer else 1)


def form_of(instr: Instr) -> str:
    """Return the form of one access; "" for an instruction that does not access external state."""
    return next(iter(_forms(instr)), "")


def _forms(instr: Instr) -> Iterator[str]:
    if isinstance(instr, TexInstr):
        yield _texture_form(instr)
        if any(src.kind.startswith("backend") for src in instr.sources):
            yield "texture sources as the backend packs them"
        if instr.op in _QUERIES:
            yield instr.op
        if _is_half_added(instr.src_of_kind("coord")):
            yield "coordinates plus a half"
    elif isinstance(instr, AluInstr):
        if instr.op not in DERIVATIVE_OPCODES and not is_supported(instr.op):
            yield instr.op
    elif isinstance(instr, IntrinsicInstr):
        count = 2 if instr.name == "copy_deref" else 1
        for root in (_root(src) for src in instr.sources[:count]):
            yield _intrinsic_form(instr, root)
        if not instr.sources:
            yield _intrinsic_form(instr, None)


def _texture_form(instr: TexInstr) -> str:
    kinds = {src.kind for src in instr.sources}
    if not kinds.isdisjoint(("texture_deref", "texture_deref_intrinsic")):
        return "texture variables"
    return "textures by handle" if "texture_handle" in kinds else TEXTURES_BY_INDEX


def _is_half_added(coordinate: Src | None) -> bool:
    """Whether 0.5 was added to the last coordinate: Adreno GPUs round down the layer of an array texture."""
    vector = None if coordinate is None else coordinate.def_instr
    if not isinstance(vector, AluInstr) or not vector.op.startswith("vec"):
        return False
    maker = vector.sources[-1].def_instr
    if isinstance(maker, LoadConstInstr) and maker.def_ is not None and maker.def_.bit_size == 32:
        number = float(np.array(maker.values[:1], np.uint32).view(np.float32)[0])
        return number % 1.0 == 0.5
    if not isinstance(maker, AluInstr) or maker.op != "fadd":
        return False
    added = [src.def_instr for src in maker.sources]
    return any(isinstance(instr, LoadConstInstr) and instr.values[0] == _HALF for instr in added)


def _intrinsic_form(instr: IntrinsicInstr, root: DerefInstr | None) -> str:
    name = instr.name
    if name == "deref_texture_src" or any(part in name for part in _OWN_MEMORY):
        return ""
    if name.startswith(("image_", "bindless_image_", "get_")) and name.endswith(_SIZES):
        return name
    if root is not None:
        mode = root.mode if root.var is None else root.var.mode
        kind = "variables" if root.deref_kind == "var" else "descriptors"
        if any(part in name for part in _OPAQUE_IN_NAME):
            return f"image {kind}"
        mode = mode.removeprefix("mem_")
        return _MODES.get(mode, f"{mode} {kind}")
    if instr.io_semantics is not None:
        return _io_form(name)
    if name in hardware.STEPS:
        return "exports to the hardware"
    head, _, rest = name.partition("_")
    if head in ("load", "store") or "_atomic" in name:
        body = rest if head in ("load", "store") else name
        for part in sorted(MEMORY_BY_NAME, key=len, reverse=True):
            if body == f"{part}_address":
                return name  # of a buffer, not an access to it
            if body == part or body.startswith(f"{part}_"):
                buffer = instr.sources[head == "store"] if len(instr.sources) > 1 else None
                is_by_words = part in ("ubo", "ssbo") and buffer is not None and is_descriptor(buffer)
                return MEMORY_BY_NAME["buffer" if is_by_words else part]
    if name in ("load_input", "load_output", "store_output"):
        return _io_form(name)
    if head == "load" and is_known(rest):
        return ""
    if any(part in name for part in _OPAQUE_IN_NAME):
        return name
    return "" if name in INTRINSIC_STEPS else name


def _io_form(name: str) -> str:
    common = name.startswith(("load_input", "load_interpolated_input", "load_per_", "load_output", "store_"))
    return ("outputs" if "output" in name else "inputs") if common else name


def _root(src: Src) -> DerefInstr | None:
    deref = src.def_instr
    return deref.root if isinstance(deref, DerefInstr) else None
