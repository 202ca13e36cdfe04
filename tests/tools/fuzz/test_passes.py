"""Random shaders through the passes: a few of each kind, and passes that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import pytest

from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes import registry
from nirls.passes.barriers import opt_barriers
from nirls.passes.cleanup.opt_algebraic import opt_algebraic
from nirls.passes.tessellation.culled_work import split
from nirls.passes.tessellation.inline_vs import forwarding as inline_vs_forwarding
from nirls.passes.tessellation.inline_vs import inline_vs_in_tcs
from nirls.passes.tessellation.inline_vs import interface as inline_vs_interface
from nirls.passes.tessellation.inline_vs.interface import InterfaceAccess
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.payload import plan as payload_plan
from nirls.verification.random_shaders.patches import random_patch_texts
from tests.declared_pass import declare, failing
from tools.fuzz.passes import KINDS, WRONG, TrialKind, check, fuzz, options_of

PIPELINES, PAYLOADS, PATCHES, SHADERS, REGISTERS = KINDS
MANY = 60


def outcomes(kind: TrialKind, name: str, numbers: Iterable[int]) -> list[str]:
    declared = registry.find(name)
    assert declared is not None
    return [check(kind, number, declared)[0] for number in numbers]


@pytest.mark.parametrize("name", SHADERS.passes)
def test_results_on_a_few_shaders(name: str) -> None:
    assert set(outcomes(SHADERS, name, range(3))) <= {"same", "unchanged", "unchecked"}


@pytest.mark.parametrize("name", PATCHES.passes)
def test_results_on_a_few_patches(name: str) -> None:
    found = outcomes(PATCHES, name, range(100, 112))
    assert set(found) <= {"same", "unchanged", "unchecked"}
    assert found.count("same") > 3


def test_results_on_a_few_pipelines() -> None:
    assert set(outcomes(PIPELINES, "opt_varyings", range(10))) <= {"same", "unchecked"}


def test_results_on_a_few_payloads() -> None:
    assert set(outcomes(PAYLOADS, "opt_varyings", range(8))) <= {"same", "unchecked"}


def test_a_store_that_is_still_read_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that takes no notice of one of the readers of a payload."""
    is_free = payload_plan._is_free
    monkeypatch.setattr(payload_plan, "_is_free", lambda where, read: is_free(where, list(read)[1:]))
    assert set(outcomes(PAYLOADS, "opt_varyings", (1000, 1009, 1012))) & WRONG


def without_stores(shaders: Sequence[Shader]) -> list[Shader]:
    for impl in shaders[-1].impls():
        for instr in list(impl.instrs()):
            if getattr(instr, "name", "") == "store_output":
                instr.remove()
    return list(shaders)


@pytest.mark.parametrize("kind", [PIPELINES, SHADERS], ids=lambda kind: kind.name)
def test_a_pass_that_removes_stores_is_caught(kind: TrialKind) -> None:
    def broken(shaders: Sequence[Shader]) -> list[Shader]:
        for shader in shaders:
            opt_algebraic(shader)
        return without_stores(shaders)

    declared = declare("broken", run=broken, scope="pipeline")
    assert "different" in {check(kind, number, declared)[0] for number in (1, 4, 7, 10, 13)}


def test_a_pass_that_raises_is_caught() -> None:
    outcome, text = check(PIPELINES, 0, declare("broken", run=failing))
    assert outcome == "crash"
    assert "RuntimeError: no such thing" in text


def test_what_came_of_them_is_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    passes = ("opt_dce", "opt_cse")
    assert not fuzz(SHADERS, range(2), passes, None)
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [["shaders", name] for name in passes]
    broken = declare("opt_dce", run=failing)
    monkeypatch.setattr(registry, "find", lambda name: broken)
    assert fuzz(SHADERS, range(2), ("opt_dce",), None)
    out = capsys.readouterr().out
    assert "opt_dce on shaders 1: crash: " in out
    assert "shaders: opt_dce: 2 crash" in out
    assert not fuzz(SHADERS, range(2), ("opt_dce",), -1.0)


