from __future__ import annotations

import sys
import time
from pathlib import Path

import psutil
import pytest

from nirls.server.engine.files.script_test import Ran, Script, ScriptError


def python(code: str, *files: tuple[str, bytes], seconds: float | None = None) -> Ran:
    return Script((sys.executable, "-c", code)).run(files, seconds)


def test_status_and_output_are_those_of_the_program() -> None:
    ran = python("import sys; print('no'); sys.exit(3)")
    assert (ran.status, ran.output) == (3, "no")


def test_files_have_their_names_and_contents() -> None:
    code = (
        "import sys; print([(p.replace('\\\\', '/').split('/')[-1], open(p).read()) for p in sys.argv[1:]])"
    )
    files = [("dir/a.vert.nir", b"1"), ("a.frag.nir", b"2"), ("a.vert.nir", b"3")]
    shown = "[('a.vert.nir', '1'), ('a.frag.nir', '2'), ('a.vert.nir', '3')]"
    assert python(code, *files).output == shown


def test_stages_stand_in_one_folder() -> None:
    code = "import sys, os; print(len({os.path.dirname(p) for p in sys.argv[1:]}))"
    assert python(code, ("a.vert.nir", b""), ("a.frag.nir", b"")).output == "1"


def is_running(process: int) -> bool:
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    assert python(code, seconds=2.0).status is None
    child = int(note.read_text())
    end = time.monotonic() + 10
    while is_running(child):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_limit_follows_the_first_run() -> None:
    assert Ran(0, "", 0.1).limit == 10.0
    assert Ran(0, "", 30.0).limit == 300.0


def test_program_is_found_by_path_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my test").touch()
    assert Script.of("my test").command == (str(tmp_path / "my test"),)
    assert Script.of("python3 -c x").command[1:] == ("-c", "x")


@pytest.mark.parametrize("text", ["", "no-such-program-here", "'open"])
def test_what_is_no_program_is_refused(text: str) -> None:
    with pytest.raises(ScriptError):
        Script.of(text)


def test_file_that_cannot_be_executed_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "test.sh"
    script.write_text("exit 0\n")
    with pytest.raises(ScriptError, match="cannot be run"):
        Script.of(str(script)).run([])
