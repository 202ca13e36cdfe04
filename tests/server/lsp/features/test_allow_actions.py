"""Actions that switch findings off; those with comments are tested with the other code actions."""

from __future__ import annotations

import tomllib

import pytest

from nirls.server.lsp.features.allow_actions import with_severity_off


@pytest.mark.parametrize(
    "text",
    [
        "",
        'driver = "radv"\n',
        '[severity]\npacking = "hint"\n\n[passes]\nopt_dce = true\n',
        '[severity]\ndead-output = "error" # a remark\npacking = "hint"\n',
        "[passes]\nopt_dce = true",
    ],
)
def test_a_severity_is_switched_off_in_any_project_file(text: str) -> None:
    start, end, new_text = with_severity_off(text, "dead-output")
    expected = tomllib.loads(text)
    expected.setdefault("severity", {})["dead-output"] = "off"
    assert tomllib.loads(text[:start] + new_text + text[end:]) == expected
