"""Construction and recognition of the condition that a patch is not culled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import CfNode, If, nodes_around
from nirls.ir.model.float_bits import float_bits
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, PhiInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.model.walks import closure
from nirls.passes.booleans import booleans_of
from nirls.passes.tessellation.culled_work.output_access import OUTER, OutputAccesses

_COMPARISONS = frozenset(("fge", "flt", "fge32", "flt32"))
_DEEPEST = 64
_EXACT = frozenset(("exact",))


def build_not_culled(builder: Builder, shader: Shader, levels: Sequence[Def], rule: CullingRule) -> Def:
    """Build the condition that no outer level culls the patch. NaN culls, because it compares as false.

    The comparisons are exact, because an inexact one could be inverted, which changes the result for NaN.
    Raises ValueError if there are no levels.
    """
    booleans = booleans_of(shader)
    suffix = "32" if booleans.less_than.endswith("32") else ""
    least = builder.load_const([float_bits(rule.least_kept, 32)], 32)
    result: Def | None = None
    for level in dict.fromkeys(levels):
        op, operands = ("fge", [level, least]) if rule.keeps_least else ("flt", [least, level])
        kept = builder.alu(f"{op}{suffix}", operands, 1, booleans.bit_size, _EXACT)
        result = kept if result is None else builder.alu("iand", [result, kept], 1, booleans.bit_size)
    if result is None:
        raise ValueError("a patch is culled by its levels, and there are none")
    return result


def is_behind_guard(instr: Instr, accesses: OutputAccesses) -> bool:
    """Whether an instruction is in the then branch of an if on outer levels."""
    child: CfNode | None = instr.block
    for node in islice(nodes_around(instr.block), _DEEPEST):
        if isinstance(node, If) and child in node.then_body and _asks_for_levels(node, accesses):
            return True
        child = node
    return False


def _asks_for_levels(node: If, accesses: OutputAccesses) -> bool:
    """Whether a condition is a conjunction of comparisons of outer levels with constants."""
    work = [node.condition.def_]
    seen: set[Def] = set()
    while work:
        value = work.pop()
        maker = None if value is None else value.instr
        if value is None or not isinstance(maker, AluInstr):
            return False
        if value in seen:
            continue
        seen.add(value)
        if maker.op == "iand":
            work += [src.def_ for src in maker.sources]
        elif maker.op not in _COMPARISONS or not _compares_level(maker, accesses):
            return False
    return True


def _compares_level(comparison: AluInstr, accesses: OutputAccesses) -> bool:
    operands = [src.def_ for src in comparison.sources]
    constants = [value for value in operands if value is not None and isinstance(value.instr, LoadConstInstr)]
    others = [value for value in operands if value is not None and value not in constants]
    if len(others) != 1 or len(constants) != 1:
        # Two constants: the level itself is constant.
        return len(constants) == 2
    return _is_level(others[0], accesses)


def _is_level(value: Def, accesses: OutputAccesses) -> bool:
    """Whether a value is an outer level: loaded, stored, or a phi or move of levels and constants."""
    stores = (store for store in accesses.stores if any(slot == OUTER for slot, _ in store.places))
    stored = _merged_values(store.instr.sources[0].def_ for store in stores)
    for merged_value in _merged_values([value]):
        maker = merged_value.instr
        if maker is None or not (
            merged_value in stored
            or _is_merge(maker)
            or isinstance(maker, LoadConstInstr)
            or _loads_level(maker)
        ):
            return False
    return True


def _merged_values(values: Iterable[Def | None]) -> set[Def]:
    """Return values and, through phis and moves, all values that they merge."""

    def merged(value: Def) -> Iterable[Def]:
        sources = () if value.instr is None or not _is_merge(value.instr) else value.instr.srcs()
        return (src.def_ for src in sources if src.def_ is not None)

    return set(closure((value for value in values if value is not None), merged))


def _is_merge(instr: Instr) -> bool:
    return isinstance(instr, PhiInstr) or (isinstance(instr, AluInstr) and instr.op == "mov")


def _loads_level(instr: Instr) -> bool:
    if not isinstance(instr, IntrinsicInstr) or instr.name != "load_output":
        return False
    return instr.io_semantics is not None and instr.io_semantics.location == OUTER
