"""What a user may switch in an editor, besides what each pass finds: declared here, once.

`tools.vscode_settings` makes the settings of the VS Code extension of these; in every editor they stand in
the section `nirls`: `{"inlayHints": {"convergence": true}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorSetting:
    """A switch: its key in the section, with dots, and its description as Markdown."""

    key: str
    default: bool
    description: str


INLAY_CONSTANTS = EditorSetting(
    "inlayHints.constants",
    True,
    "Show constants at their uses, in dumps that do not print them there (Mesa before 23.3).",
)
INLAY_CONVERGENCE = EditorSetting(
    "inlayHints.convergence",
    False,
    "Show `con` or `div` before each value, for a subgroup, in dumps that do not print it.",
)
INLAY_VARYINGS = EditorSetting(
    "inlayHints.varyings",
    True,
    "Show the stores that feed a varying load, and the loads that read a varying store, of linked stages.",
)
WORKSPACE_DIAGNOSTICS = EditorSetting(
    "workspaceDiagnostics",
    True,
    "Also check `*.nir` files of the workspace folders that are not open.",
)
EVERY_SNAPSHOT = EditorSetting(
    "everySnapshot",
    True,
    "In a log, run the passes on every snapshot of a shader. Otherwise they run on the last of successive "
    "snapshots only, which is the one that is linked.",
)

EDITOR_SETTINGS = (INLAY_CONSTANTS, INLAY_CONVERGENCE, INLAY_VARYINGS, WORKSPACE_DIAGNOSTICS, EVERY_SNAPSHOT)


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The values of the switches; the default where a value is not set."""

    values: Mapping[str, bool]

    @classmethod
    def of(cls, section: object) -> EditorSettings:
        """Of a section as it came from a client, whatever it is. What is no boolean is ignored."""
        return cls({setting.key: _given(section, setting) for setting in EDITOR_SETTINGS})

    def is_on(self, setting: EditorSetting) -> bool:
        """Whether a switch is on."""
        return self.values.get(setting.key, setting.default)


def _given(section: object, setting: EditorSetting) -> bool:
    value: object = section
    for name in setting.key.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, bool) else setting.default
