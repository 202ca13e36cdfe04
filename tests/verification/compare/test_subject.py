"""One shader alone or several as a pipeline, behind the same two questions."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.subject import Subject, counted_lanes
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.verdict import Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, shader, store

LOAD = (
    "32    %2 = @load_input (%0 (0x0)) (base=0, range=0, component=0, dest_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1)"
)
COLOR = (
    "      @store_output (%2, %0 (0x0)) (base=0, range=0, wrmask=x, component=0, src_type=float32,"
    " io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())"
)


def vertex(*more: str) -> Shader:
    return shader("VERTEX", ZERO, ONE, *more, store("VAR0"), store("POS"))


def fragment(*more: str) -> Shader:
    return shader("FRAGMENT", ZERO, LOAD, *more, COLOR)


def test_a_shader_alone_answers_for_its_outputs() -> None:
    environment = Environment(1)
    before = Subject([vertex()]).run(environment, 16, RunOptions())
    same = Subject([vertex()]).run(environment, 16, RunOptions())
    other = Subject([shader("VERTEX", ZERO, ONE, store("POS"))]).run(environment, 16, RunOptions())
    assert before.differences(same, float_tolerance=False) == []
    assert before.differences(other, float_tolerance=False)
    assert len(before.stages) == 1
    assert counted_lanes(before, same) == len(before.stages[0].discarded)


def test_only_lanes_that_are_certain_on_both_sides_count() -> None:
    environment = Environment(1)
    outcomes = [Subject([vertex()]).run(environment, 16, RunOptions()) for _ in range(2)]
    lanes = counted_lanes(*outcomes)
    for outcome in outcomes:
        (stage,) = outcome.stages
        for marks in (stage.poisoned, stage.fragile):
            marks[0] = True
            assert counted_lanes(*outcomes) == lanes - 1
            marks[0] = False


def test_a_pipeline_answers_for_what_comes_out_of_it() -> None:
    environment = Environment(1)
    before = Subject([vertex(), fragment()]).run(environment, 16, RunOptions())
    # An input that is constant: what crosses from stage to stage is nobody's business.
    constant = fragment("32    %3 = load_const (0x3f800000 = 1.000000)")
    constant = shader(
        *("FRAGMENT", ZERO, "32    %2 = load_const (0x3f800000 = 1.000000)"),
        COLOR.replace("%2", "%2 (1.000000)"),
    )
    after = Subject([shader("VERTEX", ZERO, ONE, store("POS")), constant]).run(environment, 16, RunOptions())
    assert before.differences(after, float_tolerance=True) == []
    assert len(before.stages) == 2


def test_without_primitives_outputs_are_still_for_the_next_stage_only() -> None:
    environment = Environment(1)
    emit = "      @emit_vertex (stream_id=0)"
    varying = shader("GEOMETRY", ZERO, ONE, store("VAR0"), emit)
    position = shader("GEOMETRY", ZERO, ONE, store("POS"), emit)
    unread, other = shader("FRAGMENT", ZERO), shader("GEOMETRY", ZERO, ONE, emit)
    before, after, moved = (
        Subject([one, unread]).run(environment, 16, RunOptions()) for one in (varying, other, position)
    )
    assert len(before.stages) == 1, "one vertex is no triangle"
    assert before.last is None
    assert before.differences(after, float_tolerance=False) == []
    assert moved.differences(after, float_tolerance=False), "the hardware reads the position"
    assert counted_lanes(before, after) == 0
    assert isinstance(verify_shaders([varying, unread], [other, unread]), Unchecked)


def test_what_cannot_run_says_so_at_once() -> None:
    with pytest.raises(Unsupported):
        Subject([shader("VERTEX", "32    %0 = @not_in_the_tables (%0) (base=0)")])
