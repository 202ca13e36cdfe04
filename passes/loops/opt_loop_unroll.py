"""The pass `opt_loop_unroll`: replacement of loops by copies of their bodies (Mesa: nir_opt_loop_unroll)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from nirls.ir.finding import FindingCode, Place, Severity, counted
from nirls.ir.model.clone import CloneMap, NumberedClone
from nirls.ir.model.control_flow import (
    Block,
    CfNode,
    FunctionImpl,
    If,
    Loop,
    instrs_of,
    node_of_use,
    nodes_of,
)
from nirls.ir.model.control_flow_edit import relink_blocks, remove_instrs
from nirls.ir.model.float_controls import FloatControls
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    PhiInstr,
    TexInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def, PhiSrc, Src
from nirls.passes.declaration import OptionError, Pass, Site, SiteFix, option
from nirls.passes.loops.counter_accesses import CounterAccess, accesses_by_counter
from nirls.passes.loops.trip_count import UNKNOWN, LoopShape, Trips, break_of, shape_of, trips_of

UNROLLABLE_LOOP = FindingCode("unrollable-loop", "Loop that can be unrolled", Severity.HINT)
ROLLED_LOOP = FindingCode("rolled-loop", "Loop that is not unrolled", Severity.HINT)

MOST_ITERATIONS = 32
_MOST_NESTED = 100
_MOST_IF_ASKED = 1024
"""Maximum number of iterations of a loop with the control `unroll`; Mesa has none."""
_COST_OF_AN_ITERATION = 26
"""Average cost of an iteration up to which a loop is unrolled (Mesa: `LOOP_UNROLL_LIMIT`)."""
_COST_OF_64_BITS = 5
_DIRECT_MODES = frozenset(("shader_in", "shader_out", "shader_temp", "function_temp"))
"""Modes of arrays for which whole loops over them are unrolled at any cost."""
_INDIRECT_MODES = _DIRECT_MODES | {"uniform", "ubo", "ssbo", "shared", "image"}


@dataclass(frozen=True, slots=True)
class UnrollLimits:
    """Limits of unrolling, and the arrays that have to be indexed by constants (Mesa: compiler options)."""

    iterations: int = MOST_ITERATIONS
    indirect_modes: frozenset[str] = frozenset()
    indirect_samplers: bool = False

    def forced_by(self, access: CounterAccess, count: int) -> bool:
        """Whether a loop is unrolled at any cost for an array access (Mesa: `force_unroll_array_access`)."""
        if access.is_sampler and self.indirect_samplers:
            return True
        is_whole = access.length == count and access.modes <= _DIRECT_MODES
        return is_whole or access.modes <= self.indirect_modes


@dataclass(frozen=True)
class OptLoopUnroll(Pass):
    """Unroll loops with a small known number of iterations."""

    name = "opt_loop_unroll"
    codes = (UNROLLABLE_LOOP, ROLLED_LOOP)
    default = False

    max_unroll_iterations: int = option(
        MOST_ITERATIONS,
        "maximum number of iterations of an unrolled loop; their cost is limited to 26 instructions each",
        least=0,
        most=1024,
    )
    force_indirect_unrolling: str = option(
        "",
        "variable modes, such as `shader_in,function_temp`: loops that index arrays of these modes by their"
        " counter are unrolled at any cost",
    )
    force_indirect_unrolling_sampler: bool = option(
        False, "loops that index samplers by their counter are unrolled at any cost"
    )

    @property
    def limits(self) -> UnrollLimits:
        modes = frozenset(filter(None, map(str.strip, self.force_indirect_unrolling.split(","))))
        return UnrollLimits(self.max_unroll_iterations, modes, self.force_indirect_unrolling_sampler)

    def check(self, shaders: Sequence[Shader]) -> None:
        for unknown in sorted(self.limits.indirect_modes - _INDIRECT_MODES):
            known = ", ".join(sorted(_INDIRECT_MODES))
            raise OptionError(f"option force_indirect_unrolling takes modes ({known}), not {unknown!r}")

    def apply(self, shader: Shader) -> bool:
        return opt_loop_unroll(shader, self.limits)

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        for dump, shader in enumerate(shaders):
            for loop, result in _loops(shader, self.limits):
                place = Place.of(loop.span, dump)
                if isinstance(result, Unrollable):
                    yield self._site(shader, result, place)
                else:
                    message = f"this loop is not unrolled: {result}"
                    yield Site(ROLLED_LOOP.at(place, message, data={"reason": result}))

    def _site(self, shader: Shader, loop: Unrollable, place: Place) -> Site:
        trips, instrs = counted(loop.trips.count, "iteration"), len(loop.instrs)
        size = instrs * max(loop.trips.count, 1)
        finding = UNROLLABLE_LOOP.at(
            place,
            f"this loop has {trips}: unrolled, its {instrs} instructions become about {size}"
            " without a branch" + (" but one exit" if loop.trips.unknown else ""),
            data={"iterations": loop.trips.count, "instructions": instrs, "cost": loop.cost},
        )

        def unroll() -> list[Shader]:
            _Unroller(loop).run()
            return [shader]

        return Site(finding, (SiteFix("Unroll this loop", unroll),), whole=f"Run {self.name}")


@dataclass(frozen=True, slots=True, eq=False)
class Unrollable:
    """A loop that can be unrolled, with its blocks' place: the blocks before and after it."""

    impl: FunctionImpl
    shape: LoopShape
    trips: Trips
    before: Block
    after: Block
    instrs: tuple[Instr, ...]

    @property
    def cost(self) -> int:
        """The cost of all iterations."""
        return sum(map(cost_of, self.instrs)) * self.trips.count


