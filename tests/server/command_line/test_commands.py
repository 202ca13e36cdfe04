"""The commands as processes: how they start, how fast, and what they say about themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from nirls.passes import registry
from nirls.passes.registry import BrokenPass

from .conftest import Run

NIRLS = Path(sys.executable).with_name("nirls")


def test_help_names_the_commands(run: Run) -> None:
    result = run("--help")
    assert result.status == 0
    for command in ("check", "opt", "print", "serve", "passes"):
        assert f"\n  {command} " in result.text


def test_version(run: Run) -> None:
    assert run("--version").text.startswith("nirls 0.")


def test_passes_are_listed_with_what_they_find(run: Run) -> None:
    text = run("passes").text
    assert "opt_varyings_dead_io\n    Remove outputs" in text
    assert "dead-output" in text
    assert "linked stages" in text


def test_broken_pass_is_reported_not_fatal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = BrokenPass("x = package:thing", "ImportError: no package")
    monkeypatch.setattr(registry, "broken_passes", lambda: (broken,))
    result = run("passes")
    assert result.status == 0
    assert "warning: cannot be used: x = package:thing: ImportError: no package" in result.err


@pytest.mark.parametrize("place", ["0.0.0.0:7000", "example.org:80", "[::]:7000", ":x", "127.0.0.1:99999"])
def test_serve_listens_on_this_machine_only(run: Run, place: str) -> None:
    result = run("serve", "--tcp", place)
    assert result.status == 2
    assert result.err.startswith("nirls: --tcp")


def test_serve_takes_one_way_of_talking(run: Run) -> None:
    assert run("serve", "--tcp", "7000", "--stdio").status == 2


@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
def test_help_imports_neither_the_parser_nor_the_server() -> None:
    script = (
        "import sys\n"
        "from nirls.server.command_line.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'tree_sitter', 'pygls', 'lsprotocol', 'numpy', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported: {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
def test_reader_that_leaves_early_sees_no_traceback(tmp_path: Path, data: Path) -> None:
    text = (data / "pipelines" / "pulsar.vert.nir").read_bytes()
    (tmp_path / "big.log").write_bytes(text * 60)
    process = subprocess.Popen(
        [NIRLS, "print", tmp_path / "big.log"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert b"Traceback" not in process.stderr.read()
    process.wait(timeout=60)
