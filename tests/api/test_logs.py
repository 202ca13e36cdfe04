from __future__ import annotations

import nirls
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex

FIRST = vertex("32 %3 = fsub %2, %1", store("POS", "%3"))
MOVED = vertex("32 %4 = mov %0", "32 %3 = fsub %2, %1", store("POS", "%3"))
WRONG = MOVED.replace("fsub %2, %1", "fsub %1, %2")
LOG = f"nir_a\n{FIRST}nir_idle\nnir_b\n{MOVED}nir_c\n{WRONG}"


def test_log_has_shaders_with_snapshots() -> None:
    log = nirls.read_log(LOG)
    (shader,) = log.shaders
    assert (shader.title, shader.stage) == ("VS v", "VS")
    assert [one.pass_name for one in shader.snapshots] == ["nir_a", "nir_b", "nir_c"]
    assert [one.number for one in shader.snapshots] == [0, 1, 2]
    assert "nir_idle" in shader.passes


def test_snapshots_have_lines_text_and_shader() -> None:
    snapshot = nirls.read_log(LOG).shaders[0].snapshots[1]
    lines = LOG.splitlines(keepends=True)
    assert "".join(lines[snapshot.lines.start : snapshot.lines.stop]) == snapshot.text == MOVED
    assert snapshot.shader is snapshot.shader
    assert nirls.print(snapshot.shader) == MOVED


def test_verdicts_are_those_of_verify() -> None:
    first, second, third = nirls.read_log(LOG).shaders[0].snapshots
    assert first.verdict is None
    assert second.verdict is not None
    assert second.verdict.verdict == "equivalent"
    assert third.verdict is not None
    assert third.verdict.verdict == "different"
    assert third.verdict.counterexample is not None
    assert third.verdict.instruction is not None
    again = nirls.read_log(f"nir_a\n{FIRST}nir_b\n{FIRST}").shaders[0].snapshots[1].verdict
    assert again is not None
    assert again.verdict == "unchanged"


def test_representations_are_short() -> None:
    log = nirls.read_log(LOG)
    assert repr(log) == "<Log 1 shader, 3 snapshots>"
    assert repr(log.shaders[0]) == "<LoggedShader VS v, 3 snapshots>"
    first = log.shaders[0].snapshots[0]
    assert repr(first) == f"<LoggedSnapshot nir_a, lines 2-{FIRST.count(chr(10)) + 1}>"
    assert repr(first.shader) == "<Shader VS v, 1 block>"


def test_any_text_is_a_log() -> None:
    assert nirls.read_log("").shaders == ()
    assert nirls.read_log(b"\xff\n").shaders == ()
    data = b"\xff\n" + LOG.encode()
    assert nirls.read_log(data).shaders[0].snapshots[0].lines.start == 2
