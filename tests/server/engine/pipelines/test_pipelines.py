from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.stage import Stage
from nirls.ir.text.dumps import split_dumps
from nirls.server.engine.pipelines.dump_facts import DumpFacts, dump_facts
from nirls.server.engine.pipelines.pipelines import (
    LinkableDocument,
    LinkKind,
    Pipeline,
    find_pipelines,
    may_link,
    name_pattern,
    obstacle,
    partner_names,
)
from nirls.server.engine.settings.project_file import parse_project_file

VS, FS, GS, TCS, TES = (
    Stage.VERTEX,
    Stage.FRAGMENT,
    Stage.GEOMETRY,
    Stage.TESS_CTRL,
    Stage.TESS_EVAL,
)


def document(key: str, *stages: Stage | DumpFacts, path: bool = True) -> LinkableDocument:
    dumps = tuple(stage if isinstance(stage, DumpFacts) else DumpFacts(stage) for stage in stages)
    return LinkableDocument(key, Path("/w") / key if path else None, dumps)


def dumps_of(pipeline: Pipeline) -> list[tuple[str, int]]:
    return [(member.dump.document, member.dump.number) for member in pipeline.members]


def test_two_dumps_in_a_row_are_a_pipeline() -> None:
    (found,) = find_pipelines([document("log", VS, FS)])
    assert dumps_of(found) == [("log", 0), ("log", 1)]
    assert found.kind is LinkKind.SEQUENCE
    assert found.reason == "VS (dump 1) and FS (dump 2) follow each other"


def test_last_snapshots_of_a_log_are_linked() -> None:
    (found,) = find_pipelines([document("log", VS, VS, VS, FS, FS)])
    assert dumps_of(found) == [("log", 2), ("log", 4)]


def test_pairs_that_repeat_are_pipelines_of_their_own() -> None:
    found = find_pipelines([document("log", VS, FS, VS, FS)])
    assert [dumps_of(one) for one in found] == [[("log", 0), ("log", 1)], [("log", 2), ("log", 3)]]


def test_whole_tessellation_pipeline_in_one_document() -> None:
    (found,) = find_pipelines([document("log", VS, TCS, TES, GS, FS)])
    assert [member.stage for member in found.members] == [VS, TCS, TES, GS, FS]


def test_stages_in_the_wrong_order_are_not_linked() -> None:
    assert find_pipelines([document("log", FS, TCS)]) == []
    assert find_pipelines([document("log", TCS, FS)]) == []
    assert find_pipelines([document("log", Stage.COMPUTE, FS)]) == []


def test_other_program_or_other_next_stage_is_not_linked() -> None:
    assert not may_link(DumpFacts(VS, "GLSL1"), DumpFacts(FS, "GLSL3"))
    assert may_link(DumpFacts(VS, "GLSL3"), DumpFacts(FS, "GLSL3"))
    assert may_link(DumpFacts(VS, "producer"), DumpFacts(FS, "consumer"))
    assert not may_link(DumpFacts(VS, next_stage=GS), DumpFacts(FS))
    assert may_link(DumpFacts(VS, next_stage=FS), DumpFacts(FS))


def test_file_names_link_what_differs_in_the_stage_only() -> None:
    found = find_pipelines(
        [
            document("a.vert.nir", VS),
            document("a.frag.nir", FS),
            document("b.frag.nir", FS),
            document("vert.io.nir", VS),
            document("frag.io.nir", FS),
            document("frag.ssa.nir", FS),
        ]
    )
    assert [dumps_of(one) for one in found] == [
        [("a.vert.nir", 0), ("a.frag.nir", 0)],
        [("vert.io.nir", 0), ("frag.io.nir", 0)],
    ]
    assert [one.name for one in found] == ["a", "io"]
    assert found[0].reason == "file names a.*.nir"


def test_file_names_link_only_within_a_folder() -> None:
    documents = [
        LinkableDocument("1", Path("/w/x/a.vert.nir"), (DumpFacts(VS),)),
        LinkableDocument("2", Path("/w/y/a.frag.nir"), (DumpFacts(FS),)),
    ]
    assert find_pipelines(documents) == []


def test_file_whose_dump_is_of_another_stage_is_not_linked() -> None:
    assert find_pipelines([document("a.vert.nir", FS), document("a.frag.nir", FS)]) == []


