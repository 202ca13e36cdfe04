from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_shaders
from nirls.passes import registry
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.server.cli.commands.reduce import When
from tests import declared_pass
from tests.passes.shader_text import (
    ONE,
    ZERO,
    load,
    printed_kinds,
    shader_text,
    store,
    uniform_varying,
    use,
)
from tests.server.conftest import Run


@pytest.mark.parametrize("when", When)
def test_nothing_that_goes_wrong_is_an_error(run: Run, tinted: Path, when: When) -> None:
    result = run("reduce", "-p", "opt_dce", "--when", when.value, "tinted.frag.nir")
    assert (result.status, result.out) == (2, b"")
    assert result.err == f"nirls: nothing to reduce: opt_dce: {when.none_found}\n"


def test_other_reasons_are_refused(run: Run, tinted: Path) -> None:
    assert run("reduce", "-p", "opt_dce", "--when", "odd", "tinted.frag.nir").status == 2


Change = Callable[[Shader], bool]

INPUTS = (ZERO, load(1, "VAR0"), load(2, "VAR1"), load(3, "VAR2"))
FRAGMENT = shader_text(
    "FRAGMENT",
    *INPUTS,
    "32 %4 = fmul %1, %2",
    "32 %5 = fadd %3, %4",
    "32 %6 = fsub %1, %5",
    "32 %7 = fmax %6, %3",
    use("%7"),
    store("VAR0", "%4").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
)


def swap_subtractions(shader: Shader) -> bool:
    found = [one for one in _operations(shader) if one.op == "fsub"]
    for one in found:
        one.sources.reverse()
    return bool(found)


def forget_a_source(shader: Shader) -> bool:
    found = [one for one in _operations(shader) if one.op == "fmax"]
    for one in found:
        one.sources.pop().clear()
    return bool(found)


def fail_on_fmax(shader: Shader) -> bool:
    if any(one.op == "fmax" for one in _operations(shader)):
        raise RuntimeError("fmax")
    return False


def fail_if_short(shader: Shader) -> bool:
    if len(_operations(shader)) < 2:
        raise KeyError("too short")
    return fail_on_fmax(shader)


def commute(shader: Shader) -> bool:
    found = [one for one in _operations(shader) if one.op == "fadd"]
    for one in found:
        one.sources.reverse()
    return bool(found)


