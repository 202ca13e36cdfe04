from __future__ import annotations

import json
from pathlib import Path

import pytest

from nirls.server.engine.verification.log import read_log
from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler, object_of
from tools.libnir.pass_log import DUMPS, FAULT, faulty_compiler, named_dumps, pass_log, program_source

SHADER = shader_text(
    "COMPUTE", ZERO, ONE, use("%1"), header=("name: tinted", "source_blake3: {0x00000001, 0x00000002}")
).encode()


def test_the_program_builds_each_dump_and_runs_the_passes() -> None:
    unnamed = SHADER.replace(b"name: tinted\n", b"")
    source = program_source([("a", SHADER), ('b"c', unnamed)])
    assert source.count("   run_passes(b->shader);\n}\n") == 2
    assert 'ralloc_strdup(b->shader, "tinted");' in source
    assert 'ralloc_strdup(b->shader, "b_c");' in source
    assert "static const uint32_t source[] = {0x00000001, 0x00000002};" in source
    assert "check_nir_string" not in source


def test_a_fault_must_be_in_the_source_once(tmp_path: Path) -> None:
    entry = {"file": "pass.c", "command": "cc -c pass.c"}
    (tmp_path / "compile_commands.json").write_text(json.dumps([entry]))
    (tmp_path / "pass.c").write_text("int a, a;")
    with pytest.raises(ValueError, match="does not have this text once: a"):
        object_of(tmp_path, tmp_path, "pass.c", "a", "b")


def test_the_dumps_of_the_documentation_are_in_the_corpus() -> None:
    assert all((corpus_folder() / "pipelines" / name).is_file() for name in DUMPS)


@pytest.mark.sweep
def test_the_log_of_mesa_with_a_fault(tmp_path: Path) -> None:
    build = build_folder()
    if build is None:
        pytest.skip("libnir is not there: run make mesa")
    dumps = named_dumps([corpus_folder() / "pipelines" / DUMPS[4]])
    right = pass_log(dumps, LibnirCompiler(build, tmp_path))
    wrong = pass_log(dumps, faulty_compiler(build, tmp_path))
    assert not right.startswith(b"Running")
    passes = [
        [one.pass_name for one in read_log(log).transitions if one.is_changed] for log in (right, wrong)
    ]
    assert passes[0] == passes[1]
    assert {"nir_lower_vars_to_ssa", FAULT[0].removesuffix(".c")} < set(passes[0])
    assert right != wrong