def test_comment_comes_first() -> None:
    found = find_pipelines(
        [
            document("a.vert.nir", DumpFacts(VS, pipeline="mine")),
            document("a.frag.nir", FS),
            document("log", VS, DumpFacts(FS, pipeline="mine")),
        ]
    )
    assert [dumps_of(one) for one in found] == [[("a.vert.nir", 0), ("log", 1)]]
    assert (found[0].name, found[0].kind) == ("mine", LinkKind.COMMENT)


def test_project_file_comes_before_file_names() -> None:
    project = parse_project_file(
        '[[pipeline]]\nname = "p"\nvert = "a.vert.nir"\nfrag = "log#2"\n', Path("/w/nirls.toml")
    )
    assert project.problems == ()
    found = find_pipelines(
        [document("a.vert.nir", VS), document("a.frag.nir", FS), document("log", VS, FS)], project
    )
    assert [(one.kind, dumps_of(one)) for one in found] == [
        (LinkKind.PROJECT_FILE, [("a.vert.nir", 0), ("log", 1)])
    ]


def test_project_file_reference_to_another_stage_is_not_linked() -> None:
    project = parse_project_file(
        '[[pipeline]]\nname = "p"\nvert = "log#2"\nfrag = "log#9"\n', Path("/w/nirls.toml")
    )
    found = find_pipelines([document("log", VS, FS)], project)
    assert [one.kind for one in found] == [LinkKind.SEQUENCE]


def test_facts_are_read_from_the_header() -> None:
    text = (
        b"// nirls: pipeline terrain lod 2\nshader: MESA_SHADER_VERTEX\nname: GLSL3\n"
        b"next_stage: MESA_SHADER_GEOMETRY\ndecl_function main () (entrypoint)\n\n"
        b"impl main {\n    block b0:\n    name: not this\n}\n"
    )
    (dump,) = split_dumps(b"some log line\n" + text)
    facts = dump_facts((b"some log line\n" + text)[dump.start : dump.end])
    assert facts == DumpFacts(VS, "GLSL3", GS, "terrain lod 2")


def test_next_stage_that_nobody_set_is_none() -> None:
    assert dump_facts(b"shader: MESA_SHADER_VERTEX\nnext_stage: MESA_SHADER_VERTEX\n").next_stage is None


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("a.b.tesc.nir", ("a.b.*.nir", TCS)),
        ("vert.io.nir", ("*.io.nir", VS)),
        ("vert-frag.opt.frag.nir", ("vert-frag.opt.*.nir", FS)),
        ("vert.frag.nir", None),
        ("vert.log", None),
        ("nir", None),
    ],
)
def test_name_pattern(name: str, pattern: tuple[str, Stage] | None) -> None:
    assert name_pattern(name) == pattern


def test_partner_names() -> None:
    assert "a.frag.nir" in partner_names("a.vert.nir")
    assert "a.vert.nir" not in partner_names("a.vert.nir")
    assert partner_names("a.log") == []


def test_corpus_log_links_its_last_snapshots(corpus: Path) -> None:
    data = (corpus / "logs" / "every_pass_large.log").read_bytes()
    dumps = tuple(dump_facts(data[dump.start : dump.end]) for dump in split_dumps(data))
    (found,) = find_pipelines([LinkableDocument("log", None, dumps)])
    last_vertex = max(number for number, facts in enumerate(dumps) if facts.stage is VS)
    assert dumps_of(found) == [("log", last_vertex), ("log", len(dumps) - 1)]


def stage_dump(
    stage: Stage, *, reads: int | None = None, writes: int | None = None, **fields: object
) -> DumpFacts:
    if reads is not None or writes is not None:  # Mesa does not print masks of 0
        reads, writes = reads or 0, writes or 0
    return replace(DumpFacts(stage, inputs_read=reads, outputs_written=writes), **fields)  # type: ignore[arg-type]


VAR0, VAR1, POS = 1 << 32, 1 << 33, 1


def numbers(*dumps: DumpFacts) -> list[list[int]]:
    return [
        [member.dump.number for member in found.members]
        for found in find_pipelines([document("log", *dumps)])
    ]


