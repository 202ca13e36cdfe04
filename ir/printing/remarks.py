"""What users wrote behind instructions, to be carried over to another print of the shader."""

from __future__ import annotations

from nirls.ir.instructions import Instr
from nirls.ir.printing.layout import LineSlot
from nirls.ir.printing.lines import LineKind
from nirls.ir.printing.render import Renderer
from nirls.ir.printing.style import PrintStyle
from nirls.ir.shader import Shader


def remarks_for_clone(shader: Shader, copy: Shader, style: PrintStyle) -> dict[Instr, str]:
    """The remarks on the instructions of `shader`, by the instructions of a clone that is still the same."""
    renderer = Renderer(shader, style)
    remarks: dict[Instr, str] = {}
    for impl, twin in zip(shader.impls(), copy.impls(), strict=True):
        for instr, instr_twin in zip(impl.instrs(), twin.instrs(), strict=True):
            if instr.comment is None:
                continue
            remark = renderer.remark(LineSlot(LineKind.INSTR, instr, impl, 1, instr.block))
            if remark:
                remarks[instr_twin] = remark
    return remarks