def opt_loop_unroll(
    shader: Shader, limits: UnrollLimits = UnrollLimits(), leave: Collection[Loop] = frozenset()
) -> bool:
    """Unroll the loops of a shader, innermost first, except those in `leave`; return whether there were any.

    As in Mesa, a loop must contain no other loop, no continue construct and no jumps but the breaks of its
    exits; its number of iterations must follow from constants and be at most `limits.iterations`, at a cost
    of at most 26 instructions for each of them. A loop over a whole array, and what the driver's `limits`
    force, may cost anything, and a loop with the control `unroll` has no limit. One exit may have an unknown
    condition: the iterations are then nested in ifs.
    """
    progress = False
    while True:
        unrollable = next(
            (
                unrollable_loop
                for unrollable_loop in unrollable_loops(shader, limits)
                if unrollable_loop.shape.loop not in leave
            ),
            None,
        )
        if unrollable is None:
            return progress
        _Unroller(unrollable).run()
        progress = True


def unrollable_loops(shader: Shader, limits: UnrollLimits = UnrollLimits()) -> Iterator[Unrollable]:
    """Yield the loops that can be unrolled."""
    return (found for _, found in _loops(shader, limits) if isinstance(found, Unrollable))


def _loops(shader: Shader, limits: UnrollLimits) -> Iterator[tuple[Loop, Unrollable | str]]:
    """Yield the loops, each with the reason why it is not unrolled, if any."""
    controls: FloatControls | None = None
    for impl in shader.impls():
        for _, nodes in impl.node_lists():
            for position, node in enumerate(nodes):
                if isinstance(node, Loop):
                    controls = controls or FloatControls.of(shader)
                    yield node, _unrollable(impl, nodes, position, controls, limits)


def cost_of(instr: Instr) -> int:
    """Return the cost of an instruction (Mesa: `instr_cost` of nir_loop_analyze)."""
    if isinstance(instr, IntrinsicInstr | TexInstr):
        return 1
    if not isinstance(instr, AluInstr):
        return 0
    sizes = [src.bit_size for src in instr.sources]
    if instr.def_ is not None:
        sizes.append(instr.def_.bit_size)
    return _COST_OF_64_BITS if max(sizes, default=0) >= 64 else 1


