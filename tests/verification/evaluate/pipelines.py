"""Small pipelines for the tests, and their comparison."""

from __future__ import annotations

from nirls.verification.compare.pipelines import compare_pipelines
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from tests.passes.shader_text import ZERO, shader
from tests.verification.evaluate.shader_text import shader_of, store

VERTEX = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32, io location=VERT_ATTRIB_POS slots=1)
{store("1", "0")}
                // succs: b99"""  # noqa: E501
SMOOTH = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x2   %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)
    32     %2 = @load_interpolated_input (%1, %0 (0x0)) (base=0, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)
{store("2", "0", "FRAG_RESULT_DATA0")}
                // succs: b99"""  # noqa: E501
FLAT = SMOOTH.replace(
    "@load_interpolated_input (%1, %0 (0x0)) (base=0,", "@load_input (%0 (0x0)) (base=0, range=1,"
)

NOTHING = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
                // succs: b99"""


def pipeline(vertex: str, fragment: str) -> list[Machine]:
    return [Machine(shader_of(vertex)), Machine(shader_of(fragment, "FRAGMENT"))]


def differ(before: list[Machine], after: list[Machine]) -> bool:
    environment = Environment(1)
    options = RunOptions(track_error=True)
    results = [run_pipeline(item, environment, options=options) for item in (before, after)]
    return bool(compare_pipelines(*results, float_tolerance=True))


def task_and_mesh(value: str = "%2 (1.0)", count: str = "0x00000002", base: int = 0) -> list[Machine]:
    """A task shader that stores four bytes of payload, and a mesh shader that loads them at a base."""
    task = shader(
        "TASK",
        ZERO,
        f"32    %1 = load_const ({count})",
        "32    %2 = load_const (0x3f800000 = 1.000000)",
        "32    %3 = @load_local_invocation_index",
        "32    %4 = u2f32 %3",
        f"     @store_task_payload ({value}, %0 (0x0)) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        "32x3  %90 = vec3 %1, %1, %1",
        "     @launch_mesh_workgroups (%90) (base=0, range=4)",
        header=("workgroup_size: 4, 1, 1",),
    )
    mesh = shader(
        "MESH",
        ZERO,
        f"32    %1 = @load_task_payload (%0) (base={base}, align_mul=4, align_offset=0)",
        "32    %2 = @load_local_invocation_index",
        "32x3  %3 = @load_workgroup_id",
        "32    %4 = u2f32 %3.x",
        "32    %5 = fadd %1, %4",
        "     @store_per_vertex_output (%5, %2, %0) (base=0, range=1, wrmask=x, component=0,"
        " src_type=float32, io location=VARYING_SLOT_POS slots=1)",
        header=("workgroup_size: 8, 1, 1",),
    )
    return [Machine(task), Machine(mesh)]
