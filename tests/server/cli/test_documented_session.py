"""The commands of `docs/from-a-log-to-a-unit-test.md` do what the page shows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.server.conftest import Result, Run
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler, run_test
from tools.libnir.pass_log import DUMPS, faulty_compiler, named_dumps, pass_log

pytestmark = pytest.mark.sweep

PAGE = (PROJECT / "docs" / "from-a-log-to-a-unit-test.md").read_text(encoding="utf-8")
EXCERPT = PROJECT / "docs" / "examples" / "folding_fault.log"
TEST = "nir_opt_constant_folding_vertex_shader_test.vertex_shader"
_PLACE = re.compile(r"(debug\.log):\d+")
_OF_THE_WHOLE_LOG = "112 transitions: 1 different, 111 equivalent"


def commands() -> Iterator[tuple[list[str], list[str]]]:
    """Yield the arguments of each nirls command of the page, and the lines that it shows."""
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = step.partition("\n")
            words = shlex.split(command)
            if words[0] == "nirls":
                yield words[1:], shown.splitlines()


def shows(result: Result, lines: list[str], *, is_whole_log: bool) -> None:
    """Check that a command printed the lines that are not shortened; an excerpt has other line numbers."""
    printed = result.text + result.err
    if not is_whole_log:
        lines = [_PLACE.sub(r"\1", line) for line in lines if line != _OF_THE_WHOLE_LOG]
        printed = _PLACE.sub(r"\1", printed)
    wanted = [line for line in lines if "..." not in line]
    assert [line for line in wanted if line not in printed.splitlines()] == []


def play(run: Run, folder: Path, log: bytes, repaired: str, *, is_whole_log: bool) -> None:
    """Run the commands of the page on a log; `repaired` is what the test prints when the pass is right."""
    (folder / "debug.log").write_bytes(log)
    (folder / "fixed.txt").write_text(repaired, encoding="utf-8")
    for arguments, lines in commands():
        result = run(*arguments)
        assert result.status == (1 if arguments[0] == "verify" else 0)
        shows(result, lines, is_whole_log=is_whole_log)
        if "--reduce" in arguments:
            small, test = (folder / "small.log").read_text(), (folder / arguments[-1]).read_text()
    in_page = PAGE[PAGE.index("$ cat small.log\n") + 16 :].split("\n...\n")
    assert small.startswith(in_page[0])
    assert in_page[1] in small
    shown = PAGE[PAGE.index("TEST_F(") : PAGE.index("    ...\n    */")]
    assert shown in test


def test_the_session_on_the_excerpt(run: Run, workdir: Path) -> None:
    constant = re.search(r"^32x3  %2 = (load_const .*)$", PAGE, re.MULTILINE)
    assert constant is not None
    small = PAGE[PAGE.index("$ cat small.log\n") + 16 : PAGE.index("nir_opt_constant_folding\nshader:")]
    repaired = re.sub(r"(%[24] = )fmul .*", lambda found: found[1] + constant[1], small)
    play(
        run, workdir, EXCERPT.read_bytes(), f"Shader from the failed test:\n\n{repaired}", is_whole_log=False
    )
    text = (workdir / "opt_constant_folding_tests.cpp").read_text()
    assert "ASSERT_TRUE(nir_opt_constant_folding(b->shader));" in text
    assert constant[1] in text
    # What the wrong pass makes is no expectation.
    (workdir / "failed.txt").write_text(repaired.replace("0x56db72f8", "0x569141ae"))
    result = run("testcase", "small.log", "--expected", "failed.txt", "-o", "wrong.cpp")
    message = next(line for line in PAGE.splitlines() if line.startswith("nirls: failed.txt"))
    assert message in result.err.splitlines()


def test_the_session_with_mesa(run: Run, workdir: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    build = build_folder()
    if build is None:
        pytest.skip("libnir is not there: run make mesa")
    work = tmp_path_factory.mktemp("compiled")
    faulty, right = faulty_compiler(build, work), LibnirCompiler(build, work)
    log = pass_log(named_dumps([corpus_folder() / "pipelines" / name for name in DUMPS]), faulty)
    assert log.count(b"\n") == int(re.findall(r"^(\d+) debug\.log$", PAGE, re.MULTILINE)[0])
    (workdir / "debug.log").write_bytes(log)
    run("verify", "debug.log", "--reduce", "-o", "small.log", "--testcase", "failing.cpp")
    failing = (workdir / "failing.cpp").read_text()
    with_fault = run_test(faulty.program("failing", failing), TEST)
    repaired = run_test(right.program("repaired", failing), TEST)
    assert not with_fault.passed
    assert not repaired.passed
    assert "0x569141ae, 0x569141ae, 0x569141ae" in with_fault.output
    assert "0x569141ae, 0x56db72f8, 0x5721022a" in repaired.output
    play(run, workdir, log, repaired.output, is_whole_log=True)
    text = (workdir / "opt_constant_folding_tests.cpp").read_text()
    assert run_test(right.program("passing", text), TEST).passed
    assert not run_test(faulty.program("noticing", text), TEST).passed
