from __future__ import annotations

import dataclasses
from pathlib import Path

from nirls.passes.finding import Severity
from nirls.server.checking import CheckSettings
from nirls.server.command_line.batch.unit import check_unit, units_of
from nirls.server.command_line.inputs import InputFile
from nirls.server.command_line.reported import in_order
from nirls.server.command_line.workspace import Workspace
from tests.passes.shader_text import ONE, ZERO, shader_text, store

VERTEX = shader_text("VERTEX", ZERO, ONE, store("VAR0", "%1"))
FRAGMENT = shader_text("FRAGMENT", ZERO)
WRONG = shader_text("FRAGMENT", "32    %1 = fneg %9")


def workspace_of(**texts: str) -> Workspace:
    names = {name: name.replace("_", ".") + ".nir" for name in texts}
    files = [InputFile(names[name], Path(names[name]), text.encode()) for name, text in texts.items()]
    return Workspace.of(files)


def test_linked_files_are_one_unit_others_are_their_own() -> None:
    workspace = workspace_of(a_vert=VERTEX, b_frag=WRONG, a_frag=FRAGMENT)
    units = units_of(workspace, CheckSettings(), with_edits=False)
    assert [[file.name for file, _ in unit.files] for unit in units] == [
        ["a.vert.nir", "a.frag.nir"],
        ["b.frag.nir"],
    ]
    found = in_order(one for unit in units for one in check_unit(unit))
    assert [(one.file, one.code) for one in found if one.severity is not Severity.HINT] == [
        ("a.vert.nir", "dead-output"),
        ("b.frag.nir", "undefined-value"),
    ]


def test_a_log_with_many_dumps_is_several_units_that_add_up() -> None:
    workspace = workspace_of(log=WRONG * 100)
    units = units_of(workspace, CheckSettings(), with_edits=False)
    assert len(units) > 2
    places = [
        one.range.start.line for unit in units for one in check_unit(unit) if one.code == "undefined-value"
    ]
    assert len(places) == len(set(places)) == 100


def test_the_key_follows_what_the_result_depends_on() -> None:
    (unit,) = units_of(workspace_of(a_frag=WRONG), CheckSettings(), with_edits=False)
    (file, is_context) = unit.files[0]
    changed = [
        dataclasses.replace(unit, files=((dataclasses.replace(file, data=file.data + b"\n"), is_context),)),
        dataclasses.replace(unit, files=((dataclasses.replace(file, name="b.frag.nir"), is_context),)),
        dataclasses.replace(unit, files=((file, True),)),
        dataclasses.replace(unit, settings=CheckSettings({"undefined-value": Severity.HINT})),
        dataclasses.replace(unit, settings=CheckSettings(passes={"clean_up": True})),
        dataclasses.replace(unit, settings=CheckSettings(options={"opt_varyings": {"pack": False}})),
        dataclasses.replace(unit, with_edits=True),
        dataclasses.replace(unit, last=unit.last + 1),
    ]
    keys = [unit.key("1"), unit.key("2"), *(one.key("1") for one in changed)]
    assert len(set(keys)) == len(keys)
    (again,) = units_of(workspace_of(a_frag=WRONG), CheckSettings(), with_edits=False)
    assert again.key("1") == unit.key("1")
