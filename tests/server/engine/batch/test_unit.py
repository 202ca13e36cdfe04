from __future__ import annotations

import dataclasses
import sys
import types
from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.passes import registry
from nirls.passes.finding import Finding, FindingCode, Fix, Place, Severity
from nirls.passes.registry import Pass
from nirls.server.cli.check import Check
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.linked_files import InputFile, LinkedFiles
from tests.passes.shader_text import ONE, ZERO, shader_text, store

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0", "%1"))
FRAGMENT = shader_text("FRAGMENT", ZERO)
WRONG = shader_text("FRAGMENT", "32    %1 = fneg %9")
CODE = FindingCode("odd", "Odd", Severity.WARNING)


def workspace_of(**texts: str) -> LinkedFiles:
    names = {name: name.replace("_", ".") + ".nir" for name in texts}
    files = [InputFile(names[name], Path(names[name]), text.encode()) for name, text in texts.items()]
    return LinkedFiles(files)


def test_linked_dumps_are_one_unit_others_are_their_own() -> None:
    work = Check.of(workspace_of(a_vert=VERTEX, b_frag=WRONG, a_frag=FRAGMENT), CheckSettings())
    assert [unit.texts for unit in work.units] == [
        (VERTEX.encode(), FRAGMENT.encode()),
        (WRONG.encode(),),
    ]
    assert [unit.alone for unit in work.units] == [(True, True), (True,)]
    assert [unit.is_linked for unit in work.units] == [True, False]


def test_files_count_from_the_dumps_of_the_unit() -> None:
    unit = Unit((b"// x\n" + VERTEX.encode(), FRAGMENT.encode()), (True, True), True, CheckSettings())
    (found,) = (one for one in check_unit(unit) if one.code == "dead-output")
    assert (found.file, [note.file for note in found.related]) == ("0", ["1"])
    assert found.range.start.line == VERTEX[: VERTEX.index("@store_output")].count("\n") + 1
    assert found.excerpt.line.strip().startswith("@store_output")


def test_a_fix_that_fails_has_no_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(shaders: list[Shader], options: object) -> list[Finding]:
        fix = Fix("break", "break", lambda: 1 // 0)  # type: ignore[arg-type, return-value]
        return [Finding(CODE, Place(shaders[0], Span(0, 7, 0)), "odd", "odd", fixes=(fix,))]

    code = types.ModuleType("odd_pass")
    code.find = find  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "odd_pass", code)
    monkeypatch.setattr(registry, "all_passes", lambda: (Pass("odd", "", "odd_pass"),))
    unit = Unit((FRAGMENT.encode(),), (True,), False, CheckSettings(), ("one",))
    (found,) = check_unit(unit)
    assert [fix.edits for fix in found.fixes] == [None]


def test_the_key_follows_what_the_result_depends_on() -> None:
    unit = Unit((VERTEX.encode(), FRAGMENT.encode()), (True, True), True, CheckSettings())
    changed = [
        dataclasses.replace(unit, texts=(VERTEX.encode() + b"\n", FRAGMENT.encode())),
        dataclasses.replace(unit, texts=(VERTEX.encode() + FRAGMENT.encode(),)),
        dataclasses.replace(unit, alone=(True, False)),
        dataclasses.replace(unit, is_linked=False),
        dataclasses.replace(unit, settings=CheckSettings({"undefined-value": Severity.HINT})),
        dataclasses.replace(unit, settings=CheckSettings(passes={"clean_up": True})),
        dataclasses.replace(unit, settings=CheckSettings(options={"opt_varyings": {"pack": False}})),
        dataclasses.replace(unit, edits_of=("one",)),
        unit.without("opt_varyings"),
    ]
    keys = [unit.key("1"), unit.key("2"), *(one.key("1") for one in changed)]
    assert len(set(keys)) == len(keys)
    assert dataclasses.replace(unit).key("1") == unit.key("1")
