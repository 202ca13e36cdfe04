"""Run the stages of a pipeline in order, each on the outputs of the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule, culling_rule, output_patch_size
from nirls.ir.evaluate.alu_operation import container_type, decode, encode
from nirls.ir.evaluate.arrays import Array
from nirls.ir.evaluate.compare import (
    OPTIONAL_SLOTS,
    Difference,
    compare_planes,
    compare_results,
    is_told_to_hardware,
    unsettled_cells,
)
from nirls.ir.evaluate.culling import culled_patches
from nirls.ir.evaluate.emitted import emitted_streams
from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.inputs import EnvironmentInputs
from nirls.ir.evaluate.launch import (
    Launch,
    geometry_launch,
    geometry_vertices_in,
    launch_for,
    tess_ctrl_launch,
)
from nirls.ir.evaluate.machine import Machine
from nirls.ir.evaluate.memory import Memory
from nirls.ir.evaluate.result import MemoryKey, OutputKey, OutputPlane, ShaderResult
from nirls.ir.evaluate.state import RunOptions
from nirls.ir.evaluate.steps.geometry import MESH_WORKGROUPS
from nirls.ir.evaluate.value import Value, constant, select, undefined_value
from nirls.ir.io.access import FRONT_COLOR_OF, io_accesses
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import slot_number, varying_slot
from nirls.ir.model.stage import Stage

_ORDER = (
    Stage.TASK,
    Stage.VERTEX,
    Stage.TESS_CTRL,
    Stage.TESS_EVAL,
    Stage.GEOMETRY,
    Stage.MESH,
    Stage.FRAGMENT,
)
_TRIANGLES = 2
_PATCHES = 2
_ALONE = 4
_COORDINATES = 8
_PATCH_TRIANGLES = ((0, 1, 2), (3, 4, 5), (5, 6, 7))
_LANES_PER_TRIANGLE = 8

_SYSTEM_SLOTS = OPTIONAL_SLOTS | {varying_slot(name) for name in ("POS", "BOUNDING_BOX0", "BOUNDING_BOX1")}
_MESH_SLOTS = frozenset(slot_number(f"VARYING_SLOT_PRIMITIVE_{what}") for what in ("COUNT", "INDICES"))
_LEVEL_SLOTS = frozenset({varying_slot("TESS_LEVEL_OUTER"), varying_slot("TESS_LEVEL_INNER")})
# A shader that has a store of such a slot, but does not execute it, leaves it undefined (GLSL 4.60, 7.1.4).
_ZERO_WHEN_UNWRITTEN = frozenset({varying_slot("LAYER"), varying_slot("VIEWPORT")})
_MADE_BY_HARDWARE = frozenset(varying_slot(name) for name in ("POS", "FACE", "PNTC", "VIEW_INDEX"))
_PRIMITIVE_ID = varying_slot("PRIMITIVE_ID")
_MAKE_PRIMITIVES = frozenset({Stage.GEOMETRY, Stage.MESH})
"""Stages that write the number of each primitive themselves."""
_FIRST_TEX = varying_slot("TEX0")
_BACK_COLOR = {front: back for back, front in FRONT_COLOR_OF.items()}


@dataclass(slots=True)
class PipelineResult:
    """The results of the stages that ran, in order, and the externally visible effects.

    `stages` are all of the pipeline: the fragment stage does not run if a geometry shader makes no primitive.
    `captured` has the transform feedback writes, by (buffer, byte offset), planes of shape (instances of
    the last stage before rasterization, vertices). `culled` are patches that tessellation culled, by the
    rule `culling`.
    """

    stages: tuple[Stage | None, ...]
    results: list[ShaderResult] = field(default_factory=list)
    captured: dict[tuple[int, int], OutputPlane] = field(default_factory=dict)
    culled: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    culling: CullingRule = field(default_factory=CullingRule)

    def result_of(self, stage: Stage | None) -> ShaderResult | None:
        """Return the result of a stage, None if no such stage ran."""
        return next((result for result in self.results if result.stage is stage), None)


class StageInputs:
    """Inputs taken from the outputs of the previous stage.

    `corner` maps each primitive and vertex to the producer's instance; None where producer
    instances are the patches themselves and the planes have a vertex axis (after a control shader).
    After a mesh shader, `own` does the same for per-primitive outputs.
    """

    __slots__ = (
        "bad",
        "corner",
        "environment",
        "made_up",
        "own",
        "planes",
        "producer",
        "shaky",
        "stored_slots",
    )

    def __init__(
        self,
        environment: Environment,
        producer: Shader,
        planes: dict[OutputKey, OutputPlane],
        corner: Array | None,
        bad: Array,
        shaky: Array,
        own: Array | None = None,
    ) -> None:
        self.own = own
        self.environment = environment
        self.producer = producer.stage
        self.stored_slots = frozenset(
            slot for access in io_accesses(producer) if access.is_store for slot in access.slots
        )
        self.planes = planes
        self.corner = corner
        self.bad = bad
        self.shaky = shaky
        self.made_up = EnvironmentInputs(environment)

    def read(
        self, launch: Launch, slots: Array, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        """See `InputSupply.read`. Inputs not written by the producer are undefined, with few exceptions."""
        if isinstance(key.slot, str):
            return self._read_slot(launch, key, base, bit_size, vertex)
        result: Value | None = None
        for slot in np.unique(slots):
            value = self._read_slot(launch, key._replace(slot=int(slot)), base, bit_size, vertex)
            result = value if result is None else select(slots == slot, value, result)
        assert result is not None
        return result

    def primitive_number(self, launch: Launch) -> Value:
        """Return the number that a geometry or mesh shader has written for the primitive of each fragment."""
        vertex = None
        if self.producer is Stage.GEOMETRY:
            last = launch.vertices_in - 1
            vertex = np.full(launch.lanes, last if self.environment.state.provoking_last else 0)
        return self._written(launch, OutputKey(_PRIMITIVE_ID, 0), "uint", 32, vertex)

    def _read_slot(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        if launch.stage is Stage.FRAGMENT and isinstance(key.slot, int):
            special = self._special(launch, key, base, bit_size, vertex)
            if special is not None:
                return special
        return self._written(launch, key, base, bit_size, vertex)

    def _written(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        plane = self.planes.get(key)
        if plane is None:
            return self._unwritten(launch, key, base, bit_size, vertex)
        return self._take(launch, plane, bit_size, vertex)

    def _special(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value | None:
        state = self.environment.state
        slot = key.slot
        assert isinstance(slot, int)
        if slot in _MADE_BY_HARDWARE:
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        if 0 <= slot - _FIRST_TEX < 8 and state.sprite_coords >> (slot - _FIRST_TEX) & 1:
            if key.component >= 2:
                return self._sprite_constant(launch, key.component, bit_size)
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        if slot in _BACK_COLOR:
            color = self._color(launch, key, base, bit_size, vertex)
            return _clamped(color) if state.clamp_color else color
        return None

    def _color(self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None) -> Value:
        slot = key.slot
        assert isinstance(slot, int)
        if self.environment.state.two_side:
            back = self.planes.get(key._replace(slot=_BACK_COLOR[slot]))
            front = self.planes.get(key)
            facing = self.environment.hash_of("front face", launch.primitive) & np.uint64(1)
            sides = [
                undefined_value(1, bit_size, launch.lanes)
                if plane is None
                else self._take(launch, plane, bit_size, vertex)
                for plane in (front, back)
            ]
            return select(facing != 0, sides[0], sides[1])
        return self._written(launch, key, base, bit_size, vertex)

    def _sprite_constant(self, launch: Launch, component: int, bit_size: int) -> Value:
        """Return TEXn.z or TEXn.w of a point sprite: coordinate replacement sets (s, t, 0, 1)."""
        one = 0x3C00 if bit_size == 16 else 0x3F800000
        return constant((one if component == 3 else 0,), bit_size, launch.lanes)

    def _unwritten(
        self, launch: Launch, key: OutputKey, base: str, bit_size: int, vertex: Array | None
    ) -> Value:
        is_stored = key.slot in self.stored_slots
        if launch.stage is Stage.FRAGMENT and key.slot in _ZERO_WHEN_UNWRITTEN and not is_stored:
            return constant((0,), bit_size, launch.lanes)
        if key.slot == _PRIMITIVE_ID and launch.stage is Stage.FRAGMENT:
            if self.producer not in _MAKE_PRIMITIVES:
                return Value(launch.primitive.astype(container_type(bit_size))[None], bit_size)
        elif key.slot in _LEVEL_SLOTS and self.producer is not Stage.TESS_CTRL:
            slot = key.slot
            assert isinstance(slot, int)
            return self.made_up.read(launch, np.full(launch.lanes, slot), key, base, bit_size, vertex)
        return undefined_value(1, bit_size, launch.lanes)

    def _take(self, launch: Launch, plane: OutputPlane, bit_size: int, vertex: Array | None) -> Value:
        number = np.zeros(launch.lanes, np.int64) if vertex is None else vertex
        if vertex is None and self.own is not None:
            where = self.own[launch.primitive]
            instance, place = where // plane.vertices, where % plane.vertices
            inside = np.ones(launch.lanes, np.bool_)
        elif self.corner is None:
            instance, place = launch.primitive, number
            inside = (place >= 0) & (place < plane.vertices)
            place = np.where(inside, place, 0)
        else:
            inside = (number >= 0) & (number < self.corner.shape[1])
            where = self.corner[launch.primitive, np.where(inside, number, 0)]
            instance, place = where // plane.vertices, where % plane.vertices
        at = (instance, place)
        unknown = ~plane.written[at] | plane.poison[at] | ~inside | self.bad[instance]
        fragile = plane.fragile[at] | self.shaky[instance]
        return Value.of_arrays(
            plane.bits_at(at, bit_size), bit_size, unknown[None], plane.error[at][None], fragile[None]
        )


def run_pipeline(
    shaders: Sequence[Shader | Machine],
    environment: Environment,
    *,
    options: RunOptions | None = None,
    culling: CullingRule | None = None,
) -> PipelineResult:
    """Run a pipeline on some primitives. The first stage reads its inputs from the environment.

    Vertices are not shared between primitives. Tessellation generates eight points in each patch (the three
    corners first), whose triangles are rasterized; patches are culled by the rule in the shaders' headers,
    else by `culling`. Of the mesh workgroups that a task workgroup launches, one runs, with the payload. Each
    triangle has two quads of fragments. Raises the exceptions of `Machine.run`, and
    `Unsupported` for stages that do not form a graphics pipeline.
    """
    machines = [shader if isinstance(shader, Machine) else Machine(shader) for shader in shaders]
    stages = [machine.shader.stage for machine in machines]
    if any(stage not in _ORDER for stage in stages) or len(set(stages)) != len(stages):
        raise Unsupported("a pipeline of these stages")
    order = [_ORDER.index(stage) for stage in stages if stage is not None]
    if order != sorted(order):
        raise Unsupported("a pipeline whose stages are out of order")
    assumed = culling or CullingRule()
    rule = culling_rule((machine.shader for machine in machines), assumed.mode, assumed.spacing)
    runner = _Runner(machines, environment, options, rule)
    for machine in machines:
        runner.run(machine)
    return runner.finish()


class _Runner:
    """State between stages: launch and inputs of the next stage."""

    __slots__ = (
        "_absent",
        "_draw",
        "_environment",
        "_inputs",
        "_machines",
        "_memory",
        "_options",
        "_primitives",
        "_result",
        "_tasks",
        "_undecided",
    )

    def __init__(
        self,
        machines: list[Machine],
        environment: Environment,
        options: RunOptions | None,
        culling: CullingRule,
    ) -> None:
        self._machines = machines
        self._environment = environment
        self._options = options
        has_both = {Stage.TASK, Stage.MESH} <= {machine.shader.stage for machine in machines}
        self._memory = Memory(environment, hands_on_payload=has_both, numbers_by_stage=True)
        self._inputs: StageInputs | None = None
        self._primitives = self._first_primitives() * environment.draws
        # Draw of each primitive.
        self._draw = np.repeat(np.arange(environment.draws), self._first_primitives())
        # Primitives that may not exist, because a shader that makes them does not run or may not run.
        self._absent: Array | None = None
        self._result = PipelineResult(tuple(item.shader.stage for item in machines), culling=culling)
        # Patches for which culling is undefined or uncertain.
        self._undecided: Array | None = None
        self._tasks: ShaderResult | None = None

    def run(self, machine: Machine) -> None:
        """Run one stage and prepare the inputs of the next."""
        launch = self._launch(machine.shader)
        if launch is None:
            return
        result = machine.run(
            self._environment, launch=launch, inputs=self._inputs, memory=self._memory, options=self._options
        )
        self._result.results.append(result)
        self._pass_on(machine.shader, result)

    def finish(self) -> PipelineResult:
        """Return the result, with transform feedback."""
        for result in self._result.results:
            if not result.xfb:
                continue
            streams = emitted_streams(result)
            for item in result.xfb:
                planes = result.outputs
                if result.stage is Stage.GEOMETRY:
                    planes = streams[item.stream].planes if item.stream in streams else {}
                plane = planes.get(item.key)
                if plane is not None:
                    self._result.captured[item.buffer, item.offset] = _with_marks_of_lanes(plane, result)
        return self._result

    def _shader(self, stage: Stage) -> Shader | None:
        return next((item.shader for item in self._machines if item.shader.stage is stage), None)

    def _patch_vertices(self) -> int:
        control = self._shader(Stage.TESS_CTRL)
        return 4 if control is None else output_patch_size(control) or 3

    def _first_primitives(self) -> int:
        """Return the primitive count per draw; more if there is only one draw."""
        number = _PATCHES if self._tessellates() else _TRIANGLES
        return number * (_ALONE if self._environment.draws == 1 else 1)

    def _tessellates(self) -> bool:
        return any(machine.shader.stage in (Stage.TESS_CTRL, Stage.TESS_EVAL) for machine in self._machines)

    def _vertices_per_primitive(self) -> int:
        if self._tessellates():
            return self._patch_vertices()
        geometry = self._shader(Stage.GEOMETRY)
        return 3 if geometry is None else geometry_vertices_in(geometry)

    def _launch(self, shader: Shader) -> Launch | None:
        launch = self._launch_of_primitives(shader)
        if launch is not None and self._environment.draws > 1 and launch.draw is None:
            primitive = launch.primitive
            if launch.stage is Stage.VERTEX:
                primitive = primitive // self._vertices_per_primitive()
            launch.draw = self._draw[primitive]
        return launch

    def _launch_of_primitives(self, shader: Shader) -> Launch | None:
        stage = shader.stage
        if stage is Stage.VERTEX:
            width = self._vertices_per_primitive()
            number = np.arange(self._primitives * width)
            instance = Value((number // width % 3).astype(np.uint32)[None], 32)
            return Launch(stage, len(number), number, number % 1, number, system={"instance_id": instance})
        if stage is Stage.TESS_CTRL:
            vertices = self._patch_vertices()
            return tess_ctrl_launch(self._primitives, vertices, vertices)
        if stage is Stage.TESS_EVAL:
            number = np.arange(self._primitives * _COORDINATES)
            launch = Launch(
                stage, len(number), number, number % 1, number // _COORDINATES, self._patch_vertices()
            )
            if self._result.culled.any():
                launch.alive = ~self._result.culled[launch.primitive]
            if self._undecided is not None and self._undecided.any():
                launch.lost = self._undecided[launch.primitive]
            return launch
        if stage is Stage.TASK:
            return launch_for(shader, 1, self._environment.draws)
        if stage is Stage.MESH:
            launch = launch_for(shader, 1, self._environment.draws)
            return launch if self._tasks is None else _launched_by(self._tasks, launch)
        if stage is Stage.GEOMETRY:
            launch = geometry_launch(shader, self._primitives)
        elif self._primitives:
            number = np.arange(self._primitives * _LANES_PER_TRIANGLE)
            primitive = number // _LANES_PER_TRIANGLE
            launch = Launch(Stage.FRAGMENT, len(number), number, number % 1, primitive, vertices_in=3)
            if self._inputs is not None and self._inputs.producer in _MAKE_PRIMITIVES:
                launch.system = {"primitive_id": self._inputs.primitive_number(launch)}
        else:
            return None
        launch.lost = None if self._absent is None else self._absent[launch.primitive]
        return launch

    def _pass_on(self, shader: Shader, result: ShaderResult) -> None:
        stage = result.stage
        if stage is Stage.TASK:
            self._tasks = result
            return
        if stage is Stage.TESS_CTRL:
            self._after_control(shader, result)
            return
        planes, bad, shaky = result.outputs, result.poisoned, result.fragile
        bad = bad | result.launch.is_lost | ~result.launch.is_alive
        if stage is Stage.GEOMETRY:
            self._after_geometry(shader, result, bad, shaky)
            return
        if stage is Stage.MESH:
            self._after_mesh(shader, result, bad, shaky)
            return
        if stage is Stage.TESS_EVAL:
            first = np.arange(self._primitives)[:, None, None] * _COORDINATES
            corner = (first + np.array(_PATCH_TRIANGLES)[None]).reshape(-1, 3)
        else:
            width = self._vertices_per_primitive()
            corner = np.arange(self._primitives * width).reshape(-1, width)
        self._draw = np.repeat(self._draw, len(corner) // max(self._primitives, 1))
        self._primitives = len(corner)
        self._inputs = StageInputs(self._environment, shader, _sent(planes, result), corner, bad, shaky)
        self._absent = bad[corner].any(axis=1)

    def _after_control(self, shader: Shader, result: ShaderResult) -> None:
        bad, shaky = _groups_with(result, result.poisoned), _groups_with(result, result.fragile)
        found = culled_patches(result, self._result.culling)
        self._result.culled = found.culled
        # An invocation whose control flow is not known may store any level.
        self._undecided = bad | shaky | found.undefined | found.uncertain
        bad, shaky = bad | found.culled | found.undefined, shaky | found.uncertain
        planes = _sent(result.outputs, result)
        self._inputs = StageInputs(self._environment, shader, planes, None, bad, shaky)

    def _after_mesh(self, shader: Shader, result: ShaderResult, bad: Array, shaky: Array) -> None:
        """Form triangles from successive vertices, ignoring the indices that the mesh shader wrote."""
        planes = result.outputs
        vertices = max((plane.vertices for plane in planes.values()), default=1)
        vertices = max(vertices, 3 * _TRIANGLES)
        for plane in planes.values():
            plane.grow(vertices)
        groups = result.launch.group_count
        marks = [_groups_with(result, lanes) for lanes in (bad, shaky)]
        triangle = np.arange(_TRIANGLES)
        corner = triangle[:, None] * 3 + np.arange(3)
        first = np.repeat(np.arange(groups) * vertices, len(triangle))
        corner = np.tile(corner, (groups, 1)) + first[:, None]
        self._primitives = len(corner)
        self._draw = np.repeat(np.arange(self._environment.draws), len(corner) // self._environment.draws)
        own = np.tile(triangle, groups) + first
        sent = _sent(planes, result)
        self._inputs = StageInputs(self._environment, shader, sent, corner, marks[0], marks[1], own)
        self._absent = np.repeat(marks[0], len(triangle))

    def _after_geometry(self, shader: Shader, result: ShaderResult, bad: Array, shaky: Array) -> None:
        stream = emitted_streams(result).get(0)
        if stream is None:
            self._primitives = 0
            self._inputs = StageInputs(self._environment, shader, {}, None, bad, shaky)
            return
        # A vertex may be emitted without outputs.
        vertices = max(1, *map(sum, stream.strips), *(plane.vertices for plane in stream.planes.values()))
        for plane in stream.planes.values():
            plane.grow(vertices)
        kind = shader.header_value("output_primitive") or "TRIANGLE_STRIP"
        draws = self._environment.draws_of(np.arange(result.launch.lanes))
        triangles: list[list[tuple[int, int, int]]] = [[] for _ in range(self._environment.draws)]
        for lane, (draw, strips) in enumerate(zip(draws, stream.strips, strict=True)):
            first = lane * vertices
            for length in strips:
                triangles[draw] += _triangles(kind, first, length)
                first += length
        each = [found[:: max(1, len(found) // (2 * _TRIANGLES))][: 2 * _TRIANGLES] for found in triangles]
        chosen = [triangle for found in each for triangle in found]
        self._draw = np.repeat(np.arange(len(each)), [len(found) for found in each])
        self._primitives = len(chosen)
        corner = np.array(chosen, np.int64).reshape(-1, 3)
        sent = _sent(stream.planes, result)
        self._inputs = StageInputs(self._environment, shader, sent, corner, bad, shaky)
        self._absent = np.any(bad[corner // vertices], axis=1)


def _clamped(color: Value) -> Value:
    """Return a colour clamped to the range from 0 to 1; a bound behind a clamp that decides is 0."""
    numbers = decode(color.bits, "float", color.bit_size).astype(np.float64)
    error = np.zeros(numbers.shape) if color.error is None else color.error
    below, above = numbers + error <= 0, numbers - error >= 1
    with np.errstate(invalid="ignore"):
        bits = np.where(
            (numbers < 0) | (numbers > 1), encode(np.clip(numbers, 0, 1), "float", color.bit_size), color.bits
        )
    fragile = np.zeros(numbers.shape, np.bool_) if color.fragile is None else color.fragile
    poison = np.zeros(numbers.shape, np.bool_) if color.poison is None else color.poison
    return Value.of_arrays(bits, color.bit_size, poison, np.where(below | above, 0, error), fragile)


def _sent(planes: dict[OutputKey, OutputPlane], result: ShaderResult) -> dict[OutputKey, OutputPlane]:
    """Return the outputs that the next stage can read."""
    return {key: plane for key, plane in planes.items() if key not in result.not_sent}


def _groups_with(result: ShaderResult, lanes: Array) -> Array:
    """Return whether each group has one of the lanes."""
    found: Array = np.bincount(result.launch.group[lanes], minlength=result.launch.group_count) > 0
    return found


def _launched_by(tasks: ShaderResult, launch: Launch) -> Launch:
    """Return a mesh launch, of one group per task group, limited to what the task shader launches."""
    groups = tasks.launch.group_count
    unsure = _groups_with(tasks, tasks.poisoned | tasks.fragile | tasks.astray)
    grid = np.zeros((3, groups), np.int64)
    for number in range(len(grid)):
        plane = tasks.outputs.get(OutputKey(MESH_WORKGROUPS, number))
        if plane is not None:
            unsure = unsure | (plane.written & (plane.poison | plane.fragile))[:, 0]
            grid[number] = np.where(plane.written[:, 0], plane.bits[:, 0].astype(np.int64), 0)
    alive = (grid > 0).all(axis=0) | unsure
    own = launch.group
    return replace(
        launch,
        grid=np.maximum(grid, 1)[:, own],
        alive=None if alive.all() else alive[own],
        lost=unsure[own] if unsure.any() else None,
    )


def _triangles(kind: str, first: int, length: int) -> list[tuple[int, int, int]]:
    """Return three corners for every point, line or triangle of a strip; points and lines repeat corners."""
    if "POINT" in kind:
        return [(first + n, first + n, first + n) for n in range(length)]
    if "LINE" in kind:
        return [(first + n, first + n + 1, first + n + 1) for n in range(length - 1)]
    return [(first + n, first + n + 1, first + n + 2) for n in range(length - 2)]


def _with_marks_of_lanes(plane: OutputPlane, result: ShaderResult) -> OutputPlane:
    """Return an output plane with lane instances; the stores of lost lanes are undefined."""
    if len(plane.bits) != result.launch.lanes or not (result.poisoned | result.fragile).any():
        return plane
    marked = plane.copy()
    marked.poison |= result.poisoned[:, None]
    marked.fragile |= result.fragile[:, None]
    return marked


def compare_pipelines(
    before: PipelineResult,
    after: PipelineResult,
    *,
    float_tolerance: bool = False,
    new_outputs_count: bool = True,
) -> list[Difference]:
    """Compare the visible results of two pipelines stage by stage, without inter-stage varyings.

    Compared are the outputs and discards of the last stage, the outputs that the hardware reads (position,
    clip distances, tessellation levels, ...), transform feedback, and the memory that any stage wrote; of
    culled patches only that they are culled.
    """
    if [result.stage for result in before.results] != [result.stage for result in after.results]:
        return [Difference("stages that ran", 0, _stages_text(before), _stages_text(after))]
    found: list[Difference] = []
    unsettled: set[MemoryKey] = set()
    for old, new in zip(before.results, after.results, strict=True):
        if old.launch.lanes != new.launch.lanes:
            found.append(Difference("number of invocations", 0, str(old.launch.lanes), str(new.launch.lanes)))
            return found
        alive = old.launch.is_alive, new.launch.is_alive
        changed = (alive[0] != alive[1]) & ~old.launch.is_lost & ~new.launch.is_lost
        if changed.any() and not float_tolerance:
            lane = int(np.argmax(changed))
            found.append(Difference("culling of patches", lane, *(str(side[lane]) for side in alive)))
        last = old.stage is before.stages[-1]
        visible = _visible_slots(old.stage, before, last)
        # Later stages find in memory what this one stored.
        unsettled |= unsettled_cells(old, new, float_tolerance)
        found += compare_results(
            old,
            new,
            float_tolerance=float_tolerance,
            concerns=None if visible is None else _Visible(visible),
            culling=before.culling,
            new_outputs_count=new_outputs_count,
            unsettled=unsettled,
        )
    for place in dict.fromkeys((*before.captured, *after.captured)):
        found += compare_planes(
            f"transform feedback {place[0]}+{place[1]}",
            before.captured.get(place),
            after.captured.get(place),
            float_tolerance,
        )
    return found


@dataclass(frozen=True, slots=True)
class _Visible:
    """Predicate for the outputs that fixed-function hardware reads: those of some slots."""

    slots: frozenset[int]

    def __call__(self, key: OutputKey) -> bool:
        return is_told_to_hardware(key) or key.slot in self.slots


def _visible_slots(stage: Stage, pipeline: PipelineResult, last: bool) -> frozenset[int] | None:
    """Return the slots of a stage's externally visible outputs; None for all of them."""
    if last:
        return None
    if stage is Stage.TESS_CTRL:
        return _LEVEL_SLOTS
    if stage is Stage.MESH:
        return _SYSTEM_SLOTS | _MESH_SLOTS
    following = pipeline.stages[pipeline.stages.index(stage) + 1]
    return _SYSTEM_SLOTS if following is Stage.FRAGMENT else frozenset()


def _stages_text(result: PipelineResult) -> str:
    return " ".join(item.stage.abbreviation for item in result.results)