def _operations(shader: Shader) -> list[AluInstr]:
    return [instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, AluInstr)]


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Make a pass `mine` of a function, for single shaders or for pipelines."""

    def declare_pass(change: Change, scope: str = "shader") -> None:
        def run(shaders: Sequence[Shader]) -> list[Shader]:
            return [shader for shader in shaders if change(shader)]

        mine = declared_pass.declare("mine", run=run, scope=scope)
        monkeypatch.setattr(registry, "find", lambda name: mine if name == "mine" else None)

    return declare_pass


@pytest.fixture
def fragment(workdir: Path) -> Path:
    path = workdir / "a.frag.nir"
    path.write_text(FRAGMENT)
    return path


def kinds(text: bytes) -> list[str]:
    (shader,) = parse_shaders(text)
    assert not shader.unreadable
    return printed_kinds(shader)


def test_smallest_shader_that_a_pass_changes(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(swap_subtractions)
    result = run("reduce", "-p", "mine", fragment)
    assert result.status == 0
    left = kinds(result.out)
    assert "fsub" in left
    assert not {"fmul", "fadd", "fmax"} & set(left)
    assert len(left) <= 5
    assert f"reduced 10 instructions to {len(left)}" in result.err


def test_result_to_a_file(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(swap_subtractions)
    result = run("reduce", "-p", "mine", fragment, "-o", "small.nir")
    assert (result.status, result.out) == (0, b"")
    assert "fsub" in kinds(Path("small.nir").read_bytes())


def test_for_invalid_results(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(forget_a_source)
    left = kinds(run("reduce", "-p", "mine", "--when", "invalid", fragment).out)
    assert "fmax" in left
    assert "fsub" not in left


def test_for_crashes_of_the_same_kind(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(fail_on_fmax)
    assert "fmax" in kinds(run("reduce", "-p", "mine", "--when", "crash", fragment).out)
    declare(fail_if_short)
    left = kinds(run("reduce", "-p", "mine", "--when", "crash", fragment).out)
    assert "fmax" in left
    assert len([kind for kind in left if kind.startswith("f")]) == 2


def test_linked_shaders_are_reduced_together(run: Run, workdir: Path, declare: Callable[..., None]) -> None:
    attribute = load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB")
    vertex = shader_text(
        "VERTEX", ZERO, ONE, attribute, store("VAR0"), store("VAR1", "%0 (0x0)"), store("VAR2", "%2")
    )
    (workdir / "a.log").write_text(f"{vertex}\nin between\n{FRAGMENT}")
    declare(swap_subtractions, "pipeline")
    result = run("reduce", "-p", "mine", "a.log")
    assert result.status == 0
    shaders = parse_shaders(result.out)
    assert [shader.stage.name for shader in shaders if shader.stage] == ["VERTEX", "FRAGMENT"]
    assert "fsub" in printed_kinds(shaders[1])
    assert len(result.out) < len(vertex)


@pytest.mark.parametrize("when", ["different", "invalid", "crash"])
def test_nothing_to_reduce(run: Run, fragment: Path, declare: Callable[..., None], when: str) -> None:
    declare(commute)
    result = run("reduce", "-p", "mine", "--when", when, fragment)
    assert (result.status, result.out) == (2, b"")
    assert result.err.startswith("nirls: nothing to reduce: mine: no ")


def test_verified_results_are_kept(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(commute)
    result = run("opt", "-p", "mine", "--verify", fragment)
    assert result.status == 0
    assert "fadd %4, %3" in result.text
    assert result.err == "nirls: verified: 1 equivalent, 0 wrong, 0 unchecked\n"


def test_wrong_results_are_left_out(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(swap_subtractions)
    result = run("opt", "-p", "mine", "--verify", fragment)
    assert result.status == 1
    assert result.text == FRAGMENT
    assert "mine on" in result.err
    assert "different: memory" in result.err
    assert "this result was left out" in result.err
    assert "0 equivalent, 1 wrong, 0 unchecked" in result.err
    assert run("opt", "-p", "mine", fragment).text != FRAGMENT


def test_invalid_results_are_left_out(run: Run, fragment: Path, declare: Callable[..., None]) -> None:
    declare(forget_a_source)
    result = run("opt", "-p", "mine", "--verify", fragment)
    assert result.status == 1
    assert result.text == FRAGMENT
    assert "not valid" in result.err


def test_what_cannot_run_is_said(run: Run, workdir: Path, declare: Callable[..., None]) -> None:
    strange = "32  %2 = @unheard_of"
    (workdir / "b.frag.nir").write_text(
        shader_text("FRAGMENT", ZERO, load(1, "VAR0"), strange, "32 %3 = fsub %1, %2", use("%3"))
    )
    declare(swap_subtractions)
    result = run("opt", "-p", "mine", "--verify", "b.frag.nir")
    assert result.status == 1
    assert "fsub %1, %2" in result.text
    assert "unchecked: unheard_of" in result.err
    assert "this result was left out" in result.err
    result = run("opt", "-p", "mine", "--verify", "--allow-unchecked", "b.frag.nir")
    assert result.status == 0
    assert "fsub %2, %1" in result.text


def test_passes_follow_the_driver_of_the_project(
    run: Run, workdir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drivers: list[str] = []

    def record(self: OptVaryings, shaders: Sequence[Shader]) -> list[Shader]:
        drivers.append(self.driver)
        return []

    monkeypatch.setattr(OptVaryings, "run", record)
    (workdir / "nirls.toml").write_text('driver = "iris"\n')
    (workdir / "a.log").write_text(uniform_varying())
    assert run("reduce", "-p", "opt_varyings", "a.log").status == 2
    assert drivers == ["iris"]
