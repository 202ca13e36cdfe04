"""Check that a dump is complete enough for passes that move control flow."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.tables import intrinsic


def is_well_formed(shader: Shader) -> bool:
    """Whether all lines are readable, control flow alternates as in NIR, and no operand is missing."""
    if shader.unreadable or shader.entrypoint is None:
        return False
    return all(_is_structured(impl) and all(map(_has_its_operands, impl.instrs())) for impl in shader.impls())


def _is_structured(impl: FunctionImpl) -> bool:
    if impl.undefined_references:
        return False
    work: list[list[CfNode]] = [impl.body]
    while work:
        nodes = work.pop()
        # Blocks at even positions, and at the end.
        if len(nodes) % 2 == 0 or any(
            isinstance(node, Block) != (place % 2 == 0) for place, node in enumerate(nodes)
        ):
            return False
        work += [body for node in nodes if not isinstance(node, Block) for body in node.bodies()]
    return True


def _has_its_operands(instr: Instr) -> bool:
    if any(src.def_ is None and src.reg is None for src in instr.all_srcs()):
        return False
    if not isinstance(instr, IntrinsicInstr):
        return True
    entry = intrinsic(instr.name)
    if entry is None:
        return True
    has_result = instr.def_ is not None or instr.reg_dest is not None
    # Stores of the oldest dumps have neither an offset nor io_semantics.

    forms = entry.forms() if instr.io_semantics is None else (entry,)
    return has_result == entry.has_dest and len(instr.sources) in {len(form.src_components) for form in forms}
