"""Settings as editors send them, good and bad."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Severity
from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.client_settings import check_settings_of


def test_a_pass_has_a_severity_or_is_off() -> None:
    settings = check_settings_of(
        {"passes": {"opt_varyings_dead_io": "error", "opt_dce": "off", "opt_cse": True, "unheard_of": "hint"}}
    )
    assert settings.passes == {
        "opt_varyings_dead_io": True,
        "opt_dce": False,
        "opt_cse": True,
        "unheard_of": True,
    }
    assert settings.severities["dead-output"] is Severity.ERROR


def test_a_severity_of_one_kind_comes_before_that_of_its_pass() -> None:
    settings = check_settings_of(
        {"passes": {"opt_varyings_dead_io": "error"}, "severity": {"dead-output": "hint"}}
    )
    assert settings.severities["dead-output"] is Severity.HINT
    assert settings.severities["undefined-input"] is Severity.ERROR


def test_validation_can_be_switched_off() -> None:
    settings = check_settings_of({"validation": {"enable": False}})
    assert settings.severities["duplicate-value"] is Severity.OFF
    assert check_settings_of({"validation": {"enable": True}}).severities == {}


def test_options_are_taken_as_they_are() -> None:
    assert check_settings_of({"options": {"p": {"a": 1}, "q": 3}}).options == {"p": {"a": 1}}


@pytest.mark.parametrize(
    "section", [None, [], "text", 3, {"passes": 1}, {"passes": {"a": 7}}, {"severity": {"a": "loud"}}]
)
def test_nonsense_means_the_defaults(section: object) -> None:
    assert check_settings_of(section) == CheckSettings()
