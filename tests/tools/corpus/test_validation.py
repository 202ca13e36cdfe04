from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.text.parse import parse_dump
from nirls.verification.options import VerificationOptions
from tools.corpus.pass_results import PassResult, mesa_results, our_results
from tools.corpus.validation import WRONG_IN_MESA, count, count_deciding, count_left_alone, judge

QUICK = VerificationOptions(runs=2, most_runs=2, lanes=16, least_lanes=4)


def test_judgements(data: Path) -> None:
    shader = parse_dump((data / "pipelines" / "tinted.vert.nir").read_bytes())
    same = PassResult("a", "b", (shader,), (clone_shader(shader),))
    assert judge(same, QUICK) == ("right", "")
    broken = clone_shader(shader)
    for impl in broken.impls():
        for instr in list(impl.instrs()):
            if isinstance(instr, IntrinsicInstr) and instr.name == "store_output":
                instr.remove()
    assert judge(replace(same, after=(broken,)), QUICK)[0] == "wrong"
    assert judge(replace(same, name=min(WRONG_IN_MESA), after=(broken,)), QUICK)[0] == "other"
    unsupported = parse_dump(shader.source.replace(b"@load_vertex_id_zero_base", b"@unknown"))
    invalid = parse_dump(shader.source.replace(b"ffma %11.x, %248", b"ffma %11.x, %9999"))
    assert judge(replace(same, after=(invalid,)), QUICK)[1].startswith("invalid: ")
    assert unsupported.stage is shader.stage


def test_a_whole_folder(corpus: Path) -> None:
    folder = corpus / "pipelines" / "hand_discard_nested" / "modern"
    tally = count([*mesa_results(folder), *our_results(folder, ("io",))], QUICK)
    assert {"Mesa: opt_varyings", "Mesa: discards", "nirls: opt_varyings_dead_io"} <= set(tally.rows)
    assert tally.is_right, tally.noted("wrong")


def test_counts_of_uniforms_and_of_patches_left_alone(corpus: Path) -> None:
    pipelines = corpus / "pipelines"
    deciding = [count_deciding(path) for path in sorted(pipelines.glob("*/modern/frag.io.nir"))]
    assert sum(tally.of("uniforms worth inlining")[0] for tally in deciding)
    tally = count_left_alone(pipelines / "hand_tess_pn_triangles" / "modern")
    assert tally.noted("other", "nirls: inline_vs_in_tcs leaves alone")
