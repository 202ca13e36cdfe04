"""The extension's settings name the passes and findings that there are."""

from __future__ import annotations

import json

from nirls.passes import registry
from nirls.server.engine.settings.client_settings import EDITOR_SETTINGS
from tools.vscode_settings import PACKAGE, updated


def test_the_manifest_is_up_to_date() -> None:
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    assert updated(package, registry.all_passes()) == package, "run python -m tools.vscode_settings"


def test_a_pass_more_is_a_setting_more() -> None:
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    few = tuple(one for one in registry.all_passes() if one.name == "opt_varyings")
    properties = updated(package, few)["contributes"]["configuration"]["properties"]
    assert list(properties["nirls.passes"]["properties"]) == ["opt_varyings"]
    assert "packing" in properties["nirls.severity"]["properties"]
    assert "movable-discard" not in properties["nirls.severity"]["properties"]


def test_every_switch_is_a_setting() -> None:
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    properties = updated(package, ())["contributes"]["configuration"]["properties"]
    for setting in EDITOR_SETTINGS:
        assert properties[f"nirls.{setting.key}"]["default"] is setting.default