def test_dumps_at_different_levels_are_not_linked() -> None:
    lowered, backend = LoweringLevel.LOWERED_IO, LoweringLevel.BACKEND_IO
    vs = DumpFacts(VS, source="a", level=backend)
    assert numbers(vs, DumpFacts(FS, source="b", level=lowered)) == []
    assert numbers(vs, DumpFacts(FS, source="b", level=backend)) == [[0, 1]]
    # Not even where the user names the stages.
    facts = [replace(one, pipeline="p") for one in (vs, DumpFacts(FS, source="b", level=lowered))]
    assert numbers(*facts) == []
    assert obstacle(*facts) == "the VS has backend I/O, the FS lowered I/O"


def test_the_latest_snapshots_at_a_common_level_are_linked() -> None:
    variables, lowered, backend = LoweringLevel
    vs = [DumpFacts(VS, source="a", level=level) for level in (variables, lowered, lowered, backend)]
    fs = [DumpFacts(FS, source="b", level=level) for level in (variables, lowered)]
    assert numbers(*vs, *fs) == [[2, 5]]


def test_the_fragment_shader_may_come_first() -> None:
    pipelines = [
        stage_dump(FS, source="f1", reads=VAR0, writes=16, prev_stage=VS),
        stage_dump(VS, source="v1", reads=1, writes=POS | VAR0, next_stage=FS),
        stage_dump(FS, source="f2", reads=VAR0 | VAR1, writes=16, prev_stage=VS),
        stage_dump(VS, source="v2", reads=1, writes=POS | VAR0 | VAR1, next_stage=FS),
    ]
    assert numbers(*pipelines) == [[1, 0], [3, 2]]
    # Without the last one, the vertex shader between two fragment shaders still has its own partner.
    assert numbers(*pipelines[:3]) == [[1, 0]]


def test_a_neighbour_that_shares_no_varying_is_not_linked() -> None:
    clear_fs = stage_dump(FS, source="f1", writes=4)
    clear_vs = stage_dump(VS, source="v1", reads=1, writes=POS)
    vs = stage_dump(VS, source="v2", reads=1, writes=POS | VAR0, next_stage=FS)
    fs = stage_dump(FS, source="f2", reads=VAR0, writes=16)
    assert numbers(clear_fs, clear_vs, vs, fs) == [[2, 3]]


def test_prev_stage_is_heeded() -> None:
    assert not may_link(DumpFacts(VS), DumpFacts(FS, prev_stage=TES))
    assert may_link(DumpFacts(TES), DumpFacts(FS, prev_stage=TES))


def test_shaders_of_the_driver_are_linked_among_themselves() -> None:
    blit = DumpFacts(VS, name="blit vs", is_internal=True)
    assert numbers(DumpFacts(VS, source="a"), blit, DumpFacts(FS, source="b")) == [[0, 2]]


def test_a_stage_that_is_not_compiled_again_still_stands_between() -> None:
    first = [
        stage_dump(TES, source="e", reads=VAR0, writes=POS | VAR0, fingerprint=1),
        stage_dump(GS, source="g", reads=VAR0, writes=POS | VAR0, fingerprint=2),
        stage_dump(FS, source="f", reads=VAR0, writes=16, fingerprint=3),
    ]
    assert numbers(*first, first[0], first[2]) == [[0, 1, 2]]
    # All stages again, and another program with two of the stages.
    assert numbers(*first, *first) == [[0, 1, 2], [3, 4, 5]]
    assert numbers(*first, first[0], replace(first[2], source="f2")) == [[0, 1, 2], [3, 4]]


def test_a_variant_for_binning_is_not_linked() -> None:
    var0 = 1 << 32
    lowered = LoweringLevel.LOWERED_IO
    vert = DumpFacts(VS, "GLSL1", source="a", inputs_read=0, outputs_written=1 | var0, level=lowered)
    frag = DumpFacts(FS, "GLSL1", source="b", inputs_read=var0, outputs_written=1, level=lowered)
    backend = replace(vert, level=LoweringLevel.BACKEND_IO)
    binning = replace(vert, outputs_written=1)
    found = find_pipelines([document("log", vert, frag, backend, binning, replace(frag, name="GLSL1"))])
    assert [dumps_of(one) for one in found] == [[("log", 0), ("log", 4)]]
    # Without another dump that writes it, the input is undefined, and the finding says so.
    (alone,) = find_pipelines([document("log", binning, frag)])
    assert dumps_of(alone) == [("log", 0), ("log", 1)]
