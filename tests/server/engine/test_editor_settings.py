"""Switches, as a client says them."""

from __future__ import annotations

import pytest

from nirls.server.engine.editor_settings import (
    EDITOR_SETTINGS,
    INLAY_CONSTANTS,
    INLAY_CONVERGENCE,
    WORKSPACE_DIAGNOSTICS,
    EditorSettings,
)


@pytest.mark.parametrize(
    "section", [None, {}, [], "x", {"inlayHints": 5}, {"inlayHints": {"constants": "no"}}]
)
def test_what_nobody_set_is_as_declared(section: object) -> None:
    settings = EditorSettings.of(section)
    assert all(settings.is_on(setting) is setting.default for setting in EDITOR_SETTINGS)
    assert settings == EditorSettings.of({})


def test_what_somebody_set() -> None:
    settings = EditorSettings.of(
        {"inlayHints": {"constants": False, "convergence": True}, "workspaceDiagnostics": False}
    )
    assert not settings.is_on(INLAY_CONSTANTS)
    assert settings.is_on(INLAY_CONVERGENCE)
    assert not settings.is_on(WORKSPACE_DIAGNOSTICS)
