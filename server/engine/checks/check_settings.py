"""Settings of the checks: severities, enabled passes, their options, and the profile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from nirls.ir.finding import Finding, Severity
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.varyings.interface.driver_profiles import DETECT
from nirls.server.engine.documents.document_driver import document_driver
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.project_file import ProjectFile

PASSES_WITH_DRIVER = ("opt_varyings_dead_io", "opt_varyings", "link_summary", "link_potential")
"""Names of the passes with the option `driver`."""


class Profile(StrEnum):
    """The findings that are reported unless a setting of a pass or a finding says otherwise.

    `quiet` leaves out hints, which are for your knowledge. `everything` also runs the passes that are off by
    default, and shows a finding on every snapshot of a log.
    """

    QUIET = "quiet"
    NORMAL = "normal"
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """Settings of the checks: severities by code, enabled passes, options by pass.

    `every_snapshot`: whether shader passes run on all successive snapshots of a shader in a log, or on the
    last one only. `repeated`: whether a finding is shown on every snapshot in which it holds, or on the
    newest one only.
    """

    severities: Mapping[str, Severity] = field(default_factory=dict)
    passes: Mapping[str, bool] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    every_snapshot: bool = True
    repeated: bool = False
    profile: Profile = Profile.NORMAL

    @classmethod
    def of_project(cls, project: ProjectFile | None) -> CheckSettings:
        """Settings of a `nirls.toml`; the defaults for None."""
        if project is None:
            return cls()
        settings = cls(
            {**severities_of_passes(project.passes), **project.severities},
            switches_of_passes(project.passes),
            project.options,
            profile=Profile(project.profile),
        )
        return settings.with_driver(project.driver)

    def over(self, base: CheckSettings) -> CheckSettings:
        """Merge two settings: these override those of `base`, except with the profile `normal`."""
        names = {**base.options, **self.options}
        return CheckSettings(
            {**base.severities, **self.severities},
            {**base.passes, **self.passes},
            {name: {**base.options.get(name, {}), **self.options.get(name, {})} for name in names},
            base.every_snapshot and self.every_snapshot,
            base.repeated or self.repeated,
            base.profile if self.profile is Profile.NORMAL else self.profile,
        )

    def with_driver(self, name: str) -> CheckSettings:
        """Add a driver profile for the passes whose options do not name one; `detect` adds none."""
        if name == DETECT:
            return self
        options = {one: {"driver": name, **self.options.get(one, {})} for one in PASSES_WITH_DRIVER}
        return replace(self, options={**self.options, **options})

    def for_document(self, document: Document) -> CheckSettings:
        """Add the driver profile that a document gives away, unless the settings name one."""
        found = document_driver(document)
        return self if found is None else self.with_driver(found.profile.name)

    def is_on(self, declared: type[Pass]) -> bool:
        """Whether the findings of a pass are wanted."""
        return self.passes.get(declared.name, declared.default or self.profile is Profile.EVERYTHING)

    def severity_of(self, code: str, severity: Severity) -> Severity:
        """Return the severity of a finding that has `severity` without settings."""
        is_left_out = self.profile is Profile.QUIET and severity is Severity.HINT
        return self.severities.get(code, Severity.OFF if is_left_out else severity)

    @property
    def shows_repeated(self) -> bool:
        """Whether a finding is shown on every snapshot in which it holds."""
        return self.repeated or self.profile is Profile.EVERYTHING


def severities_of_passes(passes: Mapping[str, bool | Severity]) -> dict[str, Severity]:
    """Return the severities by code of the findings of passes whose setting is a severity."""
    severities: dict[str, Severity] = {}
    for name, word in passes.items():
        if isinstance(word, Severity) and word is not Severity.OFF:
            declared = registry.find(name)
            severities.update({code.code: word for code in declared.codes} if declared else {})
    return severities


def switches_of_passes(passes: Mapping[str, bool | Severity]) -> dict[str, bool]:
    """Return which passes their settings switch on and off: a severity other than `off` switches one on."""
    return {
        name: word is not Severity.OFF if isinstance(word, Severity) else word
        for name, word in passes.items()
    }


def adjusted(findings: Iterable[Finding], settings: CheckSettings) -> list[Finding]:
    """Apply the severities of the settings to findings and drop those that are off."""
    wanted = []
    for finding in findings:
        severity = settings.severity_of(finding.code, finding.severity)
        if severity is not Severity.OFF:
            wanted.append(finding if severity is finding.severity else replace(finding, severity=severity))
    return wanted
