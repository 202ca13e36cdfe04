from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.ir.model.stage import Stage
from nirls.server.engine.settings.project_file import (
    DumpReference,
    find_project_file,
    parse_project_file,
    read_project_file,
)

PLACE = Path("/w/nirls.toml")


def test_everything_that_a_file_can_say() -> None:
    project = parse_project_file(
        """
        [[pipeline]]
        name = "terrain"
        frag = "sub/debug.log#12"
        vert = "terrain.vert.nir"

        [severity]
        dead-output = "hint"

        [passes]
        opt_varyings_dead_io = false

        [options.some_pass]
        cost = 3
        """,
        PLACE,
    )
    assert project.problems == ()
    (pipeline,) = project.pipelines
    assert pipeline.members == (
        (Stage.VERTEX, DumpReference(Path("/w/terrain.vert.nir"))),
        (Stage.FRAGMENT, DumpReference(Path("/w/sub/debug.log"), 12)),
    )
    assert project.severities == {"dead-output": Severity.HINT}
    assert project.passes == {"opt_varyings_dead_io": False}
    assert project.options == {"some_pass": {"cost": 3}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("colour = 1", "colour: unknown key"),
        ("profile = 'bogus'", "profile: 'bogus' is not one of quiet, normal, everything"),
        ("profile = [1]", "profile: [1] is not one of quiet, normal, everything"),
        ("pipeline = 3", "pipeline: must be an array of tables"),
        ("pipeline = [3]", "pipeline[0]: must be a table"),
        ("[[pipeline]]\nvert = 'a'\nfrag = 'b'", "pipeline[0].name: must be text that is not empty"),
        ("[[pipeline]]\nname = 'p'\nvert = 'a'", "pipeline[0]: a pipeline needs two stages at least"),
        (
            "[[pipeline]]\nname='p'\nvert='a'\nfrag='b#0'\ngeom='c'",
            "pipeline[0].frag: '0' after # is not the number of a dump, counted from 1",
        ),
        (
            "[[pipeline]]\nname='p'\nvert='a'\nfrag='../b'\ngeom='c'",
            "pipeline[0].frag: '../b' lies outside of the workspace and is ignored",
        ),
        ("[[pipeline]]\nname='p'\nvert='a'\nfrag='b'\nfragment='b'", "pipeline[0].fragment: unknown key"),
        ("[severity]\nx = 'loud'", "severity.x: must be one of error, warning, information, hint, off"),
        ("[passes]\nx = 'on'", "passes.x: must be true, false or one of error"),
        ("[options]\nx = 1", "options.x: must be a table"),
        ("severity = 1", "severity: must be a table"),
    ],
)
def test_what_is_wrong_is_said(text: str, complaint: str) -> None:
    problems = [str(problem) for problem in parse_project_file(text, PLACE).problems]
    assert len(problems) == 1
    assert problems[0].startswith(complaint)


def test_the_rest_is_used() -> None:
    text = "[[pipeline]]\nname='p'\nvert='a'\nfrag='b#x'\ntesc='c'\n"
    text += "[[pipeline]]\nname=1\n[passes]\na=1\nb=true\n"
    project = parse_project_file(text, PLACE)
    assert [str(one).partition(":")[0] for one in project.problems] == [
        "pipeline[0].frag",
        "pipeline[1].name",
        "passes.a",
    ]
    assert [[stage for stage, _ in one.members] for one in project.pipelines] == [
        [Stage.VERTEX, Stage.TESS_CTRL]
    ]
    assert project.passes == {"b": True}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (f"[options.p]\nx = {'9' * 5000}", "not valid TOML: a number has too many digits"),
        (f"[options.p]\nx = 0x{'f' * 5000}", "options.p.x: must be a number of at most 64 bits"),
        (f"[options.p]\nx = {'[' * 50}{']' * 50}", "options.p.x: must be true or false, a number or text"),
        (f"x = {'[' * 5000}{']' * 5000}", "nested too deeply"),
        (f"[[pipeline]]\nname='p'\nvert='a'\nfrag='b#{'9' * 5000}'\ngeom='c'", "pipeline[0].frag: '9999"),
    ],
)
def test_large_numbers_and_deep_values_are_one_problem(text: str, complaint: str) -> None:
    (problem,) = parse_project_file(text, PLACE).problems
    assert str(problem).startswith(complaint)
    assert len(str(problem)) < 200


def test_syntax_error_has_its_line() -> None:
    (problem,) = parse_project_file("[passes]\nx = = 1\n", PLACE).problems
    assert problem.message.startswith("not valid TOML")
    assert problem.line == 1


def test_second_pipeline_of_a_name_is_dropped() -> None:
    entry = "[[pipeline]]\nname='p'\nvert='a'\nfrag='b'\n"
    project = parse_project_file(entry * 2, PLACE)
    assert len(project.pipelines) == 1
    assert "already" in project.problems[0].message


def test_unreadable_file_is_a_problem_not_an_exception(tmp_path: Path) -> None:
    (tmp_path / "nirls.toml").write_bytes(b"\xff\xfe")
    assert read_project_file(tmp_path / "nirls.toml").problems
    assert read_project_file(tmp_path / "missing.toml").problems


def test_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "nirls.toml").touch()
    assert find_project_file(folder) == tmp_path / "nirls.toml"
    (folder / "nirls.toml").touch()
    assert find_project_file(folder / "x.nir") == folder / "nirls.toml"


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "\udcff"])
def test_a_path_that_no_file_can_have_has_no_project_file(tmp_path: Path, name: str) -> None:
    assert find_project_file(tmp_path / name / "a.nir") is None
    (tmp_path / "nirls.toml").write_text("")
    assert find_project_file(tmp_path / name) == tmp_path / "nirls.toml"
