from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

MODULES = [[sys.executable, "-m", "nirls"], [sys.executable, "-m", "nirls.server"]]
MODULE = MODULES[1]


def message(content: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def answers_in(output: bytes) -> Iterator[dict[str, Any]]:
    """The messages of a stream, in which a header gives the length of each."""
    while output:
        header, _, rest = output.partition(b"\r\n\r\n")
        length = int(header.partition(b"Content-Length:")[2].split()[0])
        yield json.loads(rest[:length])
        output = rest[length:]


@pytest.mark.parametrize("arguments", [["serve"], ["serve", "--stdio"]])
def test_the_module_starts_the_language_server(arguments: list[str]) -> None:
    initialize = {"processId": None, "rootUri": None, "capabilities": {}}
    session = (
        message({"id": 1, "method": "initialize", "params": initialize})
        + message({"method": "initialized", "params": {}})
        + message({"id": 2, "method": "shutdown"})
        + message({"method": "exit"})
    )
    ran = subprocess.run([*MODULE, *arguments], input=session, capture_output=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr.decode()
    first = next(answer for answer in answers_in(ran.stdout) if answer.get("id") == 1)
    assert first["result"]["serverInfo"]["name"] == "nirls"


@pytest.mark.parametrize("module", MODULES)
def test_the_module_is_the_command(module: list[str]) -> None:
    ran = subprocess.run([*module, "--version"], capture_output=True, timeout=60, check=True)
    assert ran.stdout.startswith(b"nirls ")
    ran = subprocess.run([*module, "no-such-command"], capture_output=True, timeout=60, check=False)
    assert ran.returncode == 2
    assert f"python -m {module[-1]} ".encode() in ran.stderr


@pytest.mark.sweep
@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", ["typer", "pygls", "tree_sitter", "json", "numpy"])
def test_nothing_of_the_current_folder_is_run(tmp_path: Path, name: str, module: list[str]) -> None:
    (tmp_path / f"{name}.py").write_text("import pathlib; pathlib.Path('was_run').touch()")
    dump = tmp_path / "a.nir"
    dump.write_text("shader: MESA_SHADER_VERTEX\nimpl main {\n    block b0:\n}\n")
    ran = subprocess.run([*module, "check", str(dump)], cwd=tmp_path, capture_output=True, check=False)
    assert ran.returncode in (0, 1), ran.stderr
    assert not (tmp_path / "was_run").exists()
