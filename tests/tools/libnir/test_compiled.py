from __future__ import annotations

import json
from pathlib import Path

from tools.libnir.compiled import CompileError, compile_options, run_test

OUTPUT = """\
/tmp/a.cpp: In member function 'x':
/tmp/a.cpp:12:7: error: 'y' was not declared
/tmp/a.cpp:12:9: error: another one
/tmp/a.cpp:40:1: fatal error: the end
"""


def test_errors_by_line() -> None:
    error = CompileError(OUTPUT)
    assert str(error) == "'y' was not declared"
    assert error.errors == {12: "'y' was not declared", 40: "the end"}
    assert str(CompileError("ld: undefined reference")) == "ld: undefined reference"


def test_the_options_of_mesa_s_own_tests(tmp_path: Path) -> None:
    command = (
        "c++ -Isrc -Wall -MD -MQ a.o -MF a.d -std=c++20 '-DX=\"1\"' -o a.o -c ../tests/opt_loop_tests.cpp"
    )
    entries = [{"file": "x.c", "command": "cc"}, {"file": "../tests/opt_loop_tests.cpp", "command": command}]
    (tmp_path / "compile_commands.json").write_text(json.dumps(entries))
    assert compile_options(tmp_path, "opt_loop_tests.cpp") == ["-Isrc", "-std=c++20", '-DX="1"', "-I../tests"]


def test_what_a_test_prints(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(
        '#!/bin/sh\nprintf "Got:\\nshader: A\\n\\nimpl\\n\\nExpected (a.cpp:3):\\nshader: B\\n"\nexit 1\n'
    )
    program.chmod(0o755)
    ran = run_test(program, "a.b")
    assert (ran.passed, ran.printed) == (False, "shader: A\n\nimpl\n")
