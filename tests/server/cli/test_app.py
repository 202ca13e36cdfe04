"""What all commands have in common."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

from nirls.server.cli import commands
from nirls.server.cli.app import COMMANDS
from tests.server.conftest import Run

NIRLS = Path(sys.executable).with_name("nirls")


def test_every_module_of_commands_is_a_command() -> None:
    assert sorted(module.name.rstrip("_") for module in pkgutil.iter_modules(commands.__path__)) == sorted(
        COMMANDS
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(run: Run, name: str) -> None:
    result = run(name, "--help")
    assert result.status == 0
    assert f"Usage: nirls {name} " in result.text


@pytest.mark.parametrize("name", ["check", "opt", "tcs", "reduce", "pack", "print", "preview", "timeline"])
def test_wrong_use_is_a_message(run: Run, workdir: object, name: str) -> None:
    passes = ["-p", "opt_dce"] if name in ("opt", "reduce") else []
    result = run(name, "missing.nir", *passes)
    assert (result.status, result.out) == (2, b"")
    assert result.err == "nirls: missing.nir: no such file or folder\n"


def test_help_names_the_commands(run: Run) -> None:
    result = run("--help")
    assert result.status == 0
    for command in ("check", "opt", "print", "serve", "passes"):
        assert f"\n  {command} " in result.text


def test_value_that_is_none_of_the_choices_is_named(run: Run, workdir: object) -> None:
    result = run("check", "--fail-on", "bogus", "some.nir")
    assert result.status == 2
    assert "'--fail-on': 'bogus' is not one of 'error'" in result.err
    assert "Value error" not in result.err


def test_version(run: Run) -> None:
    assert run("--version").text.startswith("nirls 0.")


@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
def test_help_imports_neither_the_parser_nor_the_server() -> None:
    script = (
        "import sys\n"
        "from nirls.server.cli.app import app\n"
        "try:\n    app(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'tree_sitter', 'pygls', 'lsprotocol', 'numpy', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported: {sorted(heavy)}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
def test_reader_that_leaves_early_costs_one_line(tmp_path: Path, data: Path) -> None:
    text = (data / "pipelines" / "tinted.vert.nir").read_bytes()
    (tmp_path / "big.log").write_bytes(text + b"a line of a log\n" * 500_000)  # more than a pipe holds
    process = subprocess.Popen(
        [NIRLS, "print", tmp_path / "big.log"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b"nirls: standard output was closed before its end\n"
    assert process.wait(timeout=60) == 0
    process.stderr.close()


@pytest.mark.sweep
@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
@pytest.mark.parametrize(
    "arguments",
    [
        *(["--version"], ["--help"], ["check", "--help"], ["check", "FILE"], ["pack", "FILE"]),
        *(["timeline", "FILE"], ["explain"]),
    ],
    ids=" ".join,
)
def test_reader_that_reads_nothing_is_no_failure(data: Path, arguments: list[str]) -> None:
    file = str(data / "pipelines" / "tinted.vert.nir")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [NIRLS, *(file if argument == "FILE" else argument for argument in arguments)],
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert done.stderr.decode().splitlines()[-1] == "nirls: standard output was closed before its end"
    assert done.returncode == 0


@pytest.mark.sweep
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize(
    "arguments",
    [["print", "FILE"], ["check", "FILE"], ["check", "--format", "json", "FILE"], ["--version"], ["--help"]],
)
def test_full_disk_behind_standard_output_costs_one_line(data: Path, arguments: list[str]) -> None:
    file = str(data / "pipelines" / "tinted.vert.nir")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [NIRLS, *(file if argument == "FILE" else argument for argument in arguments)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.stderr.splitlines()[-1:] == [
        b"nirls: standard output cannot be written: No space left on device"
    ]
    assert b"Traceback" not in done.stderr
    assert done.returncode == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
def test_closed_standard_output(data: Path) -> None:
    done = subprocess.run(
        f"{NIRLS} print {data / 'pipelines' / 'tinted.vert.nir'} >&-",
        shell=True,
        stderr=subprocess.PIPE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
