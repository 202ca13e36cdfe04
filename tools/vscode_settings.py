"""The parts of the VS Code extension's settings that follow from the code: passes, findings, switches.

`python -m tools.vscode_settings` writes them into editors/vscode/package.json; a test says when to.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES
from nirls.server.engine.checks.check_settings import Profile
from nirls.server.engine.checks.finding_codes import finding_codes
from nirls.server.engine.settings.client_settings import EDITOR_SETTINGS, EditorSetting

PACKAGE = Path(__file__).resolve().parent.parent / "editors" / "vscode" / "package.json"
_SEVERITIES = ["off", "hint", "information", "warning", "error"]


def updated(package: dict[str, Any], passes: tuple[type[Pass], ...]) -> dict[str, Any]:
    """The manifest with `nirls.passes` and `nirls.severity` as these passes make them, and all switches.

    `nirls.driver` has the names of the driver profiles.
    """
    result: dict[str, Any] = json.loads(json.dumps(package))
    properties = result["contributes"]["configuration"]["properties"]
    reporting = [declared for declared in passes if declared.codes]
    properties["nirls.passes"]["properties"] = {
        declared.name: _choice(declared.summary + ".") for declared in reporting
    }
    properties["nirls.severity"] = {
        "type": "object",
        "default": {},
        "scope": "resource",
        "markdownDescription": "The severity of each kind of finding, or `off`; `nirls explain` lists them.",
        "properties": {code.code: _choice(code.title + ".") for code in finding_codes(reporting).values()},
        "additionalProperties": False,
        "order": 5,
    }
    properties["nirls.driver"] = {
        "type": "string",
        "enum": [DETECT, *NAMES],
        "default": DETECT,
        "scope": "resource",
        "markdownDescription": (
            "The Mesa driver whose profile the link-time passes follow; `detect`: by names in the log."
        ),
        "order": 6,
    }
    properties["nirls.profile"] = {
        "type": "string",
        "enum": [profile.value for profile in Profile],
        "enumDescriptions": [
            "Leaves out hints, which are for your knowledge.",
            "Follows `profile` of `nirls.toml`.",
            "Also runs the passes that are off by default, and shows findings on every snapshot of a log.",
        ],
        "default": Profile.NORMAL.value,
        "scope": "resource",
        "markdownDescription": (
            "How many findings are shown. `nirls.passes` and `nirls.severity` take precedence."
        ),
        "order": 4,
    }
    properties.update(
        {f"nirls.{setting.key}": _switch(setting, order) for order, setting in enumerate(EDITOR_SETTINGS, 10)}
    )
    return result


def _switch(setting: EditorSetting, order: int) -> dict[str, object]:
    return {
        "type": "boolean",
        "default": setting.default,
        "scope": "resource",
        "markdownDescription": setting.description,
        "order": order,
    }


def _choice(description: str) -> dict[str, object]:
    return {"type": "string", "enum": _SEVERITIES, "description": description}


def text_of(package: dict[str, Any]) -> str:
    """The manifest as it stands in the file."""
    return json.dumps(package, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    """Bring the manifest up to date."""
    package = json.loads(PACKAGE.read_text(encoding="utf-8"))
    PACKAGE.write_text(text_of(updated(package, registry.all_passes())), encoding="utf-8")


if __name__ == "__main__":
    main()
