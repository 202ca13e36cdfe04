"""Wrong control flow: branches, discards, what only some invocations do, exchanges between invocations."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from nirls.ir.analysis.dominance import instr_order
from nirls.ir.model.builder import Builder
from nirls.ir.model.control_flow import FunctionImpl, If, nodes_of
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, TexInstr
from nirls.ir.model.walks import makers
from tools.corpus.mutations.change import (
    Change,
    Ways,
    beside,
    both_ways,
    inverted,
    is_store,
    plus,
    renamed,
    set_source,
    source_at,
)
from tools.corpus.mutations.memory import drop, other_index

IfWays = Callable[[FunctionImpl, If], Iterator[Change]]
"""The ways to apply a kind of mutation to an if."""

_DISCARDS = frozenset(("discard", "terminate", "demote", "discard_if", "terminate_if", "demote_if"))
_IMPLICIT_LOD = frozenset(("tex", "txb"))
_REDUCTIONS = frozenset(("reduce", "inclusive_scan", "exclusive_scan"))
_LANES = (
    "shuffle",
    "shuffle_xor",
    "shuffle_up",
    "shuffle_down",
    "read_invocation",
    "quad_broadcast",
    "rotate",
)


def _negate_if(impl: FunctionImpl, node: If) -> Iterator[Change]:
    yield partial(_decide, impl, node, None)


def _always(impl: FunctionImpl, node: If) -> Iterator[Change]:
    for truth in (True, False):
        yield partial(_decide, impl, node, truth)


def _decide(impl: FunctionImpl, node: If, truth: bool | None) -> None:
    """Set the condition of an if to a constant, or to its opposite for None."""
    condition = node.condition.ssa
    before = instr_order(impl).block_before(node)
    assert before is not None
    builder = Builder(impl, before)
    size = condition.bit_size
    if truth is None:
        node.condition.set_def(builder.alu("inot", [condition], 1, size))
    else:
        node.condition.set_def(builder.load_const([(1 << size) - 1 if truth else 0], size))


def _out_of_branch(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Move a store or discard out of its if, where nothing that it reads is computed there."""
    block = instr.block
    parent = None if block is None else block.parent
    if not isinstance(instr, IntrinsicInstr) or not isinstance(parent, If):
        return
    if not (is_store(instr) or instr.name in _DISCARDS):
        return
    inside = {inner for body in parent.bodies() for inner in nodes_of(body)}
    if any(maker.block in inside for maker in makers(instr.all_srcs())):
        return

    def change() -> None:
        before = instr_order(impl).block_before(parent)
        assert before is not None
        instr.unlink()
        before.insert_before(before.jump, instr)

    yield change


def _is_conditional_discard(instr: Instr) -> bool:
    return isinstance(instr, IntrinsicInstr) and instr.name in _DISCARDS and len(instr.srcs()) == 1


def _negate_discard(impl: FunctionImpl, instr: Instr) -> Iterator[Change]:
    if _is_conditional_discard(instr):
        yield partial(set_source, impl, instr, instr.srcs()[0], inverted)


def _cross_discard(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Move below a discard what stands above it in its block and must, where no value goes missing."""
    block = instr.block
    if block is None or not _is_conditional_discard(instr):
        return

    def move(crossed: Instr) -> None:
        crossed.unlink()
        block.insert_after(instr, crossed)

    between: set[Instr] = {instr}
    for above in beside(instr, "prev"):
        readers = set() if above.def_ is None else {src.owner for src in above.def_.uses}
        if _must_stay_above(above) and not (readers & between):
            yield partial(move, above)
        between.add(above)


def _must_stay_above(instr: Instr) -> bool:
    if isinstance(instr, TexInstr):
        return instr.op in _IMPLICIT_LOD
    if isinstance(instr, AluInstr):
        return instr.op.startswith("fdd")
    if not isinstance(instr, IntrinsicInstr):
        return False
    name = instr.name
    if name.startswith("dd"):
        return True
    if name.startswith("store_"):
        return "output" not in name and "deref" not in name
    return "atomic" in name or name.startswith("image_store")


def _all_conditions(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Discard on one of the two conditions that `ior` or `iand` combine."""
    if not _is_conditional_discard(instr) or instr.srcs()[0].def_ is None:
        return
    maker = instr.srcs()[0].ssa.instr
    if isinstance(maker, AluInstr) and maker.op in ("iand", "ior"):
        for src in maker.sources:
            if src.num_components == src.ssa.num_components == 1:
                yield partial(instr.srcs()[0].set_def, src.ssa)


def _own_value(_: FunctionImpl, instr: Instr) -> Iterator[Change]:
    """Keep the own value where one is exchanged with other invocations, or a derivative is taken."""
    exchanges = (*_LANES, "read_first_invocation", "quad_swap_horizontal", "quad_swap_vertical", *_REDUCTIONS)
    if isinstance(instr, IntrinsicInstr) and instr.name in exchanges and instr.def_ is not None:
        yield partial(instr.def_.replace_all_uses_with, instr.srcs()[0].ssa)


def _other_reduction(operation: object) -> str | None:
    others = {"iadd": "umax", "fadd": "fmax", "umax": "umin", "iand": "ior", "ior": "iand"}
    return others.get(str(operation))


def _smaller(size: object) -> int | None:
    return None if not isinstance(size, int) or size == 1 else size // 2 or 4


KINDS: dict[str, Ways] = {
    "out of its branch": _out_of_branch,
    "drop a discard": drop(lambda instr: instr.name in _DISCARDS),
    "negate a discard": _negate_discard,
    "discard across what must stay": _cross_discard,
    "one condition of a discard": _all_conditions,
    "x for y derivative": renamed(
        both_ways("ddx ddy, ddx_fine ddy_fine, ddx_coarse ddy_coarse")
        | both_ways("fddx fddy, fddx_fine fddy_fine, fddx_coarse fddy_coarse")
    ),
    "coarse for fine derivative": renamed(
        both_ways("ddx_coarse ddx_fine, ddy_coarse ddy_fine, fddx_coarse fddx_fine, fddy_coarse fddy_fine")
    ),
    "any for all": renamed(both_ways("vote_any vote_all")),
    "another quad": renamed(
        both_ways("quad_swap_horizontal quad_swap_vertical") | {"quad_swap_diagonal": "quad_swap_vertical"}
    ),
    "another invocation": source_at(dict.fromkeys(_LANES, 1), plus(1)),
    "own value for another's": _own_value,
    "inclusive for exclusive": renamed(
        both_ways("inclusive_scan exclusive_scan") | {"reduce": "inclusive_scan"}
    ),
    "other reduction": other_index("reduction_op", _other_reduction),
    "smaller clusters": other_index("cluster_size", _smaller),
}
"""Kinds for discards, and for what invocations exchange."""

IF_KINDS: dict[str, IfWays] = {"negate an if": _negate_if, "always one side of an if": _always}
"""Kinds for ifs."""
