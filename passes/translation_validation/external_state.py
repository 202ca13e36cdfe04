"""Forms in which a shader addresses external state: variables, buffer indices, addresses, exports.

A lowering pass replaces one form by another (a UBO variable by an index and an offset). Two snapshots with
different forms read different contents, although the lowering is correct.
"""

from __future__ import annotations

from collections.abc import Iterator

from nirls.ir.evaluate.steps import hardware
from nirls.ir.evaluate.steps.opaque_functions import is_opaque_function
from nirls.ir.evaluate.steps.opaque_values import opaque_system_values
from nirls.ir.evaluate.steps.system_values import is_known
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src

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
}
"""Form of a memory access, by the part of its name after `load_` or `store_`, or before `_atomic`."""

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
    "task_payload": "",
    "mem_task_payload": "",
}
_OPAQUE_IN_NAME = ("image", "bindless", "texture", "sampler")
_OWN_MEMORY = ("_shared", "_scratch", "_task_payload", "_reg", "_param", "_barycentric")


def external_state(shader: Shader) -> frozenset[str]:
    """Return the forms of all accesses to external state, in words."""
    words = {word for impl in shader.impls() for instr in impl.instrs() for word in _forms(instr)}
    return frozenset(words - {""})


def form_of(instr: Instr) -> str:
    """Return the form of one access; "" for an instruction that does not access external state."""
    return next(iter(_forms(instr)), "")


def _forms(instr: Instr) -> Iterator[str]:
    if isinstance(instr, TexInstr):
        yield _texture_form(instr)
    elif isinstance(instr, IntrinsicInstr):
        count = 2 if instr.name == "copy_deref" else 1
        for root in (_root(src) for src in instr.sources[:count]):
            yield _intrinsic_form(instr, root)
        if not instr.sources:
            yield _intrinsic_form(instr, None)


def _texture_form(instr: TexInstr) -> str:
    kinds = {src.kind for src in instr.sources}
    if "texture_deref" in kinds:
        return "texture variables"
    return "textures by handle" if "texture_handle" in kinds else "textures by index"


def _intrinsic_form(instr: IntrinsicInstr, root: DerefInstr | None) -> str:
    name = instr.name
    if any(part in name for part in _OWN_MEMORY):
        return ""
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
            if body == part or body.startswith(f"{part}_"):
                return MEMORY_BY_NAME[part]
    if name in ("load_input", "load_output", "store_output"):
        return _io_form(name)
    if head == "load" and is_known(rest):
        return ""
    if any(part in name for part in _OPAQUE_IN_NAME):
        return name
    return name if name in opaque_system_values() or is_opaque_function(instr) else ""


def _io_form(name: str) -> str:
    common = name.startswith(("load_input", "load_interpolated_input", "load_per_", "load_output", "store_"))
    return ("outputs" if "output" in name else "inputs") if common else name


def _root(src: Src) -> DerefInstr | None:
    deref = None if src.def_ is None else src.def_.instr
    while isinstance(deref, DerefInstr):
        parent = None if deref.parent is None or deref.parent.def_ is None else deref.parent.def_.instr
        if not isinstance(parent, DerefInstr):
            return deref
        deref = parent
    return None
