from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from nirls.ir.finding import Finding, FindingCode, Fix, FixRequest, Place, Severity
from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.passes.declaration import Change
from nirls.server.engine.batch import unit as unit_module
from nirls.server.engine.batch.unit import Unit, check_unit
from nirls.server.engine.checks import fix_verdicts
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.files.located_findings import Check
from nirls.verification.verdict import Counterexample, Different
from tests.declared_pass import declare
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
    (found,) = (one for one in check_unit(unit).findings if one.code == "dead-output")
    assert (found.place.dump, [one.place.dump for one in found.related]) == (0, [1])
    assert found.place.start == len("// x\n") + VERTEX.index("@store_output")


def test_findings_of_a_dump_alone_count_the_dumps_too() -> None:
    unit = Unit((VERTEX.encode(), WRONG.encode()), (True, True), True, CheckSettings())
    assert {one.place.dump for one in check_unit(unit).findings if one.code == "undefined-value"} == {1}


def test_edits_of_fixes_come_with_the_findings() -> None:
    unit = Unit((VERTEX.encode(), FRAGMENT.encode()), (True, True), True, CheckSettings(), ("one",))
    found = check_unit(unit)
    (dead,) = (one for one in found.findings if one.code == "dead-output")
    made = [found.fixes.get(fix.request) for fix in dead.fixes]
    edits = [None if one is None else one.edits for one in made]
    assert [bool(one) for one in edits] == [fix.request.scope == "one" for fix in dead.fixes]
    assert edits[0] is not None
    assert {edit.place.dump for edit in edits[0]} == {0}


def test_a_fix_that_fails_has_no_edits(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(shaders: Sequence[Shader]) -> list[Finding]:
        return [CODE.at(Place(0, 0, 7), "odd", fixes=[Fix("break", FixRequest("odd", CODE.code))])]

    def fix(shaders: Sequence[Shader], request: FixRequest) -> list[Change]:
        raise ZeroDivisionError

    odd = declare("odd", find=find, fix=fix)
    monkeypatch.setattr(registry, "all_passes", lambda: (odd,))
    monkeypatch.setattr(registry, "find", lambda name: odd if name == "odd" else None)
    unit = Unit((FRAGMENT.encode(),), (True,), False, CheckSettings(), ("one",))
    found = check_unit(unit)
    assert [one.code for one in found.findings] == ["odd"]
    assert found.fixes == {}


def test_edits_that_change_the_program_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Check.of(
        workspace_of(a_vert=VERTEX, a_frag=FRAGMENT), CheckSettings(), edits_of=("one",), verifies=True
    )
    monkeypatch.setattr(fix_verdicts, "TIME_BUDGET", None)
    right = check_unit(work.units[0]).fixes
    assert any(made.edits for made in right.values())
    assert all(made.verdict is not None and made.verdict.verdict == "equivalent" for made in right.values())
    wrong = Different(Counterexample(1, "", 0, "VAR0.x", "1", "2", ()))
    monkeypatch.setattr(unit_module, "judged", lambda *_: wrong)
    for made in check_unit(work.units[0]).fixes.values():
        assert made.edits == ()
        assert made.verdict is not None
        assert (made.verdict.verdict, made.verdict.tried) == ("different", None)


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
