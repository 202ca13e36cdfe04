"""Values that both shaders compute alike, and what of them a pass changed: where error bounds start and grow.

A pass replaces a computation by another one of the same operands. Where both sides make the operands by the
same operations, they are the same numbers, and where both sides use the result in the same operations, these
round alike. What counts is the rounding of the replaced computation. A bound that starts at the inputs of the
shader and grows up to its outputs is often so wide that it excuses wrong results.

An operand counts only as it is if the pass did not look through it: `a * b + c` may become `ffma(a, b, c)`,
which rounds differently, although the product is still there for another use. So the values that changed
code reads must be the same ones on both sides. A value that only one side reads is replaced by its operands,
and so is each value that depends on such a one, until both sides read the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from nirls.ir.analysis.correspondence import correspondence
from nirls.ir.analysis.dominance import post_dominance
from nirls.ir.effects import can_reorder, effects_of
from nirls.ir.model.control_flow import Block, FunctionImpl, If
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.ir.model.walks import closure, reachable
from nirls.verification.proof.body_proof import BodyProof
from nirls.verification.proof.same_expressions import numbering
from nirls.verification.proof.values import Number, UnprovedError

_Numbers = set[Number]


@dataclass(frozen=True, slots=True)
class UnchangedOperations:
    """The defs of one side whose bounds are 0, and those whose operations add nothing to bounds of 0."""

    certain: frozenset[Def] = frozenset()
    operations: frozenset[Def] = frozenset()


def unchanged_operations(
    before: Sequence[Shader], after: Sequence[Shader]
) -> tuple[UnchangedOperations, UnchangedOperations]:
    """Return what all stages of both sides compute alike; nothing of a stage that cannot be numbered.

    A stage whose varyings are not all stored alike by the stage in front may load other values by the same
    instruction, and an operation on them does not round alike.
    """
    found: list[tuple[UnchangedOperations, UnchangedOperations]] = []
    inputs_are_alike = True
    for shader, other in zip(before, after, strict=True):
        proof = numbering(shader, other)
        found.append(_stage(proof, inputs_are_alike=inputs_are_alike))
        inputs_are_alike = inputs_are_alike and proof is not None and _stores_alike(proof)
    first, second = (
        UnchangedOperations(
            frozenset().union(*(side.certain for side in stages)),
            frozenset().union(*(side.operations for side in stages)),
        )
        for stages in zip(*found, strict=True)
    )
    return first, second


def _stage(
    proof: BodyProof | None, *, inputs_are_alike: bool
) -> tuple[UnchangedOperations, UnchangedOperations]:
    if proof is None:
        return UnchangedOperations(), UnchangedOperations()
    try:
        changed = proof.changed_branches()
    except UnprovedError:
        return UnchangedOperations(), UnchangedOperations()
    first, second = (_Side(proof, impl) for impl in proof.impls)
    constants = proof.values.constants.keys()
    numbers = _without_looked_through(first, second, constants) - proof.values.undefined
    certain = [
        frozenset(
            value
            for value in side.numbers.keys() - _uncertain(side.impl, branches, inputs_are_alike)
            if numbers.issuperset(side.numbers[value])
            and not (_is_inexact(value.instr) and not constants.isdisjoint(side.numbers[value]))
        )
        for side, branches in zip((first, second), changed, strict=True)
    ]
    operations = _operations_alike(first, second) if inputs_are_alike else {}
    return UnchangedOperations(certain[0], frozenset(operations.values())), UnchangedOperations(
        certain[1], frozenset(operations)
    )


def _is_inexact(instr: Instr | None) -> bool:
    """Whether an operation on constants may have another result: the sign of a zero, for one."""
    return isinstance(instr, AluInstr) and not instr.exact


def _stores_alike(proof: BodyProof) -> bool:
    """Whether every output after has the same value before, at the same place."""
    try:
        outputs, changed = proof.outputs(), proof.changed_branches()
    except UnprovedError:
        return False
    if outputs is None:
        return False
    before, after = outputs
    side = _Side(proof, proof.impls[1])
    uncertain = _uncertain(side.impl, changed[1], inputs_are_alike=True)
    certain = {n for value, numbers in side.numbers.items() if value not in uncertain for n in numbers}
    return all(before.get(place) == number and number in certain for place, number in after.items())


@dataclass(slots=True)
class _Side:
    """The numbered values of one function."""

    impl: FunctionImpl
    numbers: dict[Def, tuple[Number, ...]]

    def __init__(self, proof: BodyProof, impl: FunctionImpl) -> None:
        now = proof.values.now
        self.impl = impl
        self.numbers = {value: now[value] for value in impl.defs() if value in now}

    def all(self) -> _Numbers:
        """Return all numbers of the side."""
        return {number for numbers in self.numbers.values() for number in numbers}

    def operands(self) -> Iterator[tuple[tuple[Number, ...], _Numbers]]:
        """Yield the numbers of each def with those that its instruction reads; copies read their own."""
        for value, numbers in self.numbers.items():
            if value.instr is not None:
                yield numbers, self._read(value.instr.srcs())

    def observed(self) -> _Numbers:
        """Return the numbers that are stored, decide branches, or are read by any other effect."""
        effects = (instr for instr in self.impl.instrs() if instr.def_ is None)
        conditions = (node.condition for node in self.impl.cf_nodes() if isinstance(node, If))
        return self._read(src for instr in effects for src in instr.srcs()) | self._read(conditions)

    def _read(self, sources: Iterable[Src]) -> _Numbers:
        found: _Numbers = set()
        for src in sources:
            numbers = () if src.def_ is None else self.numbers.get(src.def_, ())
            if isinstance(src, AluSrc):
                found.update(numbers[component] for component in src.swizzle if component < len(numbers))
            else:
                found.update(numbers)
        return found


def _without_looked_through(before: _Side, after: _Side, constants: Set[Number]) -> _Numbers:
    """Return the numbers of both sides, except those that changed code of one side may look through.

    Values that depend on the same constant have nothing in common by that.
    """
    shared = before.all() & after.all()
    made_of: dict[Number, _Numbers] = {}
    users: dict[Number, _Numbers] = {}
    frontiers: list[_Numbers] = []
    observed = before.observed(), after.observed()
    for side, only_here in zip(
        (before, after), (observed[0] - observed[1], observed[1] - observed[0]), strict=True
    ):
        frontier = set(only_here)
        for numbers, operands in side.operands():
            if not shared.issuperset(numbers):
                frontier |= operands
            for number in numbers:
                if number not in operands:
                    made_of.setdefault(number, set()).update(operands)
        frontiers.append((frontier & shared) - constants)
    for number, operands in made_of.items():
        for operand in operands:
            users.setdefault(operand, set()).add(number)
    looked_through: _Numbers = set()
    waiting = frontiers[0] ^ frontiers[1]
    while waiting:
        looked_through |= waiting
        dependent = closure(looked_through, lambda number: users.get(number, ()))
        for frontier in frontiers:
            replaced = frontier & dependent.keys()
            looked_through |= replaced
            frontier -= replaced
            for number in replaced:
                frontier |= made_of.get(number, set()) - looked_through - constants
        waiting = frontiers[0] ^ frontiers[1]
    return shared - looked_through


def _operations_alike(before: _Side, after: _Side) -> dict[Def, Def]:
    """Return results of the second side with those of the same operation, of which one operand may differ.

    If several differ, or both sides have the operands that differ, the operation may be another one that
    happens to have the same opcode: a sum of the same terms in another order.
    """
    both = before.all() & after.all()
    origins = correspondence(before.impl, after.impl).values
    found: dict[Def, Def] = {}
    for value in after.impl.defs():
        origin = origins.get(value)
        instr, other = None if origin is None else origin.instr, value.instr
        if origin is None or type(instr) is not type(other):
            continue
        if isinstance(instr, PhiInstr | TexInstr | IntrinsicInstr):
            found[value] = origin
        if (
            not isinstance(instr, AluInstr)
            or not isinstance(other, AluInstr)
            or operation_kind(instr) != operation_kind(other)
        ):
            continue
        pairs = zip(instr.sources, other.sources, strict=True)
        differing = [pair for pair in pairs if not _reads_alike(before.numbers, after.numbers, found, *pair)]
        known = (
            [_numbers_of(before.numbers, one), _numbers_of(after.numbers, other)] for one, other in differing
        )
        if not differing or (len(differing) == 1 and not both.issuperset(set().union(*next(known)))):
            found[value] = origin
    return found


def _numbers_of(numbers: Mapping[Def, tuple[Number, ...]], src: AluSrc) -> _Numbers:
    known = () if src.def_ is None else numbers.get(src.def_, ())
    return {known[component] for component in src.swizzle if component < len(known)}


def operation_kind(instr: AluInstr) -> Hashable:
    """Return what two operations have in common that compute the same of the same operands."""
    sizes = tuple((src.bit_size, src.negate, src.abs) for src in instr.sources)
    return instr.op, instr.flags, sizes, instr.def_ and (instr.def_.num_components, instr.def_.bit_size)


def _reads_alike(
    before: Mapping[Def, tuple[Number, ...]],
    after: Mapping[Def, tuple[Number, ...]],
    found: Mapping[Def, Def],
    src: AluSrc,
    twin: AluSrc,
) -> bool:
    """Whether sources read equal numbers, or the same components of results of the same operation."""
    if src.def_ is None or twin.def_ is None:
        return False
    if found.get(twin.def_) is src.def_:
        return src.swizzle == twin.swizzle
    one, other = before.get(src.def_), after.get(twin.def_)
    if one is None or other is None:
        return False
    return [one[row] for row in src.swizzle] == [other[row] for row in twin.swizzle]


def _uncertain(impl: FunctionImpl, changed_branches: Set[Block], inputs_are_alike: bool) -> set[Def]:
    """Return the defs whose numbers say nothing about their bits while other effects are not compared yet."""
    # Other invocations may have ended before these.
    behind = reachable([target for block in changed_branches for target in block.successors])
    chosen = _chosen_by(impl, changed_branches)
    starts = [
        instr.def_
        for block in impl.blocks()
        for instr in block
        if instr.def_ is not None
        and (
            not chosen.isdisjoint(block.predecessors)
            if isinstance(instr, PhiInstr)
            else not _is_certain(instr, block not in behind, inputs_are_alike)
        )
    ]
    return set(closure(starts, _computed_from))


def _computed_from(value: Def) -> Iterator[Def]:
    """Yield the results of the instructions that read a value."""
    for user in value.users():
        if isinstance(user, Instr) and user.def_ is not None:
            yield user.def_


def _chosen_by(impl: FunctionImpl, branches: Set[Block]) -> set[Block]:
    """Return the blocks of which these branches decide, also by other branches, whether they run.

    Behind the join of an if, all its invocations run again. A block that cannot reach the end counts too.
    """
    if not branches:
        return set()
    tree = post_dominance(impl)
    decided_by: dict[Block, list[Block]] = {}
    for block in impl.blocks():
        for branch in tree.frontier(block):
            decided_by.setdefault(branch, []).append(block)
    endless = [block for block in impl.blocks() if not tree.is_reachable(block)]
    decided = (block for branch in branches for block in decided_by.get(branch, ()))
    return set(closure((*endless, *decided), lambda block: decided_by.get(block, ())))


def _is_certain(instr: Instr, runs_alike: bool, inputs_are_alike: bool) -> bool:
    """Whether the result depends only on the sources, on what no instruction writes, and on the invocations.

    `runs_alike` is whether the same invocations run it on both sides.
    """
    match instr:
        case LoadConstInstr() | DerefInstr():
            return True
        case AluInstr() | TexInstr():
            return runs_alike or not effects_of(instr).crosses_lanes
        case IntrinsicInstr():
            effects = effects_of(instr)
            if effects.crosses_lanes and not runs_alike:
                return False
            # Exchange between invocations may not be moved either, but it reads nothing else.
            if not can_reorder(instr) and (effects.accesses or not effects.crosses_lanes):
                return False
            return inputs_are_alike or not effects.reads(frozenset(("input",)))
        case _:
            return False
