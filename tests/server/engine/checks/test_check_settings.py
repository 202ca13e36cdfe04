from __future__ import annotations

from pathlib import Path

from nirls.ir.finding import Severity
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.settings.project_file import ProjectFile
from tests.passes.shader_text import ONE, ZERO, shader, store

PAIR = [shader("VERTEX", ZERO, ONE, store("VAR0")), shader("FRAGMENT", ZERO)]


def test_settings_go_over_settings() -> None:
    base = CheckSettings({"a": Severity.HINT, "b": Severity.HINT}, {"p": False}, {"p": {"x": 1, "y": 2}})
    over = CheckSettings({"a": Severity.ERROR}, {"q": True}, {"p": {"y": 3}, "q": {"z": 4}})
    both = over.over(base)
    assert both.severities == {"a": Severity.ERROR, "b": Severity.HINT}
    assert both.passes == {"p": False, "q": True}
    assert both.options == {"p": {"x": 1, "y": 3}, "q": {"z": 4}}


def test_project_file_gives_settings() -> None:
    project = ProjectFile(Path("nirls.toml"), passes={"p": False})
    assert CheckSettings.of_project(project).passes == {"p": False}
    assert CheckSettings.of_project(None) == CheckSettings()
