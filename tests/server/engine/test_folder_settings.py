"""Which settings a file has."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.server.engine.editor_settings import INLAY_CONVERGENCE
from nirls.server.engine.folder_settings import ClientSettings, FolderSettings


def named(code: str) -> ClientSettings:
    return ClientSettings.of({"severity": {code: "error"}, "inlayHints": {"convergence": True}})


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (None, "general"),
        ("/elsewhere/x.nir", "general"),
        ("/a/x.nir", "a"),
        ("/a/b/x.nir", "b"),
        ("/a/b/c/x.nir", "b"),
        ("/ab/x.nir", "general"),
        ("/a", "a"),
    ],
)
def test_the_innermost_folder_counts(path: str | None, expected: str) -> None:
    settings = FolderSettings(named("general"), {Path("/a"): named("a"), Path("/a/b"): named("b")})
    found = settings.of(None if path is None else Path(path))
    assert found.checks.severities == {expected: Severity.ERROR}
    assert found.editor.is_on(INLAY_CONVERGENCE)


@pytest.mark.parametrize("section", [None, 3, [], {"severity": 3}])
def test_what_is_malformed_says_nothing(section: object) -> None:
    assert ClientSettings.of(section).checks == ClientSettings().checks
