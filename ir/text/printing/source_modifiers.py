"""Turn the source and destination modifiers of old dialects into the instructions they stand for.

Modern NIR has `fneg`, `fabs`, `ineg`, `iabs` and `fsat` in the place of `-ssa_1`, `abs(ssa_1)` and `.sat`
(Mesa: nir_lower_to_source_mods, undone).
"""

from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.values import IDENTITY_SWIZZLE, AluSrc, Def
from nirls.ir.text.printing.source_types import alu_types

_INTEGERS = ("int", "uint", "bool")


def lower_source_modifiers(impl: FunctionImpl) -> None:
    """Replace all modifiers in a function. Values keep their numbers; new ones come behind the highest."""
    builder: Builder | None = None
    for instr in list(impl.instrs()):
        if not isinstance(instr, AluInstr) or instr.block is None:
            continue
        if "sat" not in instr.flags and not any(src.negate or src.abs for src in instr.sources):
            continue
        if builder is None:
            builder = Builder(impl, instr.block)
        for position, src in enumerate(instr.sources):
            if src.def_ is not None and (src.negate or src.abs):
                _lower_source(builder.before_instr(instr), instr, position, src, src.def_)
        if "sat" in instr.flags and instr.def_ is not None:
            _lower_saturate(builder, instr, instr.def_)


def _lower_source(builder: Builder, instr: AluInstr, position: int, src: AluSrc, value: Def) -> None:
    types = alu_types(instr.op)
    is_integer = types is not None and position < len(types[0]) and types[0][position] in _INTEGERS
    prefix = "i" if is_integer else "f"
    if src.abs:
        value = builder.alu(f"{prefix}abs", [value], value.num_components, value.bit_size)
    if src.negate:
        value = builder.alu(f"{prefix}neg", [value], value.num_components, value.bit_size)
    src.set_def(value)
    src.negate = src.abs = False


def _lower_saturate(builder: Builder, instr: AluInstr, value: Def) -> None:
    block = instr.block
    assert block is not None
    uses = list(value.uses)
    builder.block, builder.before = block, instr.next
    identity = IDENTITY_SWIZZLE[: value.num_components]
    clamped = builder.alu("fsat", [AluSrc(value, identity)], value.num_components, value.bit_size)
    for use in uses:
        use.set_def(clamped)
    instr.flags = instr.flags - {"sat"}
