from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.engine.verification.log import read_log
from tests.tools.libnir.test_pass_log import SHADER
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler
from tools.libnir.random_passes import chosen_dumps, random_logs, random_source


def test_shaders_are_chosen_by_the_seed() -> None:
    corpus = corpus_folder()
    first, again, other = (chosen_dumps(corpus, 2, seed) for seed in (1, 1, 2))
    assert len(first) == 2
    assert first == again
    assert first != other


def test_each_dump_is_built_in_front_of_the_passes() -> None:
    source = random_source([("a", SHADER), ("b", SHADER)])
    assert source.count("   run_passes(b->shader);\n}\n") == 2


@pytest.mark.sweep
def test_runs_differ_by_their_seed_only(tmp_path: Path) -> None:
    build = build_folder()
    if build is None:
        pytest.skip("libnir is not there: run make mesa")
    dumps = chosen_dumps(corpus_folder(), 1, 1)
    program = LibnirCompiler(build, tmp_path).program("random_passes", random_source(dumps))
    logs = list(random_logs(program, 1, 2, 3))
    assert logs == list(random_logs(program, 1, 2, 3))
    passes = [{one.pass_name for one in read_log(log).transitions} for _, _, log in logs]
    assert passes[0] != passes[1]
    assert all("nir_lower_io" in names or len(names) > 3 for names in passes)
