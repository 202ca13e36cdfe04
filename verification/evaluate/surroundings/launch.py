"""Invocations of one run: the grouping of lanes into quads, primitives, patches and workgroups."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

import numpy as np

from nirls.ir.analysis.tessellation import output_patch_size
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.value import Value

_COORDINATES_PER_PATCH = 8
_QUADS_PER_PRIMITIVE = 2
_GROUP_STEP = 5
WORKGROUP_STAGES = frozenset({Stage.COMPUTE, Stage.KERNEL, Stage.TASK, Stage.MESH})
_PRIMITIVE_VERTICES = {
    "POINTS": 1,
    "LINES": 2,
    "LINES_ADJACENCY": 4,
    "TRIANGLES": 3,
    "TRIANGLES_ADJACENCY": 6,
}


@dataclass(slots=True)
class Launch:
    """The invocations of one run.

    For each lane, `group` is the workgroup (compute, task, mesh) or output patch (tessellation control)
    it belongs to, and the lane number for other stages; `invocation` its number within the group (or the
    geometry shader's invocation number); `primitive` the primitive or patch whose vertices it reads.
    `vertices_in` is the vertex count of that primitive, `vertices_out` that of a control shader's patch.
    Fragment lanes form quads of four successive lanes. `draw` is the draw call or dispatch of each lane, in
    ascending order; each has its own memory, uniforms and draw parameters (None: all lanes are of one draw).
    `grid` has the workgroups of each lane's dispatch along each axis, shape (3, lanes), if they are not the
    same for all (`num_workgroups`). `system` holds system values that are not generated, by intrinsic name
    without `load_`. Lanes
    that are not in `alive` never run; those in `lost` may or may not run, so their effects are ignored.
    """

    stage: Stage
    lanes: int
    group: Array
    invocation: Array
    primitive: Array
    vertices_in: int = 1
    vertices_out: int = 1
    workgroup_size: tuple[int, int, int] = (1, 1, 1)
    num_workgroups: tuple[int, int, int] = (1, 1, 1)
    grid: Array | None = None
    system: dict[str, Value] = field(default_factory=dict)
    draw: Array | None = None
    alive: Array | None = None
    lost: Array | None = None
    _key: Hashable = field(default=None, init=False, repr=False, compare=False)

    @property
    def key(self) -> Hashable:
        """Return a key equal for launches whose lanes have the same stage, primitives and draws."""
        if self._key is None:
            draw = None if self.draw is None else self.draw.tobytes()
            self._key = (self.stage, self.lanes, self.primitive.tobytes(), draw)
        return self._key

    @property
    def group_count(self) -> int:
        """Return the number of workgroups, patches or single invocations."""
        return int(self.group[-1]) + 1 if self.lanes else 0

    @property
    def group_size(self) -> int:
        """Return the number of invocations in a group."""
        return self.lanes // max(self.group_count, 1)

    @property
    def draw_of_lane(self) -> Array:
        """Return the draw of each lane; 0 if all are of one."""
        return np.zeros(self.lanes, np.int64) if self.draw is None else self.draw

    @property
    def is_alive(self) -> Array:
        """Return whether each lane may run."""
        return np.ones(self.lanes, np.bool_) if self.alive is None else self.alive

    @property
    def is_lost(self) -> Array:
        """Return whether it is unknown if each lane runs."""
        return np.zeros(self.lanes, np.bool_) if self.lost is None else self.lost

    def within_draw(self, numbers: Array) -> Array:
        """Renumber lanes or groups from 0 in each draw."""
        if self.draw is None or not self.lanes:
            return numbers
        counted: Array = numbers - numbers[np.searchsorted(self.draw, self.draw)]
        return counted

    def dispatch(self) -> list[Array]:
        """Return the workgroup counts along each axis, of one dispatch or one per lane."""
        return [np.array([count]) for count in self.num_workgroups] if self.grid is None else list(self.grid)

    def workgroup_number(self) -> Array:
        """Return the number of each lane's workgroup in its dispatch, which may be larger than the launch."""
        within = self.within_draw(self.group)
        width, height, depth = self.dispatch()
        total = np.maximum(width * height * depth, 1)
        if self.grid is None and (self.draw is None or total[0] == 1):
            return within
        number: Array = (within + (0 if self.draw is None else self.draw * _GROUP_STEP)) % total
        return number

    def input_vertices(self) -> tuple[Launch, Array, Array]:
        """Return the vertex shader's launch for the vertices of these patches.

        Also return, for each lane, the vertex shader lane with the number of its invocation, and whether that
        exists: the input patch may have fewer vertices than the output patch.
        """
        patches = self.group_count
        number = np.arange(patches * self.vertices_in)
        draw = None if self.draw is None else np.repeat(self.draw[:: self.group_size], self.vertices_in)
        vertices = Launch(Stage.VERTEX, len(number), number, number % 1, number, draw=draw)
        is_there: Array = self.invocation < self.vertices_in
        own = self.primitive * self.vertices_in + np.where(is_there, self.invocation, 0)
        return vertices, own, is_there


def launch_for(shader: Shader, lanes: int = 64, draws: int = 1) -> Launch:
    """Return a launch of about `lanes` lanes per draw: whole quads, patches and workgroups, at least one."""
    launch = _one_draw(shader, lanes)
    if draws == 1:
        return launch
    number = np.arange(draws)
    primitives = int(launch.primitive.max()) + 1 if launch.lanes else 0
    return replace(
        launch,
        lanes=draws * launch.lanes,
        group=(number[:, None] * launch.group_count + launch.group).reshape(-1),
        invocation=np.tile(launch.invocation, draws),
        primitive=(number[:, None] * primitives + launch.primitive).reshape(-1),
        draw=np.repeat(number, launch.lanes),
        num_workgroups=_dispatch(launch),
    )


def _dispatch(launch: Launch) -> tuple[int, int, int]:
    """Return a dispatch of which each draw runs other workgroups, with numbers that differ on every axis."""
    if launch.stage not in (Stage.COMPUTE, Stage.KERNEL):
        return launch.num_workgroups
    return (max(4, -(-launch.group_count // 6)), 3, 2)


def _one_draw(shader: Shader, lanes: int) -> Launch:
    stage = shader.stage or Stage.COMPUTE
    if stage in WORKGROUP_STAGES:
        return _workgroups(shader, stage, lanes)
    if stage is Stage.TESS_CTRL:
        vertices = output_patch_size(shader) or 3
        return tess_ctrl_launch(max(1, lanes // vertices), vertices, vertices)
    number = np.arange(lanes)
    if stage is Stage.TESS_EVAL:
        return Launch(stage, lanes, number, number % 1, number // _COORDINATES_PER_PATCH, vertices_in=4)
    if stage is Stage.GEOMETRY:
        return geometry_launch(shader, max(1, lanes // _geometry_invocations(shader)))
    if stage is Stage.FRAGMENT:
        lanes = max(4, (lanes + 3) // 4 * 4)
        number = np.arange(lanes)
        return Launch(stage, lanes, number, number % 1, number // (4 * _QUADS_PER_PRIMITIVE), vertices_in=3)
    return Launch(stage, lanes, number, number % 1, number)


def tess_ctrl_launch(patches: int, vertices_in: int, vertices_out: int) -> Launch:
    """Return a launch of all control shader invocations of a number of patches."""
    launch = _grouped(Stage.TESS_CTRL, patches, vertices_out)
    return replace(launch, vertices_in=vertices_in, vertices_out=vertices_out)


def geometry_launch(shader: Shader, primitives: int) -> Launch:
    """Return a launch of all geometry shader invocations of a number of primitives."""
    invocations = _geometry_invocations(shader)
    launch = _grouped(Stage.GEOMETRY, primitives, invocations)
    return replace(launch, group=np.arange(launch.lanes), vertices_in=geometry_vertices_in(shader))


def _geometry_invocations(shader: Shader) -> int:
    return max(1, shader.header_number("invocations"))


def geometry_vertices_in(shader: Shader) -> int:
    """Return the vertex count of a geometry shader's input primitive, from the dump's header."""
    stated = shader.header_number("vertices_in")
    if stated:
        return stated
    return _PRIMITIVE_VERTICES.get(shader.header_value("input_primitive") or "TRIANGLES", 3)


def _workgroups(shader: Shader, stage: Stage, lanes: int) -> Launch:
    width, height, depth = (max(1, size) for size in shader.workgroup_size)
    per_group = width * height * depth
    groups = max(1, lanes // per_group)
    return replace(
        _grouped(stage, groups, per_group),
        workgroup_size=(width, height, depth),
        num_workgroups=(groups, 1, 1),
    )


def _grouped(stage: Stage, groups: int, size: int) -> Launch:
    """Return a launch of groups of successive lanes, each with a primitive of its own."""
    number = np.arange(groups * size)
    return Launch(stage, len(number), number // size, number % size, number // size)
