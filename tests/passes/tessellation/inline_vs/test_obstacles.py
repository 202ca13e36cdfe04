"""Obstacles to inlining a vertex shader."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.tessellation.inline_vs.inline_vs_in_tcs import InlineVsInTcs
from nirls.passes.tessellation.inline_vs.interface import VsTcsInterface
from nirls.passes.tessellation.inline_vs.obstacles import (
    InlineVsObstacle,
    interface_or_obstacles,
    is_well_formed,
)
from nirls.passes.tessellation.optimize_tcs import optimize
from nirls.verification.random_shaders.patches import random_patch
from tests.passes.shader_text import shader, shader_text
from tests.passes.tessellation.patches import ID, ZERO, attribute, control, load, out, store, vertex

STORE = store("%1", "VAR0")
READER = control(load(3, "VAR0"), out("%3", "VAR1"))
SSBO_STORE = "@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
SSBO_LOAD = "32    %2 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)"


def _obstacles(vs: Shader) -> tuple[InlineVsObstacle, ...]:
    found = interface_or_obstacles(vs, READER, 0)
    assert isinstance(found, tuple)
    return found


def reason(vs: Shader, tcs: Shader = READER, patch_vertices: int = 0) -> str:
    found = interface_or_obstacles(vs, tcs, patch_vertices)
    assert isinstance(found, tuple)
    return found[0].reason


def test_nothing_in_the_way() -> None:
    assert isinstance(interface_or_obstacles(vertex(STORE), READER, 0), VsTcsInterface)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([SSBO_STORE, STORE], "writes memory (store_ssbo)"),
        (["32    %2 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)", STORE], "writes memory"),
        (["32    %2 = @load_subgroup_invocation", STORE], "has a different meaning"),
        (["32    %2 = @load_shader_clock", STORE], "has a different meaning"),
        (["32    %2 = @load_scratch (%0) (align_mul=4, align_offset=0)", STORE], "has a different meaning"),
        ([store("%1", "VAR0", extra="component=0 buffer=0 offset=0")], "transform feedback"),
        (
            [
                "32    %2 = @load_constant (%0) (base=0, range=4, access=none, align_mul=4, align_offset=0)",
                STORE,
            ],
            "its constant data",
        ),
        ([STORE, "return"], "end early"),
        ([], "has no outputs"),
        (
            ["32    %2 = @load_vertex_id", store("%2", "VAR0").replace("float32", "uint32")],
            "only passes",
        ),
        (["16    %2 = f2f16 %1", store("%2", "VAR0").replace("float32", "float16")], "different sizes"),
        (["64    %2 = f2f64 %1", store("%2", "VAR0").replace("float32", "float64")], "different sizes"),
        (["32    %2 = deref_var &position (shader_in float)", STORE], "still variables"),
        (["32    %2 = deref_var &id (system int)", STORE], "still variables"),
    ],
)
def test_vertex_shader(lines: list[str], words: str) -> None:
    declared = (
        "decl_var shader_in INTERP_MODE_NONE none float position (VERT_ATTRIB_POS.x, 0, 0)",
        "decl_var system INTERP_MODE_NONE none int id (SYSTEM_VALUE_VERTEX_ID, 0, 0)",
    )
    assert words in reason(vertex(*lines, header=declared))


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([out("%0", "VAR1")], "has no inputs"),
        (
            [load(3, "VAR0", "%4").replace("%4", "%0"), "32    %5 = deref_var &o (shader_out float[3])"],
            "still variables",
        ),
        (
            [
                load(3, "VAR0"),
                attribute(2),
            ],
            "already",
        ),
        (["32    %2 = load_const (0x00000003)", load(3, "VAR0", "%2")], "input patches are larger"),
    ],
)
def test_control_shader(lines: list[str], words: str) -> None:
    declared = "decl_var shader_out INTERP_MODE_NONE none float[3] o (VARYING_SLOT_VAR1.x, 0, 0)"
    assert words in reason(vertex(STORE), control(*lines, header=[declared]))


def test_a_vertex_beyond_is_no_sign_where_nobody_may_get() -> None:
    tcs = control(
        "32    %2 = load_const (0x00000003)",
        "1     %4 = ieq %1, %2",
        "if %4 {",
        "    block b2:  // preds: b0",
        load(3, "VAR0", "%2"),
        out("%3", "VAR1"),
        "} else {",
        "    block b3:  // preds: b0",
        "}",
        "block b4:  // preds: b2 b3",
    )
    assert isinstance(interface_or_obstacles(vertex(STORE), tcs, 0), VsTcsInterface)


def test_backend_outputs_are_reported_by_opt_varyings_only() -> None:
    exported = vertex("@export_amd (%1) (base=12, wrmask=x, flags=0)")
    (found,) = [one for one in _obstacles(exported) if one.is_pointless]
    assert found.reason == "the outputs of the VS are lowered to backend I/O; use an earlier snapshot"
    assert not list(InlineVsInTcs().find([exported, READER]))


def test_size_of_patches_unknown() -> None:
    tcs = shader("TESS_CTRL", ZERO, ID, load(3, "VAR0"), out("%3", "VAR1"))
    assert "does not show the size of an output patch" in reason(vertex(STORE), tcs)
    assert "5 control points, but an output patch 3" in reason(vertex(STORE), READER, 5)


def test_memory_that_the_control_shader_writes() -> None:
    writer = control(load(3, "VAR0"), out("%3", "VAR1"), SSBO_STORE)
    assert "the vertex shader reads some (load_ssbo)" in reason(vertex(SSBO_LOAD, STORE), writer)
    assert isinstance(interface_or_obstacles(vertex(SSBO_LOAD, STORE), READER, 0), VsTcsInterface)
    assert isinstance(interface_or_obstacles(vertex(STORE), writer, 0), VsTcsInterface)


def test_variables_of_one_name() -> None:
    declared = "decl_var uniform INTERP_MODE_NONE none {} u (0, 0, 0)"
    use = "32    %2 = deref_var &u (uniform float)"
    vs = vertex(use, STORE, header=(declared.format("float"),))
    same = control(load(3, "VAR0"), out("%3", "VAR1"), header=(declared.format("float"),))
    other = control(load(3, "VAR0"), out("%3", "VAR1"), header=(declared.format("vec4"),))
    assert isinstance(interface_or_obstacles(vs, same, 0), VsTcsInterface)
    assert "different declarations of uniform u" in reason(vs, other)


@pytest.mark.parametrize("number", range(4))
def test_whole_dumps(number: int) -> None:
    assert all(map(is_well_formed, random_patch(number)))


@pytest.mark.parametrize(
    "lines",
    [
        ["if %0 {", "block b2: // preds:"],
        ["@store_output (%0) (base=0, io location=VARYING_SLOT_VAR0 slots=1)"],
        ["@store_output () (base=0)"],
        ["32 %2 = @barrier ()"],
        ["32 %2 = mov %7"],
        ["not a line"],
        [load(2, "VAR0").removeprefix("32    %2 = ")],
    ],
)
def test_broken_dumps(lines: list[str]) -> None:
    broken = parse_dump(shader_text("TESS_CTRL", ZERO, ID, *lines, header=("tcs_vertices_out: 3",)).encode())
    assert not is_well_formed(broken)
    summary, changed = optimize([vertex(store("%1", "VAR0")), broken], {})
    assert changed == []
    assert not summary.is_restructured
    assert is_well_formed(control())
