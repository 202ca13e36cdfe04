"""The pass `opt_constant_folding`: evaluation of instructions with constant sources.

Mesa: nir_opt_constant_folding.
"""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.effects import effects_of
from nirls.ir.model.float_bits import is_finite
from nirls.ir.model.float_controls import USUAL, FloatControls
from nirls.ir.model.instructions import (
    AluInstr,
    Instr,
    IntrinsicInstr,
    TexInstr,
    constant_of,
    scalar_constant,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables.families import BOOLEAN_SELECTIONS
from nirls.passes.cleanup.constants import (
    become_constant,
    fold_alu,
    read_constant,
)
from nirls.passes.declaration import Pass
from nirls.passes.discards.kinds import UNCONDITIONAL_FORM

_DERIVATIVES = frozenset(f"dd{axis}{kind}" for axis in "xy" for kind in ("", "_fine", "_coarse"))
# Subgroup operations whose result is the operand of some invocation: identity on constants.
_PICKS_AN_OPERAND = frozenset(
    (
        "quad_broadcast",
        "quad_swap_diagonal",
        "quad_swap_horizontal",
        "quad_swap_vertical",
        "quad_vote_all",
        "quad_vote_any",
        "read_first_invocation",
        "read_invocation",
        "rotate",
        "shuffle",
        "shuffle_down",
        "shuffle_up",
        "shuffle_xor",
        "vote_all",
        "vote_any",
    )
)
_COMPARES_OPERANDS = frozenset(("vote_feq", "vote_ieq"))
_IDEMPOTENT_REDUCTIONS = frozenset(("iand", "ior", "imin", "imax", "umin", "umax", "fmin", "fmax"))


@dataclass(frozen=True)
class OptConstantFolding(Pass):
    """Fold instructions with constant sources."""

    name = "opt_constant_folding"
    needs_structure = False

    def apply(self, shader: Shader) -> bool:
        return opt_constant_folding(shader)


def opt_constant_folding(shader: Shader) -> bool:
    """Fold instructions with constant sources, up to a fixed point.

    Besides ALU operations, these are selections by a constant, conditional discards, subgroup operations on
    a constant, and a texture bias of zero. Memory loads are never folded.
    """
    progress, controls = False, FloatControls.of(shader)
    for instr in shader.instrs():
        progress |= fold(instr, controls)
    return progress


def fold(instr: Instr, controls: FloatControls = USUAL) -> bool:
    """Replace one instruction by its constant result; return False if it cannot be folded.

    `controls` are the float controls of the shader; results that depend on them are left to the driver.
    """
    if isinstance(instr, AluInstr):
        return _fold_alu(instr, controls)
    if isinstance(instr, IntrinsicInstr):
        return _fold_discard(instr) or _fold_intrinsic(instr)
    if isinstance(instr, TexInstr):
        return _fold_zero_bias(instr)
    return False


def folded_value(instr: Instr, controls: FloatControls = USUAL) -> tuple[int, ...] | None:
    """Return the raw bits of an instruction's constant result; None if it cannot be folded."""
    if instr.def_ is None:
        return None
    if isinstance(instr, AluInstr):
        if effects_of(instr).crosses_lanes:  # an ALU derivative
            return _derivative(read_constant(instr.sources[0]), instr.sources[0].bit_size)
        values = fold_alu(instr)
        if values is None:
            return None
        sources = [(read_constant(src) or (), src.bit_size) for src in instr.sources]
        return values if controls.settles(instr.op, values, instr.def_.bit_size, sources) else None
    if isinstance(instr, IntrinsicInstr):
        return _intrinsic_value(instr, instr.def_)
    return None


def _fold_alu(instr: AluInstr, controls: FloatControls) -> bool:
    values = folded_value(instr, controls)
    if values is not None:
        become_constant(instr, values)
        return True
    if instr.op not in BOOLEAN_SELECTIONS or len(instr.sources) != 3 or not _fold_selection(instr):
        return False
    values = fold_alu(instr)
    if values is not None:
        become_constant(instr, values)
    return True


def _fold_selection(instr: AluInstr) -> bool:
    """Turn a selection with a constant condition into a copy of the selected source."""
    value = instr.def_
    condition = read_constant(instr.sources[0])
    if value is None or condition is None or "sat" in instr.flags:
        return False
    branches = instr.sources[1:]
    if any(src.def_ is None or src.negate or src.abs for src in branches):
        return False
    if any(len(src.swizzle) != len(condition) for src in branches):
        return False
    chosen = [
        (branches[0 if bit else 1].ssa, branches[0 if bit else 1].swizzle[component])
        for component, bit in enumerate(condition)
    ]
    if len({origin for origin, _ in chosen}) == 1:
        op = "mov"
        sources = [AluSrc(chosen[0][0], tuple(component for _, component in chosen))]
    else:
        op = f"vec{len(chosen)}"
        sources = [AluSrc(origin, (component,)) for origin, component in chosen]
    instr.become(op, sources)
    return True


def _fold_discard(instr: IntrinsicInstr) -> bool:
    unconditional = UNCONDITIONAL_FORM.get(instr.name)
    if unconditional is None or not instr.sources:
        return False
    condition = scalar_constant(instr.sources[0].def_)
    if condition is None:
        return False
    if not condition:
        instr.remove()
        return True
    for src in instr.sources:
        src.clear()
    instr.name, instr.sources = unconditional, []
    return True


def _fold_intrinsic(instr: IntrinsicInstr) -> bool:
    values = folded_value(instr)
    if values is None:
        return False
    become_constant(instr, values)
    return True


def _intrinsic_value(instr: IntrinsicInstr, value: Def) -> tuple[int, ...] | None:
    operand = constant_of(instr.sources[0].def_) if instr.sources else None
    if operand is None:
        return None
    size = instr.sources[0].bit_size
    if instr.name in _DERIVATIVES:
        return _derivative(operand, size)
    if instr.name in _COMPARES_OPERANDS:
        is_equal_to_itself = instr.name == "vote_ieq" or all(is_finite(bits, size) for bits in operand)
        return (1 if value.bit_size == 1 else (1 << value.bit_size) - 1,) if is_equal_to_itself else None
    if instr.name == "ballot":
        return (0,) * value.num_components if not any(operand) else None
    is_reduction = instr.name in ("reduce", "inclusive_scan")
    is_idempotent = is_reduction and instr.indices.get("reduction_op") in _IDEMPOTENT_REDUCTIONS
    if instr.name in _PICKS_AN_OPERAND or is_idempotent:
        fits = (len(operand), size) == (value.num_components, value.bit_size)
        return operand if fits else None
    return None


def _derivative(operand: tuple[int, ...] | None, bit_size: int) -> tuple[int, ...] | None:
    if operand is None or not all(is_finite(bits, bit_size) for bits in operand):
        return None
    return (0,) * len(operand)


def _fold_zero_bias(instr: TexInstr) -> bool:
    """Remove a texture bias of zero."""
    bias = instr.src_of_kind("bias") if instr.op == "txb" else None
    if bias is None:
        return False
    bits = scalar_constant(bias.def_)
    if bits is None or bits & ((1 << (bias.bit_size - 1)) - 1):
        return False
    instr.sources.remove(bias)
    bias.clear()
    instr.op = "tex"
    return True
