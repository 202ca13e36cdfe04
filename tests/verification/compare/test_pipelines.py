"""What counts as a difference between two runs of a pipeline."""

from __future__ import annotations

from nirls.verification.compare.pipelines import compare_pipelines
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.surroundings.environment import Environment
from tests.passes.shader_text import ZERO, shader
from tests.verification.evaluate.pipelines import (
    FLAT,
    NOTHING,
    SMOOTH,
    VERTEX,
    differ,
    pipeline,
    task_and_mesh,
)
from tests.verification.evaluate.shader_text import shader_of, store


def test_interpolation_tells_itself_apart() -> None:
    smooth = pipeline(VERTEX, SMOOTH)
    assert not differ(smooth, pipeline(VERTEX, SMOOTH))
    assert differ(smooth, pipeline(VERTEX, FLAT))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("SMOOTH", "NOPERSPECTIVE")))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("barycentric_pixel", "barycentric_centroid")))
    assert differ(smooth, pipeline(VERTEX, SMOOTH.replace("barycentric_pixel", "barycentric_sample")))


def test_moving_a_varying_to_another_slot_changes_nothing() -> None:
    moved = pipeline(VERTEX.replace("SLOT_VAR0", "SLOT_VAR5"), SMOOTH.replace("SLOT_VAR0", "SLOT_VAR5"))
    assert not differ(pipeline(VERTEX, SMOOTH), moved)


def test_a_patch_whose_levels_depend_on_an_undefined_condition_may_be_culled() -> None:
    level = "VARYING_SLOT_TESS_LEVEL_OUTER"
    start, end = "block b0:   // preds:\n32 %0 = load_const (0x00000000)", "// succs: b99"
    one = "32 %1 = load_const (0x3f800000 = 1.000000)"
    either = f"""
    {start}
    {one}
    1      %2 = undefined
                // succs: b1 b2
    if %2 {{
        block b1:   // preds: b0
{store("0", "0", level)}
                    // succs: b3
    }} else {{
        block b2:   // preds: b0
{store("1", "0", level)}
                    // succs: b3
    }}
    block b3:   // preds: b1 b2
                {end}"""
    evaluation = (f"{start}\n{store('0', '0', 'VARYING_SLOT_POS')}\n{end}", "TESS_EVAL")
    before, culled, kept = (
        run_pipeline(
            [Machine(shader_of(text, stage)) for text, stage in ((control, "TESS_CTRL"), evaluation)],
            Environment(1),
        )
        for control in (
            either,
            f"{start}\n{store('0', '0', level)}\n{end}",
            f"{start}\n{one}\n{store('1', '0', level)}\n{end}",
        )
    )
    assert culled.culled.all()
    assert not kept.culled.any()
    assert compare_pipelines(before, culled) == compare_pipelines(before, kept) == []
    assert compare_pipelines(kept, culled)


def test_payload_of_a_task_shader_alone_is_compared() -> None:
    assert differ(task_and_mesh()[:1], task_and_mesh(value="%0 (0.0)")[:1])


def test_stores_of_a_mesh_shader_that_may_not_be_launched_are_left_out_in_later_stages() -> None:
    header = ("workgroup_size: 1, 1, 1",)

    def stages(count: str) -> list[Machine]:
        size = (f"32 %1 = {count}", "32x3 %2 = vec3 %1, %1, %1")
        task = shader("TASK", *size, "     @launch_mesh_workgroups (%2) (base=0, range=4)", header=header)
        ssbo_store = "     @store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
        mesh = shader("MESH", ZERO, ssbo_store, header=header)
        return [Machine(one) for one in (task, mesh, shader("FRAGMENT", ZERO))]

    none, one = "load_const (0x00000000)", "load_const (0x00000001)"
    assert not differ(stages("undefined"), stages(none))
    assert not differ(stages("undefined"), stages(one))
    assert differ(stages(one), stages(none))
    assert differ(stages(one), stages("undefined"))


def test_an_output_for_the_next_stage_only_is_none_for_the_hardware() -> None:
    plain = VERTEX.replace("SLOT_VAR0", "SLOT_POS")
    sent = plain.replace("slots=1,", "slots=1 no_sysval_output,")
    assert differ(pipeline(plain, NOTHING), pipeline(sent, NOTHING))
    size, of_varying = (text.replace("SLOT_POS", "SLOT_PSIZ") for text in (plain, sent))
    assert differ(pipeline(of_varying, NOTHING), pipeline(size, NOTHING))
    assert not differ(
        pipeline(of_varying, NOTHING), pipeline(of_varying.replace("%1, %0)", "%0, %0)"), NOTHING)
    )
