"""Settings as editors send them, good and bad."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.server.engine.checks.check_settings import CheckSettings, Profile
from nirls.server.engine.settings.client_settings import (
    EDITOR_SETTINGS,
    INLAY_CONSTANTS,
    INLAY_CONVERGENCE,
    WORKSPACE_DIAGNOSTICS,
    ClientSettings,
    EditorSettings,
    FolderSettings,
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


def test_a_pass_has_a_severity_or_is_off() -> None:
    settings = ClientSettings.of(
        {"passes": {"opt_varyings_dead_io": "error", "opt_dce": "off", "opt_cse": True, "unheard_of": "hint"}}
    ).checks
    assert settings.passes == {
        "opt_varyings_dead_io": True,
        "opt_dce": False,
        "opt_cse": True,
        "unheard_of": True,
    }
    assert settings.severities["dead-output"] is Severity.ERROR


def test_a_severity_of_one_kind_comes_before_that_of_its_pass() -> None:
    settings = ClientSettings.of(
        {"passes": {"opt_varyings_dead_io": "error"}, "severity": {"dead-output": "hint"}}
    ).checks
    assert settings.severities["dead-output"] is Severity.HINT
    assert settings.severities["undefined-input"] is Severity.ERROR


def test_validation_can_be_switched_off() -> None:
    settings = ClientSettings.of({"validation": {"enable": False}}).checks
    assert settings.severities["duplicate-value"] is Severity.OFF
    assert ClientSettings.of({"validation": {"enable": True}}).checks.severities == {}


def test_options_are_taken_as_they_are() -> None:
    assert ClientSettings.of({"options": {"p": {"a": 1}, "q": 3}}).checks.options == {"p": {"a": 1}}


@pytest.mark.parametrize(
    "section", [None, [], "text", 3, {"passes": 1}, {"passes": {"a": 7}}, {"severity": {"a": "loud"}}]
)
def test_nonsense_means_the_defaults(section: object) -> None:
    assert ClientSettings.of(section).checks == CheckSettings()


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


@pytest.mark.parametrize(
    ("given", "profile"),
    [
        ("quiet", Profile.QUIET),
        ("everything", Profile.EVERYTHING),
        ("loud", Profile.NORMAL),
        (3, Profile.NORMAL),
    ],
)
def test_profile_is_one_of_the_enumeration(given: object, profile: Profile) -> None:
    assert ClientSettings.of({"profile": given}).checks.profile is profile
