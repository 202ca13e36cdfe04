"""The random patches, what the fuzzer says of some, and that it finds passes that are broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import pytest

from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing
from nirls.ir.model.control_flow import Block
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.passes.barriers import opt_barriers
from nirls.passes.tessellation import inline_vs_in_tcs, inline_vs_interface, inline_vs_outputs, split
from nirls.passes.tessellation.inline_vs_interface import IoAccess
from tools.fuzz_tessellation import PASSES, check
from tools.random_tessellation import random_patch_texts

MANY = 60


@pytest.mark.parametrize("pass_name", PASSES)
def test_results_are_the_same_program(pass_name: str) -> None:
    outcomes = [check(number, pass_name)[0] for number in range(100, 112)]
    assert set(outcomes) <= {"same", "unchanged", "unchecked"}
    assert outcomes.count("same") > 3


def is_found(pass_name: str, numbers: Iterable[int] = range(MANY)) -> bool:
    """Whether the fuzzer finds a result that differs, or is invalid."""
    return any(check(number, pass_name)[0] in ("different", "invalid") for number in numbers)


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

    def own(instr: IntrinsicInstr, ranges: Mapping[Block, range]) -> IoAccess:
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

    monkeypatch.setattr(inline_vs_outputs, "choose", last)
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
        lambda rule: replace(rule, spacing=Spacing.EQUAL),
        lambda rule: replace(rule, spacing=Spacing.FRACTIONAL_ODD),
    ],
    ids=["1 instead of 0 or 0.5", "too few levels", "0.5 instead of 0", "0 instead of 0.5"],
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