def _unrollable(
    impl: FunctionImpl,
    nodes: Sequence[CfNode],
    position: int,
    controls: FloatControls,
    limits: UnrollLimits,
) -> Unrollable | str:
    loop = nodes[position]
    before = nodes[position - 1] if position else None
    after = nodes[position + 1] if position + 1 < len(nodes) else None
    if not isinstance(loop, Loop) or not isinstance(before, Block) or not isinstance(after, Block):
        return "its body is incomplete"
    if before.jump is not None:
        return "it is unreachable"
    control = loop.comment or ""
    if "don't unroll" in control:
        return "its control is `don't unroll`"
    is_asked = "unroll" in control
    shape = shape_of(loop)
    if isinstance(shape, str):
        return shape
    instrs = tuple(instrs_of(loop.body))
    accesses = list(accesses_by_counter(shape, instrs))
    trips = trips_of(shape, controls, _MOST_IF_ASKED if is_asked else limits.iterations)
    if isinstance(trips, str):
        return trips + _partial_unrolling(shape, accesses) if trips == UNKNOWN else trips
    unrollable = Unrollable(impl, shape, trips, before, after, instrs)
    if trips.unknown > 1:
        return "several exits have unknown conditions"
    if trips.unknown and trips.count > _MOST_NESTED:
        return f"its {trips.count} iterations would be nested ifs"
    is_forced = is_asked or any(limits.forced_by(access, trips.count) for access in accesses)
    if not is_forced and unrollable.cost > limits.iterations * _COST_OF_AN_ITERATION:
        return f"its {trips.count} iterations cost {unrollable.cost} instructions"
    if not _is_regular(unrollable):
        return "its phis do not fit its exits"
    inside = set(nodes_of(loop.body))
    if trips.unknown and any(
        _uses_outside(instr.def_, inside)
        for instr in instrs
        if isinstance(instr, DerefInstr) and instr.def_ is not None
    ):
        return "a deref is used after it"
    return unrollable


def _partial_unrolling(shape: LoopShape, accesses: Sequence[CounterAccess]) -> str:
    """Return why a loop is not unrolled partially, if Mesa would (`partial_unroll`)."""
    if len(shape.exits) != 1 or not accesses:
        return ""
    least = min(access.length for access in accesses)
    return (
        f"; Mesa unrolls {counted(least, 'iteration')}, as many as an array has elements, and keeps the loop"
        " for the others: whether it has done so is not printed"
    )


def _is_regular(unrollable: Unrollable) -> bool:
    """Whether the phis of the header and after the loop have a source for each edge, and no register."""
    entries = [pred for pred in (unrollable.before, unrollable.shape.latch) if pred is not None]
    if unrollable.after.predecessors and set(unrollable.after.predecessors) != set(
        _exit_blocks(unrollable.shape)
    ):
        return False
    return all(
        all((src := phi.src_for(pred)) is not None and src.def_ is not None for pred in preds)
        and phi.def_ is not None
        for block, preds in (
            (unrollable.shape.header, entries),
            (unrollable.after, _exit_blocks(unrollable.shape)),
        )
        for phi in block.phis()
    )


def _exit_blocks(shape: LoopShape) -> list[Block]:
    """Return the blocks that leave a loop."""
    bodies = [body for node in shape.exits for body in node.bodies()]
    return [
        jump.block
        for body in (*bodies, shape.loop.body)
        if (jump := break_of(body)) is not None and jump.block is not None
    ]


def _uses_outside(value: Def, inside: Collection[CfNode]) -> list[Src]:
    return [src for src in value.uses if node_of_use(src) not in inside]


