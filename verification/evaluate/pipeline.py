"""Run the stages of a pipeline in order, each on the outputs of the previous one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule, culling_rule, output_patch_size
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.steps.geometry import MESH_WORKGROUPS
from nirls.verification.evaluate.storage.memory import Memory
from nirls.verification.evaluate.surroundings.culling import culled_patches
from nirls.verification.evaluate.surroundings.emitted import emitted_streams
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import InputSupply
from nirls.verification.evaluate.surroundings.launch import (
    Launch,
    geometry_launch,
    geometry_vertices_in,
    launch_for,
    tess_ctrl_launch,
)
from nirls.verification.evaluate.surroundings.result import OutputKey, OutputPlane, ShaderResult
from nirls.verification.evaluate.surroundings.stage_inputs import MAKE_PRIMITIVES, StageInputs
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value

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


@dataclass(slots=True)
class PipelineResult:
    """The results of the stages that ran, in order, and the externally visible effects.

    `stages` are all of the pipeline: the fragment stage does not run if a geometry shader makes no primitive.
    `culled` are patches that tessellation culled, by the
    rule `culling`.
    """

    stages: tuple[Stage | None, ...]
    results: list[ShaderResult] = field(default_factory=list)
    culled: Array = field(default_factory=lambda: np.zeros(0, np.bool_))
    culling: CullingRule = field(default_factory=CullingRule)

    def result_of(self, stage: Stage | None) -> ShaderResult | None:
        """Return the result of a stage, None if no such stage ran."""
        return next((result for result in self.results if result.stage is stage), None)


def run_pipeline(
    shaders: Sequence[Shader | Machine],
    environment: Environment,
    *,
    options: RunOptions | None = None,
    culling: CullingRule | None = None,
    inputs: InputSupply | None = None,
) -> PipelineResult:
    """Run a pipeline on some primitives. `inputs` are those of the first stage, by default the environment's.

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
    runner = _Runner(machines, environment, options, rule, inputs)
    for machine in machines:
        runner.run(machine)
    return runner.result


class _Runner:
    """State between stages: launch and inputs of the next stage."""

    __slots__ = (
        "_absent",
        "_draw",
        "_environment",
        "_first_inputs",
        "_inputs",
        "_machines",
        "_memory",
        "_options",
        "_primitives",
        "_tasks",
        "_undecided",
        "result",
    )

    def __init__(
        self,
        machines: list[Machine],
        environment: Environment,
        options: RunOptions | None,
        culling: CullingRule,
        inputs: InputSupply | None,
    ) -> None:
        self._machines = machines
        self._environment = environment
        self._options = options
        has_both = {Stage.TASK, Stage.MESH} <= {machine.shader.stage for machine in machines}
        self._memory = Memory(environment, hands_on_payload=has_both, numbers_by_stage=True)
        self._first_inputs = inputs
        self._inputs: StageInputs | None = None
        self._primitives = self._first_primitives() * environment.draws
        # Draw of each primitive.
        self._draw = np.repeat(np.arange(environment.draws), self._first_primitives())
        # Primitives that may not exist, because a shader that makes them does not run or may not run.
        self._absent: Array | None = None
        self.result = PipelineResult(tuple(item.shader.stage for item in machines), culling=culling)
        # Patches for which culling is undefined or uncertain.
        self._undecided: Array | None = None
        self._tasks: ShaderResult | None = None

    def run(self, machine: Machine) -> None:
        """Run one stage and prepare the inputs of the next."""
        launch = self._launch(machine.shader)
        if launch is None:
            return
        result = machine.run(
            self._environment,
            launch=launch,
            inputs=self._inputs or self._first_inputs,
            memory=self._memory,
            options=self._options,
        )
        self.result.results.append(result)
        self._pass_on(machine.shader, result)

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
            if self.result.culled.any():
                launch.alive = ~self.result.culled[launch.primitive]
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
            if self._inputs is not None and self._inputs.producer in MAKE_PRIMITIVES:
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
        patches = culled_patches(result, self.result.culling)
        self.result.culled = patches.culled
        # An invocation whose control flow is not known may store any level.
        self._undecided = bad | shaky | patches.undefined | patches.uncertain
        bad, shaky = bad | patches.culled | patches.undefined, shaky | patches.uncertain
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
        each = [
            triangle[:: max(1, len(triangle) // (2 * _TRIANGLES))][: 2 * _TRIANGLES] for triangle in triangles
        ]
        chosen = [triangle for found in each for triangle in found]
        self._draw = np.repeat(np.arange(len(each)), [len(found) for found in each])
        self._primitives = len(chosen)
        corner = np.array(chosen, np.int64).reshape(-1, 3)
        sent = _sent(stream.planes, result)
        self._inputs = StageInputs(self._environment, shader, sent, corner, bad, shaky)
        self._absent = np.any(bad[corner // vertices], axis=1)


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
