from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from tests.passes.shader_text import ONE, ZERO, shader_text
from tools.libnir.compiled import CompileError, LibnirCompiler
from tools.libnir.round_trip import Case, cases_of, compared, round_trip

TEXT = shader_text("FRAGMENT", ONE, "32    %2 = fneg %1 (1.000000)", header=["subgroup_size: 0"])


def test_modern_dumps_are_taken_once(tmp_path: Path) -> None:
    (tmp_path / "a.io.nir").write_text(TEXT)
    (tmp_path / "b.log").write_text(TEXT + shader_text("VERTEX", ZERO))
    cases = list(cases_of([tmp_path / "a.io.nir", tmp_path / "b.log"]))
    assert [(case.form, case.name.partition("/")[2]) for case in cases] == [
        ("io", "a.io.nir#1"),
        ("log", "b.log#2"),
    ]


def test_structure_is_compared() -> None:
    case = Case("io", "a", TEXT.encode())
    renumbered = TEXT.replace("%2", "%7").replace("subgroup", "name: x\nsubgroup")
    assert compared(case, renumbered, "", True).outcome == "equal"
    result = compared(case, TEXT.replace("fneg", "fabs"), "", False)
    assert result.outcome == "different"
    assert result.detail == "- 32 %2 = fneg %1 (1.000000) + 32 %3 = fabs %1 (1.000000)"
    assert compared(case, "", "error: it is wrong", False).detail == "error: it is wrong"


class Refusing:
    """Refuses the second of several tests, and then all that is left."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def program(self, name: str, source: str) -> Path:
        self.sources.append(source)
        if len(self.sources) > 1:
            raise CompileError("no libraries")
        line = source[: source.index("nir_builder_case_1_test")].count("\n") + 1
        raise CompileError(f"a.cpp:{line}:1: error: no")


def test_tests_that_are_refused_are_left_out() -> None:
    unknown = TEXT.replace("fneg", "fnot")
    texts: Sequence[str] = [TEXT, TEXT.replace("fneg", "fabs"), unknown]
    compiler = Refusing()
    results = list(
        round_trip(
            [Case("io", str(n), text.encode()) for n, text in enumerate(texts)],
            cast(LibnirCompiler, compiler),
        )
    )
    assert [(one.case.name, one.outcome, one.detail) for one in results] == [
        ("2", "not buildable", "the opcode fnot, which Mesa 25.0 has not"),
        ("1", "not compiled", "no"),
        ("0", "not compiled", "no libraries"),
    ]
