"""Range analysis of gl_InvocationID in control shaders, from enclosing ifs.

If inputs cannot be indexed indirectly, Mesa lowers `gl_in[gl_InvocationID]` to a tree of ifs that compare
gl_InvocationID, with constant indices in the leaves (nir_lower_indirect_derefs).
"""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, CfNode, FunctionImpl, If
from nirls.ir.model.instructions import AluInstr, IntrinsicInstr
from nirls.ir.model.values import AluSrc, Def
from nirls.passes.cleanup.constants import read_constant
from nirls.passes.cleanup.copies import is_copy, whole_source

_MIRRORED = {"lt": "gt", "ge": "le", "eq": "eq", "ne": "ne"}
_NEGATED = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
_NUMBERS = 1 << 31


def is_invocation_id(value: Def | None) -> bool:
    """Whether a value is `gl_InvocationID` or a copy of it."""
    while value is not None and value.instr is not None:
        maker = value.instr
        if isinstance(maker, IntrinsicInstr):
            return maker.name == "load_invocation_id"
        value = whole_source(maker) if isinstance(maker, AluInstr) and is_copy(maker) else None
    return False


def invocation_ranges(impl: FunctionImpl, vertices_out: int) -> dict[Block, range]:
    """Compute for each block the range of IDs of the invocations that can reach it; empty for none."""
    found: dict[Block, range] = {}
    work: list[tuple[list[CfNode], range]] = [(impl.body, range(vertices_out))]
    while work:
        nodes, possible = work.pop()
        for node in nodes:
            if isinstance(node, Block):
                found[node] = possible
            elif isinstance(node, If):
                condition = node.condition.def_
                work.append((node.then_body, _narrowed(possible, condition, True)))
                work.append((node.else_body, _narrowed(possible, condition, False)))
            else:
                work += [(body, possible) for body in node.bodies()]
    return found


def _narrowed(possible: range, condition: Def | None, holds: bool) -> range:
    test = None if condition is None else condition.instr
    if not isinstance(test, AluInstr) or len(test.sources) != 2:
        return possible
    relation = test.op.removesuffix("32")[1:]
    if test.op[0] not in "iu" or relation not in _MIRRORED:
        return possible
    first, second = test.sources
    bound = _constant(second) if is_invocation_id(first.def_) else None
    if bound is None:
        bound = _constant(first) if is_invocation_id(second.def_) else None
        relation = _MIRRORED[relation]
    if bound is None or bound >= _NUMBERS:
        return possible
    relation = relation if holds else _NEGATED[relation]
    match relation:
        case "lt":
            return range(possible.start, min(possible.stop, bound))
        case "le":
            return range(possible.start, min(possible.stop, bound + 1))
        case "gt":
            return range(max(possible.start, bound + 1), possible.stop)
        case "ge":
            return range(max(possible.start, bound), possible.stop)
        case "eq":
            return range(max(possible.start, bound), min(possible.stop, bound + 1))
    return possible


def _constant(src: AluSrc) -> int | None:
    bits = read_constant(src)
    return bits[0] if bits is not None and len(bits) == 1 and not src.negate and not src.abs else None
