"""The chain: vertex shader inside, levels first, barriers that are left."""

from __future__ import annotations

import json

from nirls.ir.model.control_flow import If
from nirls.ir.model.shader import Shader
from nirls.passes.tessellation.optimize_tcs import OptimizeTcs, TcsSummary
from nirls.verification.random_shaders.patches import random_patch
from tests.passes.shader_text import shader
from tests.passes.tessellation.patches import (
    ZERO,
    assert_same,
    control,
    copies,
    load,
    names,
    of_name,
    out,
    store,
    vertex,
)

UNIFORM = "decl_var uniform INTERP_MODE_NONE none float level (0, 0, 0)"
LEVEL = ("32    %8 = deref_var &level (uniform float)", "32    %9 = @load_deref (%8) (access=none)")
LEVELS = [store("%9", "TESS_LEVEL_OUTER", lane) for lane in range(4)]
BARRIER = (
    "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
    " mem_modes=shader_out)"
)


def vs() -> Shader:
    return vertex("32    %2 = fsin %1", "32    %3 = fexp2 %2", store("%3", "VAR0"))


def tcs(*lines: str) -> Shader:
    return control(*LEVEL, *lines, *LEVELS, header=(UNIFORM,))


def tes() -> Shader:
    return shader(
        "TESS_EVAL",
        ZERO,
        load(3, "VAR1", "%0"),
        store("%3", "POS"),
        header=("primitive_mode: 1", "spacing: 1"),
    )


def test_vertex_work_is_behind_the_question_for_the_levels() -> None:
    before = [vs(), tcs(load(3, "VAR0"), out("%3", "VAR1")), tes()]
    after = copies(before)
    summary, changed = OptimizeTcs().optimize(after)
    assert changed == after[:2]
    assert_same(before, after)
    assert summary.is_inlined
    assert summary.is_restructured
    assert names(after[0]) == []
    impl = after[1].entrypoint
    assert impl is not None
    guard = next(node for node in impl.body if isinstance(node, If))
    (attribute,) = of_name(after[1], "load_input")
    assert attribute.block in guard.then_body
    assert summary.loads_skipped == 1


def test_the_vertex_shader_stays_where_nothing_is_gained() -> None:
    patch = [
        vs(),
        control(load(9, "VAR0", "%0"), load(3, "VAR0", "%0"), out("%3", "VAR1"), *LEVELS),
        tes(),
    ]
    after = copies(patch)
    summary, _ = OptimizeTcs().optimize(after)
    assert_same(patch, after)
    assert summary.why_not_inlined == "culled patches would skip nothing more"


def test_reasons_are_told() -> None:
    memory = "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    summary, changed = OptimizeTcs().optimize([vs(), tcs(load(3, "VAR0"), out("%3", "VAR1"), memory)])
    assert changed == []
    assert "store" in summary.why_not_restructured
    assert summary.why_not_inlined
    assert OptimizeTcs().optimize([vs()])[0].why_not_restructured == "there is no control shader"


def test_the_vertex_shader_stays_where_inlining_adds_more_than_it_saves() -> None:
    patch = random_patch(2)
    after = copies(patch)
    summary, _ = OptimizeTcs().optimize(after)
    assert summary.why_not_inlined == "it would add more work than culled patches skip"
    assert list(OptimizeTcs().find(patch)) == []
    assert_same(patch, after)


def test_barriers_go_without_the_rest() -> None:
    memory = "@store_ssbo (%0, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    before = [tcs(out("%0", "VAR1"), memory, BARRIER)]
    after = copies(before)
    summary, changed = OptimizeTcs().optimize(after)
    assert changed == after
    assert summary.barriers_removed == 1
    assert "barrier" not in names(after[0])


def test_finding_with_its_fix() -> None:
    patch = [vs(), tcs(load(3, "VAR0"), out("%3", "VAR1")), tes()]
    (finding,) = OptimizeTcs().find(patch)
    assert finding.place.dump == 1
    assert finding.data["inlined"] is True
    changes = OptimizeTcs().fix(patch, finding.fixes[0].request)
    assert [change.before for change in changes] == patch[:2]
    assert_same(patch, [changes[0].after, changes[1].after, patch[2]])
    assert list(OptimizeTcs().find(patch[1:])) == []
    assert list(OptimizeTcs().find([changes[0].after, changes[1].after, patch[2]])) == []
    assert OptimizeTcs().run([changes[0].after, changes[1].after, patch[2]]) == []


def test_everything_was_done() -> None:
    summary = TcsSummary(
        instructions_skipped=7,
        instructions_total=9,
        loads_skipped=1,
        barriers_added=1,
        barriers_removed=2,
        outputs_added=3,
        system_values=("vertex_id",),
    )
    assert summary.lines() == [
        "The vertex shader is inlined in the control shader, which adds 3 outputs;"
        " it still passes vertex_id.",
        "Culled patches skip 7 of 9 instructions, including 1 load.",
        "Barriers: 1 added, 2 removed.",
    ]
    data = json.loads(json.dumps(summary.as_data()))
    assert (data["inlined"], data["restructured"], data["system_values"]) == (True, True, ["vertex_id"])


def test_nothing_was_done() -> None:
    summary = TcsSummary("it writes memory", "the control shader writes memory")
    assert not summary.is_inlined
    assert summary.lines()[:2] == [
        "The vertex shader is not inlined: it writes memory.",
        "Culled patches skip nothing: the control shader writes memory.",
    ]
