from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use
from tests.server.conftest import Run

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"))
FRAGMENT = shader_text("FRAGMENT", ZERO, load(1, "VAR0"), load(2, "VAR1"), use("%1"), use("%2"))


@pytest.fixture
def log(workdir: Path) -> Path:
    path = workdir / "a.log"
    path.write_text(("some text\n" + VERTEX + "nir_opt_dce\n" + FRAGMENT) * 3)
    return path


def has(word: str, *more: str) -> str:
    """A test that every file named as an argument together with the others contains a word."""
    read = "t = ''.join(open(p).read() for p in sys.argv[1:])"
    program = "; ".join(("import sys", read, *more, f"sys.exit({word!r} not in t)"))
    return f'"{sys.executable}" -c "{program}"'


def test_log_for_a_test(run: Run, log: Path) -> None:
    result = run("reduce", "--test", has("load_input"), log)
    assert result.status == 0
    assert result.text.count("shader:") == 1
    assert result.text.count("load_input") == 1
    assert "nir_opt_dce" not in result.text
    assert result.err.startswith(f"nirls: reduced {log.read_text().count(chr(10))} lines to ")


def test_passes_run_before_each_test(run: Run, log: Path) -> None:
    test = (
        f'"{sys.executable}" -c "import sys; a, b = (open(p).read() for p in sys.argv[1:]);'
        " sys.exit('fadd' not in a or 'fadd' in b)\""
    )
    sums = ("32 %2 = fadd %1, %1", "32 %3 = fadd %2, %1")
    log.write_text(VERTEX + shader_text("VERTEX", ZERO, ONE, *sums, store("VAR0", "%3")) + VERTEX)
    result = run("reduce", "--test", test, "-p", "opt_constant_folding", log)
    assert result.status == 0, result.err
    assert result.text.count("fadd") == 1


def test_pipeline_of_files_goes_to_a_folder(run: Run, workdir: Path) -> None:
    (workdir / "a.vert.nir").write_text(VERTEX)
    (workdir / "a.frag.nir").write_text(FRAGMENT)
    test = has("VAR1")
    assert run("reduce", "--test", test, "a.vert.nir", "a.frag.nir").status == 2
    result = run("reduce", "--test", test, "a.vert.nir", "a.frag.nir", "--out-dir", "small")
    assert result.status == 0, result.err
    texts = [(workdir / "small" / name).read_text() for name in ("a.vert.nir", "a.frag.nir")]
    assert sum(text.count("VAR1 ") for text in texts) == 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "give a test with --test SCRIPT, or a pass with -p"),
        (("--test", "no-such-program"), "no-such-program: no such program"),
        (("--test", "false"), "exits with status 1 on the input"),
        (("--test", "true", "--when", "crash"), "--when is what nirls tests for"),
        (("--test", "true", "-o", "x", "--out-dir", "y"), "exclude each other"),
        (("-p", "opt_dce", "--out-dir", "y"), "--out-dir is for --test"),
        (("-p", "opt_dce", "-j", "2"), "--jobs is for --test"),
    ],
)
def test_wrong_usage(run: Run, log: Path, arguments: tuple[str, ...], reason: str) -> None:
    result = run("reduce", *arguments, log)
    assert (result.status, result.out) == (2, b"")
    assert reason in result.err


def test_what_the_test_says_of_the_input_is_shown(run: Run, log: Path) -> None:
    result = run("reduce", "--test", has("nothing", "print('ha')"), log)
    assert result.err.endswith("exits with status 1 on the input\n  | ha\n")


@pytest.mark.sweep
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_interruption_leaves_the_smallest_so_far(log: Path) -> None:
    command = [sys.executable, "-m", "nirls", "reduce", "-j", "1", "--test"]
    test = has("VAR1", "import time", "time.sleep(0.2)")
    with subprocess.Popen(
        [*command, test, str(log), "-o", "small.log"],
        stderr=subprocess.PIPE,
        cwd=log.parent,
    ) as process:
        small = log.parent / "small.log"
        end = time.monotonic() + 30
        while not small.exists() and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"and it was interrupted" in said
    assert 0 < small.stat().st_size < log.stat().st_size
    assert "VAR1" in small.read_text()
