"""The loads of external state in a run and their results: the inputs of a counterexample."""

from __future__ import annotations

from nirls.ir.model.float_bits import FLOAT_SIZES, float_of
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_name, slot_stage
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Src
from nirls.verification.evaluate.values.value import Value
from nirls.verification.inputs.recorded import Recorded, is_undefined
from nirls.verification.verdict import InputValue

_COMPONENTS = "xyzwefghijklmnop"
_NO_QUESTIONS = frozenset(
    ("load_output", "load_per_vertex_output", "load_shared", "load_scratch", "load_reg", "load_param")
)


def inputs_asked(recorded: Recorded, lane: int) -> tuple[InputValue, ...]:
    """Return the loads of an entry function in printed order, with their results in one invocation."""
    shader = recorded.machine.shader
    return tuple(
        InputValue(_question(shader, instr), _answer(recorded.known(instr.def_), lane))
        for instr in ([] if shader.entrypoint is None else shader.entrypoint.instrs())
        if _is_question(instr) and instr.def_ in recorded.values
    )


def _is_question(instr: Instr) -> bool:
    if isinstance(instr, TexInstr):
        return True
    if not isinstance(instr, IntrinsicInstr) or "barycentric" in instr.name:
        return False
    if instr.name in _NO_QUESTIONS or "descriptor" in instr.name:
        return False
    return "load" in instr.name or "atomic" in instr.name


def _question(shader: Shader, instr: Instr) -> str:
    number = "" if instr.def_ is None else f"%{instr.def_.index} "
    if isinstance(instr, TexInstr):
        return f"{number}{instr.op}"
    assert isinstance(instr, IntrinsicInstr)
    semantics = instr.io_semantics
    if semantics is not None:
        owner = slot_stage(instr.name, shader.stage)
        slot = slot_name(semantics.location, owner or Stage.COMPUTE, is_output=False)
        component = instr.int_index("component")
        letters = _COMPONENTS[component : component + (instr.def_.num_components if instr.def_ else 1)]
        return f"{number}{instr.name} {slot}.{letters}"
    path = _path(instr.sources[0]) if instr.sources else ""
    return f"{number}{instr.name} {path}".rstrip()


def _path(src: Src) -> str:
    """Return the path of a deref, as in the comments of dumps: `lights[3].color`."""
    parts: list[str] = []
    deref = src.def_instr
    while isinstance(deref, DerefInstr):
        if deref.deref_kind == "var":
            parts.append(deref.var.name if deref.var is not None else deref.var_name)
        elif deref.deref_kind == "struct":
            parts.append(f".{deref.field}")
        elif deref.const_index is not None:
            parts.append(f"[{deref.const_index}]")
        elif deref.index is not None and deref.index.def_ is not None:
            parts.append(f"[%{deref.index.def_.index}]")
        deref = deref.parent_deref
    return "".join(reversed(parts))


def _answer(value: Value | None, lane: int) -> str:
    if value is None or lane >= value.bits.shape[1]:
        return "?"
    parts = [
        "undefined" if is_undefined(value, row, lane) else _number(int(value.bits[row, lane]), value.bit_size)
        for row in range(len(value.bits))
    ]
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _number(bits: int, bit_size: int) -> str:
    if bit_size == 1:
        return "true" if bits else "false"
    text = f"0x{bits:0{bit_size // 4}x}"
    if bit_size in FLOAT_SIZES:
        text += f" = {float_of(bits, bit_size):g}"
    return text
