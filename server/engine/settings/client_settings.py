"""Settings of the client: its `nirls` section, general or of a workspace folder.

    {"validation": {"enable": true},
     "passes": {"opt_varyings": "hint", "inline_uniforms": "off", "opt_dce": true},
     "severity": {"dead-output": "warning"},
     "options": {"opt_varyings": {"NAME": "VALUE"}},
     "driver": "radv",
     "profile": "quiet",
     "fixAll": {"wholePipeline": true},
     "everySnapshot": false}

Malformed values are ignored: the editor reports errors in its settings itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cattrs import Converter

from nirls.ir.finding import Severity
from nirls.ir.validation import KINDS
from nirls.passes import registry
from nirls.passes.declaration import OptionValue
from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES
from nirls.server.engine.checks.check_settings import CheckSettings, Profile
from nirls.server.engine.settings.structuring import converter, structure


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
REPEATED_FINDINGS = EditorSetting(
    "repeatedFindings",
    False,
    "In a log, show a finding on every snapshot in which it holds. Otherwise it is shown on the newest one "
    "only.",
)
FIX_WHOLE_PIPELINE = EditorSetting(
    "fixAll.wholePipeline",
    False,
    "`source.fixAll.nirls`, on save too, also changes the linked stages in other files, and saves them. "
    "Otherwise it applies only fixes within the file.",
)
BLAME_LENSES = EditorSetting(
    "codeLens.blame",
    False,
    "In a log, show above the instructions of the last snapshot of each shader which pass changed them last.",
)

EDITOR_SETTINGS = (
    *(INLAY_CONSTANTS, INLAY_CONVERGENCE, INLAY_VARYINGS),
    *(WORKSPACE_DIAGNOSTICS, EVERY_SNAPSHOT, REPEATED_FINDINGS),
    *(FIX_WHOLE_PIPELINE, BLAME_LENSES),
)


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


@dataclass(frozen=True, slots=True)
class _Validation:
    enable: bool = True


@dataclass(frozen=True, slots=True)
class _Section:
    """The raw section. The value of a pass is a boolean, or the severity of its findings."""

    validation: _Validation = _Validation()
    passes: dict[str, bool | Severity] = field(default_factory=dict)
    severity: dict[str, Severity] = field(default_factory=dict)
    options: dict[str, dict[str, OptionValue]] = field(default_factory=dict)
    driver: str = DETECT
    profile: Profile = Profile.NORMAL


def _check_settings(section: object, editor: EditorSettings) -> CheckSettings:
    given, _ = structure(section, _Section, _converter())
    severities: dict[str, Severity] = {}
    if not given.validation.enable:
        severities.update(dict.fromkeys(KINDS, Severity.OFF))
    for name, word in given.passes.items():
        declared = registry.find(name) if isinstance(word, Severity) and word is not Severity.OFF else None
        if declared is not None and isinstance(word, Severity):
            severities.update({code.code: word for code in declared.codes})
    passes = {
        name: word if isinstance(word, bool) else word is not Severity.OFF
        for name, word in given.passes.items()
    }
    settings = CheckSettings(
        {**severities, **given.severity},
        passes,
        given.options,
        editor.is_on(EVERY_SNAPSHOT),
        editor.is_on(REPEATED_FINDINGS),
        given.profile,
    )
    return settings.with_driver(given.driver if given.driver in NAMES else DETECT)


@cache
def _converter() -> Converter:
    made = converter(forbid_extra_keys=False)
    made.register_structure_hook(
        bool | Severity,
        lambda value, _: value if isinstance(value, bool) else made.structure(value, Severity),
    )
    return made


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """One `nirls` section: settings of the checks and of the editor."""

    checks: CheckSettings = field(default_factory=CheckSettings)
    editor: EditorSettings = field(default_factory=lambda: EditorSettings({}))

    @classmethod
    def of(cls, section: object) -> ClientSettings:
        """Read the settings from a client's section of any type; malformed parts are ignored."""
        editor = EditorSettings.of(section)
        return cls(_check_settings(section, editor), editor)


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """Settings by file: those of the innermost workspace folder that contains it, else the general ones."""

    general: ClientSettings = field(default_factory=ClientSettings)
    folders: Mapping[Path, ClientSettings] = field(default_factory=dict)

    def of(self, path: Path | None) -> ClientSettings:
        """Return the settings of a file; the general ones for None (a text without a file)."""
        around = [] if path is None else [folder for folder in self.folders if path.is_relative_to(folder)]
        return self.folders[max(around, key=lambda folder: len(folder.parts))] if around else self.general
