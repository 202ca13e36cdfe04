from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.passes.declaration import option
from nirls.server.cli.errors import CommandError
from nirls.server.cli.optimize import Optimizer, pass_runs
from nirls.server.engine.batch import pass_runs as batch
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from tests.declared_pass import declare
from tests.passes.shader_text import ONE, ZERO, shader_text, store, use

DEAD = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))
LOG = f"text\n{DEAD}more\n{shader_text('FRAGMENT', ZERO, use('%0'))}end\n"
PASSES = (
    declare("one", options={"a": option(1, ""), "b": option(False, "")}),
    declare("two", options={"a": option(2, "")}),
)


def options(*assignments: str) -> list[dict[str, object]]:
    return [asdict(run) for run in pass_runs(["one,two"], assignments)]


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "all_passes", lambda: PASSES)
    monkeypatch.setattr(registry, "find", lambda name: {one.name: one for one in PASSES}.get(name))


@pytest.mark.usefixtures("declared")
def test_an_option_goes_to_every_pass_that_has_it_or_to_the_one_named() -> None:
    assert options() == [{"a": 1, "b": False}, {"a": 2}]
    assert options("a=7", "b=true") == [{"a": 7, "b": True}, {"a": 7}]
    assert options("two.a=7") == [{"a": 1, "b": False}, {"a": 7}]


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize("assignment", ["a", "=1", "c=1", "one.c=1", "three.a=1", "a=many"])
def test_other_options_are_refused(assignment: str) -> None:
    with pytest.raises(CommandError):
        options(assignment)


@pytest.mark.parametrize("names", [[], [","], ["nothing"]])
def test_there_has_to_be_a_pass(names: list[str]) -> None:
    with pytest.raises(CommandError):
        pass_runs(names, [])


def optimized(log: str, *names: str) -> bytes:
    workspace = LinkedFiles([InputFile("a.log", None, log.encode())])
    optimizer = Optimizer(workspace)
    optimizer.run(pass_runs(names, []))
    return optimizer.new_text(workspace.documents["a.log"])


def test_only_what_changed_is_printed_anew() -> None:
    text = optimized(LOG, "opt_dce").decode()
    assert [line for line in LOG.splitlines() if line not in text.splitlines()] == ["    32    %2 = mov %1"]
    assert optimized(LOG, "opt_cse") == LOG.encode()


@pytest.mark.parametrize("error", [ValueError("odd"), SystemExit(3)])
def test_a_pass_that_fails_is_an_error_with_the_place(
    monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def run(shaders: Sequence[Shader]) -> list[Shader]:
        raise error

    monkeypatch.setattr(registry, "find", lambda name: declare(name, run=run))
    with pytest.raises(CommandError, match=f"mine failed on a.log, dump 1: {type(error).__name__}"):
        optimized(LOG, "mine")


def test_dumps_of_other_stages_are_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []

    def noted(text: bytes) -> Shader:
        parsed.append(text)
        return parse_dump(text)

    monkeypatch.setattr(batch, "parse_dump", noted)
    assert optimized(LOG, "opt_discard_if", "optimize_tcs") == LOG.encode()
    assert [b"FRAGMENT" in text for text in parsed] == [True]


def test_stages_that_pipelines_share_are_optimized_together() -> None:
    vertex = shader_text("VERTEX", ZERO, ONE, store("VAR0"))
    fragment = shader_text("FRAGMENT", ZERO, use("%0"))
    log = f"{vertex}\n{fragment}\n{vertex}\n{fragment}\n"
    text = optimized(log, "opt_varyings", "opt_dce").decode()
    assert "VAR0" not in text
    assert text.count("shader:") == 4


def test_options_are_checked_against_what_the_passes_before_have_left() -> None:
    log = shader_text(
        "FRAGMENT",
        ZERO,
        "32    %1 = load_const (0x00000008)",
        "32    %2 = load_const (0x00000008)",
        "32    %3 = iadd %1, %2",
        "32    %4 = @load_ubo (%0, %3) (access=none, align_mul=4, align_offset=0, range_base=0, range=-1)",
        store("DATA0", "%4"),
    ).replace("VARYING_SLOT_DATA0", "FRAG_RESULT_DATA0")
    workspace = LinkedFiles([InputFile("a.log", None, log.encode())])
    with pytest.raises(CommandError, match="nothing loads uniform 0:16"):
        Optimizer(workspace).run(pass_runs(["inline_uniforms"], ["set=0:16=1"]))
    optimizer = Optimizer(workspace)
    optimizer.run(pass_runs(["clean_up", "inline_uniforms"], ["set=0:16=1"]))
    assert b"load_ubo" not in optimizer.new_text(workspace.documents["a.log"])
