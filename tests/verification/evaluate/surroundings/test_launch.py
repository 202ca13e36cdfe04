"""Who runs together."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.surroundings.launch import geometry_vertices_in, launch_for, tess_ctrl_launch
from tests.verification.evaluate.shader_text import shader_of


def shader(stage: str, head: str = "") -> Shader:
    return shader_of("    block b0:", stage, head)


def test_workgroups_are_whole() -> None:
    launch = launch_for(shader("COMPUTE", "workgroup_size: 3, 2, 1\n"), 16)
    assert (launch.lanes, launch.group_count, launch.group_size) == (12, 2, 6)
    assert launch.group.tolist() == [0] * 6 + [1] * 6
    assert launch.invocation.tolist() == list(range(6)) * 2
    assert launch.num_workgroups == (2, 1, 1)
    assert launch_for(shader("COMPUTE", "workgroup_size: 128, 1, 1\n"), 16).lanes == 128


def test_quads_and_patches_are_whole() -> None:
    assert launch_for(shader("FRAGMENT"), 5).lanes == 8
    launch = launch_for(shader("TESS_CTRL", "tcs_vertices_out: 4\n"), 10)
    assert (launch.lanes, launch.group_size, launch.vertices_out) == (8, 4, 4)
    assert tess_ctrl_launch(2, 3, 4).primitive.tolist() == [0] * 4 + [1] * 4


def test_geometry_invocations_share_a_primitive() -> None:
    launch = launch_for(shader("GEOMETRY", "invocations: 2\ninput_primitive: LINES\n"), 8)
    assert launch.primitive.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert launch.invocation.tolist() == [0, 1] * 4
    assert launch.vertices_in == 2


@pytest.mark.parametrize(("primitive", "vertices"), [("POINTS", 1), ("TRIANGLES_ADJACENCY", 6)])
def test_vertices_of_primitives(primitive: str, vertices: int) -> None:
    assert geometry_vertices_in(shader("GEOMETRY", f"input_primitive: {primitive}\n")) == vertices


def test_an_unknown_workgroup_size_is_one() -> None:
    assert launch_for(shader("COMPUTE")).workgroup_size == (1, 1, 1)


def test_vertices_that_a_control_shader_reads() -> None:
    vertices, own, is_there = tess_ctrl_launch(2, 3, 4).input_vertices()
    assert (vertices.stage, vertices.lanes) == (Stage.VERTEX, 6)
    assert own[is_there].tolist() == [0, 1, 2, 3, 4, 5]
    assert is_there.tolist() == [True, True, True, False] * 2
