from __future__ import annotations

import pytest

from nirls.ir.finding import Place, Severity
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.passes.declaration import option
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.dump_findings import (
    MOST_OF_ONE_CODE,
    FailedPass,
    findings_of_passes,
    head_of,
    text_findings,
)
from tests.declared_pass import declare, failing
from tests.passes.shader_text import ONE, ZERO, shader, shader_text, store

PAIR = [shader("VERTEX", ZERO, ONE, store("VAR0")), shader("FRAGMENT", ZERO)]


def test_validation_becomes_findings() -> None:
    broken = parse_dump(shader_text("FRAGMENT", "32    %1 = fneg %9", "?!?").encode())
    found = text_findings(broken, CheckSettings())
    codes = {finding.code: finding for finding in found}
    assert {"undefined-value", "syntax"} <= set(codes)
    assert codes["undefined-value"].severity is Severity.ERROR
    assert codes["undefined-value"].pass_name == ""


def test_severities_are_adjusted_and_off_is_off() -> None:
    def severities(word: Severity) -> list[Severity]:
        settings = CheckSettings(severities={"dead-output": word})
        return [finding.severity for finding in findings_of_passes(PAIR, settings, [])]

    assert severities(Severity.HINT) == [Severity.HINT]
    assert severities(Severity.OFF) == []


def test_pass_can_be_switched_off() -> None:
    assert len(findings_of_passes(PAIR, CheckSettings(), [])) == 1
    off = CheckSettings(passes={"opt_varyings_dead_io": False})
    assert findings_of_passes(PAIR, off, []) == []


def test_pass_that_fails_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = declare("mine", find=failing, options={"x": option(1, "")})
    monkeypatch.setattr(registry, "all_passes", lambda: (mine,))
    failed: list[FailedPass] = []
    (finding,) = findings_of_passes([PAIR[0]], CheckSettings(), failed)
    assert [(one.name, "RuntimeError" in one.trace) for one in failed] == [("mine", True)]
    assert finding.code == "pass-failed"
    assert "mine could not be run: RuntimeError" in finding.message
    (finding,) = findings_of_passes([PAIR[0]], CheckSettings(options={"mine": {"x": "many"}}), [])
    assert "option x takes a whole number" in finding.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"shader: MESA_SHADER_VERTEX\n", Place(2, 0, 7)),
        (b"// nirls: allow(dead-output) shader:\nshader: MESA_SHADER_VERTEX\n", Place(2, 37, 44)),
        (b"no dump\n", Place(2, 0, 0)),
    ],
)
def test_head_of_a_dump_is_below_its_directives(text: bytes, expected: Place) -> None:
    assert head_of(text, 2) == expected


def test_pass_for_other_stages_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    other = declare("mine", find=failing, stages=frozenset())
    monkeypatch.setattr(registry, "all_passes", lambda: (other,))
    assert findings_of_passes([PAIR[0]], CheckSettings(), []) == []


def test_many_problems_of_one_kind_are_counted_not_shown() -> None:
    lines = [f"32    %{number} = fneg %{9000 + number}" for number in range(250)]
    found = text_findings(parse_dump(shader_text("FRAGMENT", *lines).encode()), CheckSettings())
    undefined = [finding for finding in found if finding.code == "undefined-value"]
    assert len(undefined) == MOST_OF_ONE_CODE + 1
    assert undefined[-1].message.endswith("149 more of this kind are not shown")
