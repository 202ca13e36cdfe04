"""Settings of the client: its `nirls` section, general or of a workspace folder.

    {"validation": {"enable": true},
     "passes": {"opt_varyings": "hint", "inline_uniforms": "off", "opt_dce": true},
     "severity": {"dead-output": "warning"},
     "options": {"opt_varyings": {"NAME": "VALUE"}},
     "driver": "radv",
     "profile": "quiet",
     "fixAll": {"wholePipeline": true},
     "everySnapshot": false}

Malformed values are left out, and are problems that the server tells the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nirls.ir.finding import Severity
from nirls.ir.validation import KINDS
from nirls.passes.declaration import OptionValue
from nirls.passes.varyings.interface.driver_profiles import DETECT, NAMES
from nirls.server.engine.checks.check_settings import (
    CheckSettings,
    Profile,
    severities_of_passes,
    switches_of_passes,
)
from nirls.server.engine.settings.structuring import ConfigProblem, converter, structure


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
RUN_LENSES = EditorSetting(
    "codeLens.run",
    True,
    "Show *Run* above each `impl`: it runs the shader and shows the value of each definition.",
)

EDITOR_SETTINGS = (
    *(INLAY_CONSTANTS, INLAY_CONVERGENCE, INLAY_VARYINGS),
    *(WORKSPACE_DIAGNOSTICS, EVERY_SNAPSHOT, REPEATED_FINDINGS),
    *(FIX_WHOLE_PIPELINE, BLAME_LENSES, RUN_LENSES),
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


def _check_settings(section: object, editor: EditorSettings) -> tuple[CheckSettings, list[ConfigProblem]]:
    given, problems = structure(section, _Section, converter(forbid_extra_keys=False))
    severities: dict[str, Severity] = {}
    if not given.validation.enable:
        severities.update(dict.fromkeys(KINDS, Severity.OFF))
    settings = CheckSettings(
        {**severities, **severities_of_passes(given.passes), **given.severity},
        switches_of_passes(given.passes),
        given.options,
        editor.is_on(EVERY_SNAPSHOT),
        editor.is_on(REPEATED_FINDINGS),
        given.profile,
    )
    if given.driver not in (DETECT, *NAMES):
        problems.append(ConfigProblem(f"must be one of {', '.join((DETECT, *NAMES))}", "driver"))
    return settings.with_driver(given.driver if given.driver in NAMES else DETECT), problems


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """One `nirls` section: settings of the checks and of the editor."""

    checks: CheckSettings = field(default_factory=CheckSettings)
    editor: EditorSettings = field(default_factory=lambda: EditorSettings({}))
    problems: tuple[ConfigProblem, ...] = ()

    @classmethod
    def of(cls, section: object) -> ClientSettings:
        """Read the settings from a client's section of any type; malformed parts are left out and told."""
        editor = EditorSettings.of(section)
        checks, problems = _check_settings(section, editor)
        return cls(checks, editor, tuple(problems) if isinstance(section, Mapping) else ())


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """Settings by file: those of the innermost workspace folder that contains it, else the general ones."""

    general: ClientSettings = field(default_factory=ClientSettings)
    folders: Mapping[Path, ClientSettings] = field(default_factory=dict)

    def of(self, path: Path | None) -> ClientSettings:
        """Return the settings of a file; the general ones for None (a text without a file)."""
        around = [] if path is None else [folder for folder in self.folders if path.is_relative_to(folder)]
        return self.folders[max(around, key=lambda folder: len(folder.parts))] if around else self.general