def test_options_of_pipelines_are_those_of_the_pass() -> None:
    known = {option.name for option in OptVaryings.options()}
    chosen = [options_of(number) for number in range(40)]
    assert set().union(*chosen) <= known
    assert any("preserve_nans" in one for one in chosen)
    assert chosen == [options_of(number) for number in range(40)]


def is_found(name: str, numbers: Iterable[int] = range(MANY)) -> bool:
    """Whether a result on a patch is found to be wrong."""
    declared = registry.find(name)
    assert declared is not None
    return any(check(PATCHES, number, declared)[0] in WRONG for number in numbers)


def nothing(*_: object) -> list[IntrinsicInstr]:
    return []


def test_finds_a_missing_barrier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inline_vs_in_tcs, "build_output_barrier", nothing)
    assert is_found("inline_vs_in_tcs")


def test_finds_a_missing_barrier_ahead_of_the_guard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(split, "build_output_barrier", nothing)
    assert is_found("restructure_tcs_flow")


def test_finds_the_wrong_vertex(monkeypatch: pytest.MonkeyPatch) -> None:
    load = inline_vs_interface._load

    def own(instr: IntrinsicInstr, ranges: Mapping[Block, range]) -> InterfaceAccess:
        access = load(instr, ranges)
        access.own = True
        return access

    monkeypatch.setattr(inline_vs_interface, "_load", own)
    assert is_found("inline_vs_in_tcs")


def test_finds_the_wrong_element(monkeypatch: pytest.MonkeyPatch) -> None:
    def last(
        builder: object, booleans: object, number: object, by_number: Iterable[tuple[int, Def]], _: Def
    ) -> Def:
        return list(by_number)[-1][1]

    monkeypatch.setattr(inline_vs_forwarding, "choose", last)
    with_arrays = [number for number in range(400) if "slots=3" in random_patch_texts(number)[1]]
    assert is_found("inline_vs_in_tcs", with_arrays)


class Strict(CullingRule):
    """A rule that drops patches which survive."""

    @property
    def least_kept(self) -> float:
        return 1.0


@pytest.mark.parametrize(
    "wrong",
    [
        lambda rule: Strict(rule.mode, rule.spacing),
        lambda rule: replace(rule, mode=PrimitiveMode.ISOLINES),
        lambda rule: replace(rule, spacing=Spacing.EQUAL, below_half=True),
    ],
    ids=["1 instead of 0", "too few levels", "0.5 instead of 0"],
)
def test_finds_a_wrong_guard(
    wrong: Callable[[CullingRule], CullingRule], monkeypatch: pytest.MonkeyPatch
) -> None:
    build = split.build_not_culled

    def guard(builder: object, shader: Shader, levels: Sequence[Def], rule: CullingRule) -> Def:
        wanted = wrong(rule)
        return build(builder, shader, levels[: wanted.outer_levels], wanted)  # type: ignore[arg-type]

    monkeypatch.setattr(split, "build_not_culled", guard)
    assert is_found("restructure_tcs_flow", range(2 * MANY))


@pytest.mark.parametrize("pass_name", ["restructure_tcs_flow", "optimize_tcs"])
def test_finds_a_missing_level(pass_name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    divide = split._Splitter.run

    def forgetful(splitter: split._Splitter) -> split.Restructured:
        done = divide(splitter)
        level = next(
            instr
            for instr in splitter.impl.instrs()
            if isinstance(instr, IntrinsicInstr)
            and instr.name == "store_output"
            and instr.io_semantics is not None
            and instr.io_semantics.location == 26
        )
        level.remove()
        return done

    monkeypatch.setattr(split._Splitter, "run", forgetful)
    assert is_found(pass_name)


def test_finds_barriers_that_were_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def all_barriers(shader: Shader) -> list[IntrinsicInstr]:
        removed = []
        for impl in shader.impls():
            for instr in impl.instrs():
                if isinstance(instr, IntrinsicInstr) and instr.name == "barrier":
                    instr.remove()
                    removed.append(instr)
        return removed

    monkeypatch.setattr(opt_barriers, "opt_barriers", all_barriers)
    assert is_found("opt_barriers")
