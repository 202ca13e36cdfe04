from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tools.libnir import mesa_pass
from tools.libnir.build import build_folder
from tools.libnir.compiled import CompileError, LibnirCompiler
from tools.libnir.mesa_pass import MesaPassError, main, mesa_result

SHADER = shader_text("COMPUTE", ZERO, ONE, "32    %2 = fadd %1, %1", use("%2"))
FOLDED = shader_text("COMPUTE", ZERO, "32    %2 = load_const (0x40000000 = 2.000000)", use("%2"))
OUTPUT = f"[ RUN      ] a.b\n\nShader from the failed test:\n\n{FOLDED}\n[  FAILED  ] a.b (0 ms)\n"


class Compiler(LibnirCompiler):
    """Makes a program that prints a text, without Mesa; keeps the sources."""

    def __init__(self, work: Path, output: str = OUTPUT) -> None:
        self.work = work
        self.output = output
        self.sources: list[str] = []

    def program(self, name: str, source: str) -> Path:
        self.sources.append(source)
        (self.work / "output").write_text(self.output)
        made = self.work / name
        made.write_text(f"#!/bin/sh\ncat {self.work / 'output'}\nexit 1\n")
        made.chmod(0o755)
        return made


class RefusingCompiler(Compiler):
    def program(self, name: str, source: str) -> Path:
        raise CompileError("/tmp/a.cpp:12:7: error: 'y' was not declared")


def test_the_result_is_what_the_test_prints(tmp_path: Path) -> None:
    compiler = Compiler(tmp_path)
    made = mesa_result(SHADER.encode(), "nir_opt_constant_folding", compiler)
    assert made.decode().startswith(FOLDED.rstrip())
    assert "FAILED" not in made.decode()
    assert "ASSERT_TRUE(nir_opt_constant_folding(b->shader));" in compiler.sources[0]


@pytest.mark.parametrize(
    ("pass_name", "message"),
    [
        ("nir_lower_alu_width", "nir_lower_alu_width takes nir_vectorize_cb cb, const void"),
        ("nir_opt_of_nobody", "no pass of libnir that is known"),
    ],
)
def test_passes_that_cannot_be_called_are_refused(tmp_path: Path, pass_name: str, message: str) -> None:
    with pytest.raises(MesaPassError, match=message):
        mesa_result(SHADER.encode(), pass_name, Compiler(tmp_path))


def test_dumps_and_programs_without_a_result_are_refused(tmp_path: Path) -> None:
    name = "nir_opt_dce"
    with pytest.raises(MesaPassError, match="the opcode fnot"):
        mesa_result(SHADER.replace("fadd %1, %1", "fnot %1").encode(), name, Compiler(tmp_path))
    with pytest.raises(MesaPassError, match="Assertion"):
        mesa_result(SHADER.encode(), name, Compiler(tmp_path, "Assertion `x' failed.\n"))
    with pytest.raises(MesaPassError, match="'y' was not declared"):
        mesa_result(SHADER.encode(), name, RefusingCompiler(tmp_path))


def test_without_the_library_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["mesa_pass", "-p", "nir_opt_dce", "a.nir"])
    monkeypatch.setattr(mesa_pass, "build_folder", lambda: None)
    assert main() == 1
    assert "run make mesa" in capsys.readouterr().err


@pytest.mark.sweep
def test_mesa_folds_constants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if build_folder() is None:
        pytest.skip("libnir is not there: run make mesa")
    file = tmp_path / "a.nir"
    file.write_text(SHADER)
    monkeypatch.setattr(sys, "argv", ["mesa_pass", "-p", "nir_opt_constant_folding", "--diff", f"{file}#1"])
    assert main() == 0
    shown = capsys.readouterr().out
    assert "-    32    %2 = fadd" in shown
    assert "= load_const (0x40000000 = 2.000000" in shown
