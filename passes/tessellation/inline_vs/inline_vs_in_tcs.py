"""The pass `inline_vs_in_tcs`: inlining of the vertex shader in the tessellation control shader.

Source: the initial specification of `nir_inline_vs_in_tcs` ("New Tessellation Control Shader Optimizations
for NIR"), which is in no Mesa release. If input and output patches have the same number of control points,
each invocation of the control shader computes the vertex with its own invocation ID. Values read by other
invocations are passed through outputs and a barrier. The vertex shader keeps only stores of system values
that do not exist in a control shader. With a following `restructure_tcs_flow`, culled patches skip the work
that the tessellation levels do not depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from nirls.ir.analysis.analysis_cache import cached_analysis
from nirls.ir.analysis.tessellation import output_patch_size
from nirls.ir.finding import FindingCode, Place, Related, Severity, counted
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.control_flow_edit import relink_blocks
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.passes.booleans import booleans_of
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.cleanup.opt_remove_phis import opt_remove_phis
from nirls.passes.declaration import Pass, Site, SiteFix, option
from nirls.passes.tessellation.culled_work.output_access import build_output_barrier
from nirls.passes.tessellation.inline_vs.environment import (
    PassedValue,
    adopt_variables,
    pass_values,
    plan_passing,
    receive_values,
    use_vs_bindings,
)
from nirls.passes.tessellation.inline_vs.forwarding import (
    CrossSlots,
    outputs_at_end,
    plan_cross_slots,
    replace_loads,
    store_cross_outputs,
)
from nirls.passes.tessellation.inline_vs.interface import VsTcsInterface, read_interface
from nirls.passes.tessellation.inline_vs.obstacles import InlineVsObstacle, interface_or_obstacles

UNINLINABLE_VERTEX_SHADER = FindingCode(
    "uninlinable-vertex-shader",
    "Vertex shader that cannot be inlined in the control shader",
    Severity.HINT,
)
INLINABLE_VERTEX_SHADER = FindingCode(
    "inlinable-vertex-shader",
    "Vertex shader that could be inlined in the control shader",
    Severity.INFORMATION,
)

_CLEAN_UP = (copy_prop, opt_remove_phis, opt_dce, opt_dead_cf)


@dataclass(frozen=True, slots=True)
class Inlined:
    """The result of inlining.

    `outputs_added` counts scalar outputs added to the control shader, `barriers_added` is 0 or 1, and
    `system_values` are those that the vertex shader still passes.
    """

    outputs_added: int
    barriers_added: int
    system_values: tuple[str, ...]


def patch_vertices_option() -> int:
    """Declare the option for the size of an input patch."""
    size: int = option(
        0,
        "control points of an input patch (0: as many as in an output patch, unless a later one is read)",
        least=0,
        most=32,
    )
    return size


@dataclass(frozen=True, slots=True)
class _Plan:
    interface: VsTcsInterface
    cross: CrossSlots


@dataclass(frozen=True)
class InlineVsInTcs(Pass):
    """Inline the vertex shader in the control shader, for equal input and output patch sizes."""

    name = "inline_vs_in_tcs"
    scope = "pipeline"
    codes = (INLINABLE_VERTEX_SHADER, UNINLINABLE_VERTEX_SHADER)

    patch_vertices: int = patch_vertices_option()

    def run(self, shaders: Sequence[Shader]) -> list[Shader]:
        vs, tcs, tes = stages_of(shaders)
        if vs is None or tcs is None:
            return []
        done = inline_vs_in_tcs(vs, tcs, tes, patch_vertices=self.patch_vertices)
        return [vs, tcs] if isinstance(done, Inlined) else []

    def sites(self, shaders: Sequence[Shader]) -> Iterable[Site]:
        """Yield a site on a vertex shader that can be inlined, or one for each kind of obstacle."""
        vs, tcs, tes = stages_of(shaders)
        if vs is None or tcs is None:
            return
        plan = _plan(vs, tcs, tes, self.patch_vertices)
        if not isinstance(plan, _Plan):
            yield from _why_not(shaders, plan)
            return
        vertices = output_patch_size(tcs)
        passed = [value.name for value in plan_passing(vs.instrs())]
        crossing = len(plan.cross.parts)
        message = (
            f"the vertex shader can be inlined in the control shader, {only_for_patches_of(vertices)}:"
            f" {_costs(crossing, passed)}"
        )
        finding = INLINABLE_VERTEX_SHADER.at(
            Place.of(vs.first_line, shaders.index(vs)),
            message,
            related=[Related(Place.of(tcs.first_line, shaders.index(tcs)), "the control shader")],
            data={"control_points": vertices, "outputs_added": crossing, "system_values_passed": passed},
        )
        title = f"Inline the vertex shader, {only_for_patches_of(vertices)}"
        yield Site(finding, (SiteFix(title, partial(self.run, shaders), preferred=False),))


def stages_of(shaders: Sequence[Shader]) -> tuple[Shader | None, Shader | None, Shader | None]:
    """Return the vertex, control and evaluation shader of a pipeline, None for missing ones."""
    by_stage = {shader.stage: shader for shader in shaders}
    return by_stage.get(Stage.VERTEX), by_stage.get(Stage.TESS_CTRL), by_stage.get(Stage.TESS_EVAL)


def why_not_inlined(
    vs: Shader, tcs: Shader, tes: Shader | None = None, *, patch_vertices: int = 0
) -> InlineVsObstacle | None:
    """Return the first reason why the vertex shader cannot be inlined; None if it can."""
    plan = _plan(vs, tcs, tes, patch_vertices)
    return None if isinstance(plan, _Plan) else plan[0]


def inline_vs_in_tcs(
    vs: Shader, tcs: Shader, tes: Shader | None = None, *, patch_vertices: int = 0
) -> Inlined | InlineVsObstacle:
    """Inline the vertex shader in place; if there is an obstacle, return it and change nothing.

    `patch_vertices` is the size of an input patch; 0 assumes the size of an output patch. The result is
    valid for this size only. The evaluation shader determines the outputs in use; it is not changed.
    """
    plan = _plan(vs, tcs, tes, patch_vertices)
    if not isinstance(plan, _Plan):
        return plan[0]
    guest_shader = clone_shader(vs)
    guest, host = guest_shader.entrypoint, tcs.entrypoint
    assert guest is not None
    assert host is not None
    interface = read_interface(guest_shader, tcs, output_patch_size(tcs))
    template = interface.loads[0].instr
    booleans = booleans_of(tcs)
    held = outputs_at_end(guest, interface, booleans_of(vs))
    moved = list(guest.instrs())
    passed = plan_passing(moved)
    joint, following = put_in_front(guest, host)
    use_vs_bindings(moved)
    adopt_variables(moved, tcs, guest.locals)
    tcs.attribute_numbers = vs.attribute_numbers

    start = Builder(host, host.start_block).at_start_of(host.start_block)
    own = start.load("load_invocation_id", [], {}, 1, 32)
    zero = start.load_const([0], 32)
    _receive(start, moved, passed, template, own, zero)
    values = {part: src.ssa for part, src in held.items()}
    builder = Builder(host, joint, following)
    stored = store_cross_outputs(builder, plan.cross, interface, values, own, zero)
    if stored:
        build_output_barrier(builder, tcs)
    replace_loads(builder, interface, plan.cross, values, booleans)
    for src in held.values():
        src.clear()
    relink_blocks(host)

    _empty(vs, passed)
    clean_up(vs, _CLEAN_UP)
    clean_up(tcs, _CLEAN_UP)
    return Inlined(stored, int(stored > 0), tuple(value.name for value in passed))


@cached_analysis
def _plan(
    vs: Shader, tcs: Shader, tes: Shader | None, patch_vertices: int
) -> _Plan | tuple[InlineVsObstacle, ...]:
    interface = interface_or_obstacles(vs, tcs, patch_vertices)
    if not isinstance(interface, VsTcsInterface):
        return interface
    cross = plan_cross_slots(interface, tcs, tes)
    if cross is None:
        return (InlineVsObstacle("there are not enough free outputs for inputs of other vertices", tcs),)
    return _Plan(interface, cross)


def only_for_patches_of(vertices: int) -> str:
    """Format the condition under which an inlined vertex shader is valid."""
    return f"only for patches of {counted(vertices, 'control point')}"


def _why_not(shaders: Sequence[Shader], obstacles: Sequence[InlineVsObstacle]) -> Iterable[Site]:
    """Yield a site at the first obstacle for each reason; none if there is nothing to inline."""
    if any(obstacle.is_pointless for obstacle in obstacles):
        return
    first = {obstacle.reason: obstacle for obstacle in reversed(obstacles)}
    for reason, obstacle in reversed(first.items()):
        span = None if obstacle.instr is None else obstacle.instr.span
        dump = next(n for n, shader in enumerate(shaders) if shader is obstacle.shader)
        finding = UNINLINABLE_VERTEX_SHADER.at(
            Place.of(span or obstacle.shader.first_line, dump),
            f"the vertex shader cannot be inlined in the control shader: {reason}",
            data={"reason": reason},
        )
        yield Site(finding)


def _receive(
    builder: Builder,
    moved: list[Instr],
    passed: list[PassedValue],
    template: IntrinsicInstr,
    own: Def,
    zero: Def,
) -> None:
    """Replace the system value loads of the moved code by loads of the passed values."""
    received = receive_values(builder, passed, template, own, zero)
    for instr in moved:
        name = instr.name.removeprefix("load_") if isinstance(instr, IntrinsicInstr) else ""
        if name in received and instr.def_ is not None:
            instr.def_.replace_all_uses_with(received[name])
            instr.remove()


def _empty(vs: Shader, passed: list[PassedValue]) -> None:
    """Replace all output stores of a vertex shader by stores of the passed system values."""
    impl = vs.entrypoint
    assert impl is not None
    stores = [i for i in impl.instrs() if isinstance(i, IntrinsicInstr) and i.name == "store_output"]
    pass_values(impl, passed, stores[0])
    for store in stores:
        store.remove()


def _costs(crossing: int, passed: list[str]) -> str:
    if not crossing and not passed:
        return "it adds no outputs"
    costs = []
    if crossing:
        costs.append(f"it adds {counted(crossing, 'scalar output')} for inputs of other vertices")
    if passed:
        costs.append(f"the vertex shader still passes {', '.join(passed)}")
    return ", ".join(costs)


def put_in_front(guest: FunctionImpl, host: FunctionImpl) -> tuple[Block, Instr | None]:
    """Move all blocks of `guest` to the start of `host`.

    The last block of the guest is merged into the first block of the host; returns that block and the first
    original instruction in it, None if it was empty. Moved values and blocks are renumbered, and edges are
    relinked. The guest is empty afterwards.
    """
    first = host.start_block
    following = first.first
    _renumber(guest, host)
    *before, last = guest.body
    assert isinstance(last, Block)
    for instr in reversed(last):
        last.unlink(instr)
        first.prepend(instr)
    for node in before:
        node.parent = host
    host.body[:0] = before
    guest.body = []
    host.link_blocks()
    return first, following


def _renumber(guest: FunctionImpl, host: FunctionImpl) -> None:
    """Give the values and blocks of the guest unused numbers, and clear their source spans."""
    number = host.next_index()
    for value in guest.defs():
        value.index, number = number, number + 1
        value.divergent = None
    block_number = 1 + max(block.index for block in (*host.blocks(), host.end_block))
    stated = host.start_block.stated_preds is not None, host.start_block.stated_succs is not None
    for node in guest.cf_nodes():
        node.span = node.end_span = node.divergent = None
        if isinstance(node, Block):
            node.index, block_number = block_number, block_number + 1
            node.stated_preds = () if stated[0] else None
            node.stated_succs = () if stated[1] else None
        else:
            node.comment = None
    for instr in guest.instrs():
        instr.span = None
        if not (isinstance(instr, IntrinsicInstr) and instr.name == "load_input"):
            instr.comment = None  # the comment of load_input is kept: it is the only name of the attribute
