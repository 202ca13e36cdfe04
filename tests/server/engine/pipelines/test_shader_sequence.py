from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.stage import Stage
from nirls.server.engine.pipelines.dump_facts import DumpFacts
from nirls.server.engine.pipelines.shader_sequence import (
    common_snapshots,
    cut_into_pipelines,
    last_snapshots,
    shaders_in_order,
)

VS, FS, TCS, TES = Stage.VERTEX, Stage.FRAGMENT, Stage.TESS_CTRL, Stage.TESS_EVAL
VARIABLES, LOWERED, BACKEND = LoweringLevel.VARIABLES, LoweringLevel.LOWERED_IO, LoweringLevel.BACKEND_IO


def dump(
    stage: Stage, source: str | None = None, level: LoweringLevel | None = None, text: int = 0
) -> DumpFacts:
    return DumpFacts(stage, source=source, level=level, fingerprint=text or None)


def tracks(*dumps: DumpFacts) -> list[list[int]]:
    return [shader.numbers for shader in shaders_in_order(dumps)]


def test_dumps_of_one_stage_in_a_row_are_snapshots() -> None:
    assert tracks(dump(VS), dump(VS), dump(FS), dump(VS)) == [[0, 1], [2], [3]]


def test_snapshots_of_one_source_may_stand_apart() -> None:
    # RADV prints VS, TCS, VS, TCS: the two are compiled together.
    assert tracks(dump(VS, "a"), dump(TCS, "b"), dump(VS, "a"), dump(TCS, "b")) == [[0, 2], [1, 3]]


def test_a_named_shader_stays_one_after_the_driver_drops_its_name() -> None:
    assert tracks(replace(dump(VS, "a"), name="GLSL1"), dump(FS, "b"), dump(VS, "a")) == [[0, 2], [1]]
    assert tracks(replace(dump(VS), name="blit"), replace(dump(VS), name="clear")) == [[0], [1]]


def test_an_earlier_level_starts_another_compilation() -> None:
    assert tracks(dump(VS, "a", LOWERED), dump(VS, "a", BACKEND), dump(VS, "a", LOWERED)) == [[0, 1], [2]]
    assert tracks(dump(VS, "a", VARIABLES), dump(VS, "a", LOWERED), dump(VS, "a")) == [[0, 1, 2]]


def test_the_first_snapshot_again_starts_another_compilation() -> None:
    assert tracks(dump(VS, "a", text=1), dump(FS, "b"), dump(VS, "a", text=1)) == [[0], [1], [2]]
    assert tracks(dump(VS, "a", text=1), dump(VS, "a", text=1)) == [[0, 1]]


def test_a_source_that_is_compiled_again_begins_without_its_hash() -> None:
    bare, known = (
        replace(dump(VS), variables=frozenset((b"a",))),
        replace(dump(VS, "a"), variables=frozenset((b"a",))),
    )
    assert tracks(bare, known, known, dump(FS, "b"), bare, known) == [[0, 1, 2], [3], [4, 5]]


def test_another_neighbour_starts_another_compilation() -> None:
    alone, behind_vs = dump(FS, "a"), replace(dump(FS, "a"), prev_stage=VS)
    assert tracks(alone, behind_vs, alone) == [[0, 1, 2]]
    assert tracks(behind_vs, replace(behind_vs, prev_stage=TES)) == [[0], [1]]
    to_fs, to_tcs = (replace(dump(VS, "b"), next_stage=stage) for stage in (FS, TCS))
    assert tracks(dump(VS, "b"), to_fs, to_tcs) == [[0, 1], [2]]


def test_last_snapshots() -> None:
    assert last_snapshots([dump(VS, "a"), dump(FS, "b"), dump(VS, "a"), dump(FS, "b")]) == [2, 3]
    assert last_snapshots([]) == []


@pytest.mark.parametrize(
    ("stages", "chosen"),
    [
        ([[VARIABLES, LOWERED], [VARIABLES]], [0, 0]),
        ([[VARIABLES, LOWERED, LOWERED], [VARIABLES, LOWERED, BACKEND]], [2, 1]),
        # Slots can be seen in lowered I/O only, which is preferred where both have it.
        ([[LOWERED, BACKEND], [LOWERED, BACKEND]], [0, 0]),
        ([[BACKEND], [LOWERED, BACKEND]], [0, 1]),
        ([[BACKEND], [LOWERED]], None),
        ([[None], [LOWERED, BACKEND]], [0, 0]),
    ],
)
def test_common_snapshots(stages: list[list[LoweringLevel | None]], chosen: list[int] | None) -> None:
    assert common_snapshots([[dump(VS, level=level) for level in levels] for levels in stages]) == chosen


def test_a_variant_that_writes_fewer_outputs_is_not_linked() -> None:
    """turnip prints a vertex shader for binning after the one whose outputs the fragment shader reads."""
    first, both = 1 << 32, 3 << 32
    whole, binning = replace(dump(VS), outputs_written=both), replace(dump(VS), outputs_written=first)
    for read, chosen in ((both, 1), (first, 2), (4 << 32, 2), (None, 2)):
        fragments = replace(dump(FS), inputs_read=read)
        assert common_snapshots([[whole, whole, binning], [fragments]]) == [chosen, 0]
    nothing = dump(VS, level=None)
    assert common_snapshots([[whole, nothing], [replace(dump(FS), inputs_read=first)]]) == [0, 0]


def cut(*stages: Stage, wrong: frozenset[tuple[int, int]] = frozenset()) -> list[list[int]]:
    """The cut of one snapshot a shader, as numbers; `wrong` has pairs of shaders that must not be linked."""
    shaders = shaders_in_order([dump(stage, str(number)) for number, stage in enumerate(stages)])
    runs = cut_into_pipelines(
        shaders, lambda run: not any({a, b} <= {one.numbers[0] for one in run} for a, b in wrong)
    )
    return [[shader.numbers[0] for shader in run] for run in runs]


def test_pipelines_in_either_order() -> None:
    assert cut(VS, FS, VS, FS) == [[0, 1], [2, 3]]
    assert cut(FS, VS, FS, VS, wrong=frozenset({(1, 2)})) == [[1, 0], [3, 2]]
    assert cut(FS, TES, VS, TCS) == [[2, 3, 1, 0]]


def test_the_cut_that_links_the_most_shaders_wins() -> None:
    assert cut(FS, VS, FS, VS) == [[1, 0], [3, 2]]
    assert cut(FS, VS, FS, VS, FS) == [[1, 2], [3, 4]]
    # The control shader compiled again does not break up its pipeline.
    assert cut(VS, TCS, TES, FS, TCS) == [[0, 1, 2, 3]]


def test_wrong_neighbours_are_left_alone() -> None:
    assert cut(VS, FS, wrong=frozenset({(0, 1)})) == []
    assert cut() == []


def test_a_shader_whose_first_dumps_have_no_header_is_the_one_with_the_same_variables() -> None:
    variables = frozenset((b"buf", b"tex"))
    anonymous = replace(dump(VS), variables=variables)
    hashed = replace(dump(VS, "a"), variables=variables)
    named = replace(dump(VS, "a"), name="GLSL1")
    assert tracks(anonymous, dump(FS), hashed, dump(FS, "b"), named) == [[0, 2, 4], [1], [3]]
    assert tracks(anonymous, replace(hashed, variables=frozenset((b"other",)))) == [[0], [1]]
    assert tracks(dump(VS), dump(VS, "a")) == [[0], [1]], "without variables nothing tells"
