"""Steps, which execute one instruction on all lanes; one module for each family of instructions.

Each module has `STEPS`, intrinsic names to functions that make the step of an instruction. A step is made
once when a function is compiled, and called each time the instruction runs.
"""

from __future__ import annotations

from nirls.ir.effects import DERIVATIVE_OPCODES
from nirls.ir.model.instructions import AluInstr, DerefInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.tables import intrinsic
from nirls.ir.tables.entries import Intrinsic
from nirls.ir.tables.releases import releases_from
from nirls.verification.evaluate.alu.run import is_supported
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import Step
from nirls.verification.evaluate.steps import (
    amd_buffers,
    amd_lanes,
    arithmetic,
    atomics,
    buffers,
    derefs,
    descriptors,
    discards,
    geometry,
    hardware,
    images,
    inputs,
    ir3,
    memcpy,
    neutral,
    opaque_effects,
    opaque_functions,
    opaque_values,
    outputs,
    preamble,
    quads,
    registers,
    subgroups,
    system_values,
    textures,
)
from nirls.verification.evaluate.steps.system_inputs import with_system_inputs
from nirls.verification.evaluate.values.errors import Unsupported

INTRINSIC_STEPS: dict[str, StepMaker] = {
    name: make
    for module in (
        amd_buffers,
        amd_lanes,
        atomics,
        buffers,
        derefs,
        descriptors,
        discards,
        geometry,
        hardware,
        images,
        inputs,
        ir3,
        memcpy,
        neutral,
        outputs,
        preamble,
        quads,
        registers,
        subgroups,
        system_values,
    )
    for name, make in module.STEPS.items()
}


_EVALUATED_RELEASES = releases_from("22.3")
_WITH_STEP = frozenset(INTRINSIC_STEPS)


def make_step(compiler: Compiler, instr: Instr) -> Step:
    """Compile an instruction to a closure. Raises `Unsupported`."""
    match instr:
        case AluInstr() if instr.op in DERIVATIVE_OPCODES:
            return quads.derivative_of_alu(compiler, instr)
        case AluInstr() if not is_supported(instr.op):
            return opaque_functions.opaque_function_step(compiler, instr)
        case AluInstr():
            return arithmetic.alu_step(compiler, instr)
        case TexInstr():
            return textures.texture_step(compiler, instr)
        case DerefInstr():
            return derefs.deref_step(compiler, instr)
        case IntrinsicInstr():
            make = INTRINSIC_STEPS.get(instr.name)
            if make is None and instr.name in opaque_values.opaque_system_values():
                make = opaque_values.opaque_value_step
            if make is None and opaque_functions.is_opaque_function(instr):
                make = opaque_functions.opaque_function_step
            if make is None:
                return opaque_effects.opaque_effect_step(compiler, instr, _WITH_STEP)
            entry = intrinsic(instr.name)
            if entry is not None and len(instr.sources) < _fewest_sources(entry):
                # Older releases had forms with fewer sources, whose meaning is unknown.
                raise Unsupported(f"{instr.name} with {len(instr.sources)} sources")
            return with_system_inputs(compiler, instr, make(compiler, instr))
    raise Unsupported(type(instr).__name__)


def _fewest_sources(entry: Intrinsic) -> int:
    """Return the minimum source count over the releases that the steps are written for."""
    forms = [form for form in entry.forms() if not _EVALUATED_RELEASES.isdisjoint(form.releases)]
    counts = [len(form.src_components) for form in forms]
    return min(counts, default=len(entry.src_components))
