"""Boolean editor settings, except those of passes.

`tools.vscode_settings` generates the settings of the VS Code extension from them. In every editor they are in
the section `nirls`: `{"inlayHints": {"convergence": true}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorSetting:
    """A boolean setting: its dotted key in the section, and its description as Markdown."""

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
    """Values of the settings by key; the default applies to missing keys."""

    values: Mapping[str, bool]

    @classmethod
    def of(cls, section: object) -> EditorSettings:
        """Read the settings from a client's section of any type; values that are not booleans are ignored."""
        return cls({setting.key: _given(section, setting) for setting in EDITOR_SETTINGS})

    def is_on(self, setting: EditorSetting) -> bool:
        """Whether a setting is on."""
        return self.values.get(setting.key, setting.default)


def _given(section: object, setting: EditorSetting) -> bool:
    value: object = section
    for name in setting.key.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value if isinstance(value, bool) else setting.default
