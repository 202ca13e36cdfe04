"""The loads of external state in a run and their results: the inputs of a counterexample."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.state import State
from nirls.ir.evaluate.value import Value
from nirls.ir.model.float_bits import FLOAT_SIZES, float_of
from nirls.ir.model.instructions import DerefInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_name, slot_stage
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Src
from nirls.passes.translation_validation.verdict import InputValue

_COMPONENTS = "xyzwefghijklmnop"
_NO_QUESTIONS = frozenset(
    ("load_output", "load_per_vertex_output", "load_shared", "load_scratch", "load_reg", "load_param")
)


class InputsAsked:
    """Recorder of the last result of every load and texture instruction in the entry function.

    `keep` is for `RunOptions.at_end`. For a pipeline, the loads of the last stage are kept.
    """

    def __init__(self, machines: Sequence[Machine]) -> None:
        self.machines = {machine.shader.stage: machine for machine in machines}
        self.last: tuple[Machine, list[Value]] | None = None

    def keep(self, state: State) -> None:
        """Store the values at the end of a run."""
        machine = self.machines.get(state.launch.stage)
        if machine is not None:
            self.last = (machine, list(state.values))

    def on_lane(self, lane: int) -> tuple[InputValue, ...]:
        """Return the loads of the shader in printed order, with their results in one invocation."""
        if self.last is None:
            return ()
        machine, values = self.last
        answers = dict(zip(machine.program.defs, values, strict=False))
        entry = machine.shader.entrypoint
        return tuple(
            InputValue(_question(machine.shader, instr), _answer(answers[instr.def_], lane))
            for instr in ([] if entry is None else entry.instrs())
            if _is_question(instr) and instr.def_ is not None and instr.def_ in answers
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


def _answer(value: Value, lane: int) -> str:
    if value.pointer is not None or lane >= value.bits.shape[1]:
        return "?"
    parts = []
    for component in range(value.bits.shape[0]):
        if value.poison is not None and value.poison[component, lane]:
            parts.append("undefined")
        else:
            parts.append(_number(int(value.bits[component, lane]), value.bit_size))
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def _number(bits: int, bit_size: int) -> str:
    if bit_size == 1:
        return "true" if bits else "false"
    text = f"0x{bits:0{bit_size // 4}x}"
    if bit_size in FLOAT_SIZES:
        text += f" = {float_of(bits, bit_size):g}"
    return text
