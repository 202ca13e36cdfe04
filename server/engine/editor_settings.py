"""What a user may switch in an editor, besides what each pass finds: declared here, once.

`tools.vscode_settings` makes the settings of the VS Code extension of these; in every editor they stand in
the section `nirls`: `{"inlayHints": {"convergence": true}}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EditorSetting:
    """A switch: its name in the section, with dots, and what it does, as Markdown."""

    key: str
    default: bool
    description: str


INLAY_CONSTANTS = EditorSetting(
    "inlayHints.constants",
    True,
    "Show what constants the numbers in a line stand for, in dumps that do not print it themselves "
    "(Mesa before 23.3).",
)
INLAY_CONVERGENCE = EditorSetting(
    "inlayHints.convergence",
    False,
    "Show `con` or `div` ahead of every value, for a subgroup, where the dump does not print it.",
)
INLAY_VARYINGS = EditorSetting(
    "inlayHints.varyings",
    True,
    "Show behind a load of a varying where its value comes from, and behind a store who reads it.",
)
WORKSPACE_DIAGNOSTICS = EditorSetting(
    "workspaceDiagnostics",
    True,
    "Check the `*.nir` files of the workspace folders that are not open, too.",
)
EVERY_SNAPSHOT = EditorSetting(
    "everySnapshot",
    True,
    "In a log, let the passes look at every dump of a shader. Otherwise they look at the last of those that "
    "follow each other, which is also the one that is linked.",
)

EDITOR_SETTINGS = (INLAY_CONSTANTS, INLAY_CONVERGENCE, INLAY_VARYINGS, WORKSPACE_DIAGNOSTICS, EVERY_SNAPSHOT)


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The switches as they are; those that nobody set are as declared."""

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
