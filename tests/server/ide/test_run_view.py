from __future__ import annotations

from nirls.server.ide.run_view import RunHint, ShaderRun, line_of_impl


def test_hints_of_some_lines() -> None:
    hints = tuple(RunHint(line, str(line)) for line in (1, 5, 9))
    assert list(ShaderRun(hints=hints).hints_in(range(2, 9))) == [hints[1]]


def test_line_of_the_body() -> None:
    assert line_of_impl(b"shader: MESA_SHADER_VERTEX\nname: impl\r\nimpl main {\n}\nimpl other {\n}\n") == 2
    assert line_of_impl(b"shader: MESA_SHADER_VERTEX\n") is None