class _Unroller:
    """Unrolling of one loop.

    Values that leave the loop do so by phis after it, which are added where there are none (LCSSA form).
    Blocks that come to follow each other are merged.
    """

    def __init__(self, unrollable: Unrollable) -> None:
        self.unrollable = unrollable
        self.shape = unrollable.shape
        self.clone = NumberedClone(unrollable.impl)
        self.exit_phis: list[PhiInstr] = []

    def run(self) -> None:
        impl, loop, before, after = (
            self.unrollable.impl,
            self.shape.loop,
            self.unrollable.before,
            self.unrollable.after,
        )
        parent = before.parent
        assert parent is not None
        self._close_ssa()
        self.exit_phis = list(after.phis())
        entering = {phi: _source(phi, before) for phi in self.shape.header.phis()}
        out: list[CfNode] = [before]
        self._copy_iterations(entering, out)
        siblings = next(body for body in parent.bodies() if before in body)
        for node in nodes_of(loop.body):
            if isinstance(node, If):
                node.condition.clear()
        remove_instrs(self.unrollable.instrs)
        first = siblings.index(before)
        siblings[first : first + 3] = self._merged(out, after)
        for node in siblings[first:]:
            node.parent = parent
        relink_blocks(impl)

    def _close_ssa(self) -> None:
        """Add phis after the loop for the values that are used there."""
        inside = set(nodes_of(self.shape.loop.body))
        exits = _exit_blocks(self.shape)
        for instr in self.unrollable.instrs:
            for value in instr.defs():
                outside = _uses_outside(value, inside)
                if not outside:
                    continue
                phi = PhiInstr([PhiSrc(pred, value) for pred in exits])
                twin = phi.make_def(
                    self.clone.next_value(), value.num_components, value.bit_size, value.divergent
                )
                self.unrollable.after.prepend(phi)
                for src in outside:
                    src.set_def(twin)

    def _copy_iterations(self, entering: dict[PhiInstr, Def], out: list[CfNode]) -> None:
        values = self._iterations(0, 0, self._started(entering), out)
        for phi, value in zip(self.exit_phis, values, strict=True):
            assert phi.def_ is not None
            phi.def_.replace_all_uses_with(value)
            phi.remove()

    def _started(self, entering: dict[PhiInstr, Def]) -> CloneMap:
        remap = CloneMap()
        for phi, value in entering.items():
            assert phi.def_ is not None
            remap.defs[phi.def_] = value
        return remap

    def _iterations(self, number: int, position: int, remap: CloneMap, out: list[CfNode]) -> list[Def]:
        """Append an iteration from a node of the body on, and all that follow.

        Returns the values that the phis after the loop get.
        """
        body = self.shape.loop.body
        while True:
            while position < len(body):
                node = body[position]
                position += 1
                if node not in self.shape.exits or not isinstance(node, If):
                    self.clone.append(node, remap, out)
                    continue
                taken = self.unrollable.trips.outcomes[number][node]
                if taken is None:
                    return self._branch(node, number, position, remap, out)
                branch = node.then_body if taken else node.else_body
                self._append(branch, remap, out)
                if break_of(branch) is not None:
                    return self._leaving(branch, remap)
            if self.shape.latch is None:
                return self._leaving(body, remap)
            latch = self.shape.latch
            entering = {phi: remap.def_of(_source(phi, latch)) for phi in self.shape.header.phis()}
            remap, number, position = self._started(entering), number + 1, 0

    def _branch(self, node: If, number: int, position: int, remap: CloneMap, out: list[CfNode]) -> list[Def]:
        """Append an exit with an unknown condition, with all that follows in its other branch."""
        copy = If(Src(remap.def_of(node.condition.ssa)))
        copy.divergent = node.divergent
        arriving: list[tuple[Block, list[Def]]] = []
        for body, new_body in zip(node.bodies(), copy.bodies(), strict=True):
            new_body.append(self.clone.empty_block())
            inner = CloneMap(dict(remap.defs), dict(remap.blocks), remap.registers, remap.variables)
            self._append(body, inner, new_body)
            if break_of(body) is not None:
                values = self._leaving(body, inner)
            else:
                values = self._iterations(number, position, inner, new_body)
            for child in new_body:
                child.parent = copy
            last = new_body[-1]
            assert isinstance(last, Block)
            arriving.append((last, values))
        join = self.clone.empty_block()
        out += [copy, join]
        return [self._joined(join, arriving, index) for index in range(len(self.exit_phis))]

    def _joined(self, join: Block, arriving: list[tuple[Block, list[Def]]], index: int) -> Def:
        first = arriving[0][1][index]
        if all(values[index] is first for _, values in arriving):
            return first
        phi = PhiInstr([PhiSrc(pred, values[index]) for pred, values in arriving])
        model = self.exit_phis[index].def_
        assert model is not None
        value = phi.make_def(self.clone.next_value(), model.num_components, model.bit_size, model.divergent)
        join.append(phi)
        return value

    def _append(self, nodes: Sequence[CfNode], remap: CloneMap, out: list[CfNode]) -> None:
        for node in nodes:
            self.clone.append(node, remap, out)

    def _leaving(self, body: Sequence[CfNode], remap: CloneMap) -> list[Def]:
        """Return the values of the phis after the loop if it is left at the end of a list."""
        pred = body[-1]
        assert isinstance(pred, Block)
        return [remap.def_of(_source(phi, pred)) for phi in self.exit_phis]

    def _merged(self, out: list[CfNode], after: Block) -> list[CfNode]:
        """Append the block after the loop to the last new one."""
        last = out[-1]
        assert isinstance(last, Block)
        for successor in after.successors:
            for phi in successor.phis():
                for src in phi.sources:
                    if src.pred is after:
                        src.pred = last
        for instr in after:
            after.unlink(instr)
            last.append(instr)
        last.end_span, last.stated_succs = after.end_span, after.stated_succs
        return out


def _source(phi: PhiInstr, pred: Block) -> Def:
    src = phi.src_for(pred)
    assert src is not None
    return src.ssa
