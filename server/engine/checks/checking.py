"""Findings of dumps and pipelines, as shown by the command line and the language server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from nirls.ir.finding import Finding, FindingCode, Place, Severity
from nirls.passes import registry
from nirls.passes.declaration import OptionError, Pass
from nirls.passes.varyings.interface.driver_profiles import DETECT
from nirls.server.engine.base.trace_text import trace_text
from nirls.server.engine.checks.finding_places import merged, narrowed
from nirls.server.engine.documents.allowances import UNUSED_ALLOWANCE
from nirls.server.engine.documents.document_driver import document_driver
from nirls.server.engine.documents.workspace import Document
from nirls.server.engine.settings.project_file import ProjectFile
from nirls.server.engine.worker import steps

if TYPE_CHECKING:
    from nirls.ir.model.shader import Shader

MOST_OF_ONE_CODE = 100
"""Findings of one code shown per dump; a missing brace can cause one per line."""

_HEAD = re.compile(rb"^shader:", re.MULTILINE)

PASSES_WITH_DRIVER = ("opt_varyings_dead_io", "opt_varyings", "link_summary", "link_potential")
"""Names of the passes with the option `driver`."""

PASS_FAILED = FindingCode("pass-failed", "Pass that could not be run", Severity.INFORMATION)
DIFFERENT_SNAPSHOT = FindingCode(
    "different-snapshot", "Snapshot that computes something else", Severity.WARNING
)
"""Reported by the verification of a log, not by a check."""


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
        settings = cls(project.severities, project.passes, project.options, profile=Profile(project.profile))
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


@dataclass(frozen=True, slots=True)
class FailedPass:
    """A pass that raised, with the exception and its traceback."""

    name: str
    detail: str
    trace: str
    is_out_of_memory: bool = False

    @classmethod
    def of(cls, name: str, error: Exception) -> FailedPass:
        """Create the failure of a pass from its exception."""
        is_out_of_memory = isinstance(error, MemoryError)
        detail = "it took too much memory" if is_out_of_memory else f"{type(error).__name__}: {error}"
        return cls(name, detail, trace_text(error), is_out_of_memory)


def text_findings(shader: Shader, settings: CheckSettings) -> list[Finding]:
    """Validation findings of one dump, including unparsable lines and errors printed by Mesa."""
    from nirls.ir.validation import validate

    sources = [shader.source]
    return adjusted(_limited(merged(narrowed(validate(shader), sources), sources)), settings)


def is_for_unlinked(pass_name: str) -> bool:
    """Whether findings of a pass in one dump are valid only if that dump is not linked."""
    declared = registry.find(pass_name)
    return declared is not None and declared.alone


def findings_of_passes(
    shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass], *, is_linked: bool = False
) -> list[Finding]:
    """Findings of pipeline passes on linked dumps, or of shader passes on one dump.

    For one dump that `is_linked` with others, passes whose findings are valid for unlinked dumps only are
    not run. A pass that raises yields a `pass-failed` finding and an entry in `failed`.
    """
    scope = "shader" if len(shaders) == 1 else "pipeline"
    sources = [shader.source for shader in shaders]
    found = narrowed(_pass_findings(shaders, scope, settings, failed, is_linked), sources)
    return adjusted(merged(found, sources), settings)


def finding_codes(passes: Iterable[type[Pass]]) -> dict[str, FindingCode]:
    """All finding codes available with these passes, by code, in documentation order."""
    from nirls.ir.validation.catalogue import KINDS

    of_passes = (code for declared in passes for code in declared.codes)
    codes = [*KINDS.values(), *of_passes, PASS_FAILED, DIFFERENT_SNAPSHOT, UNUSED_ALLOWANCE]
    return {code.code: code for code in codes}


def judged_codes(settings: CheckSettings, *, is_linked: bool, is_analyzed: bool) -> dict[str, bool]:
    """Return all codes, with whether a check under these settings could report them in a dump.

    `is_linked`: the dump is in a pipeline; `is_analyzed`: passes of scope "shader" ran on it.
    """
    passes = registry.all_passes()
    judged = {
        code: settings.severity_of(code, kind.severity) is not Severity.OFF
        for code, kind in finding_codes(passes).items()
    }
    for declared in passes:
        ran = is_linked if declared.scope == "pipeline" else is_analyzed
        ran |= declared.alone and is_analyzed and not is_linked
        if not ran or not settings.is_on(declared):
            judged.update({code.code: False for code in declared.codes})
    judged.update({code.code: False for code in (PASS_FAILED, DIFFERENT_SNAPSHOT)})
    return judged


def problems_of_settings(settings: CheckSettings) -> list[str]:
    """Messages about unknown names in the settings and invalid pass options."""
    if not (settings.severities or settings.passes or settings.options):
        return []  # the usual case; avoids importing the passes
    passes = {declared.name: declared for declared in registry.all_passes()}
    codes = finding_codes(passes.values())
    problems = [
        f"severity.{code}: there is no such finding" for code in settings.severities if code not in codes
    ]
    problems += [f"passes.{name}: there is no such pass" for name in settings.passes if name not in passes]
    for name, given in settings.options.items():
        if name not in passes:
            problems.append(f"options.{name}: there is no such pass")
            continue
        try:
            passes[name].with_options(given)
        except OptionError as error:
            problems.append(f"options.{name}: {error}")
    return problems


def adjusted(findings: Iterable[Finding], settings: CheckSettings) -> list[Finding]:
    """Apply the severities of the settings to findings and drop those that are off."""
    wanted = []
    for finding in findings:
        severity = settings.severity_of(finding.code, finding.severity)
        if severity is not Severity.OFF:
            wanted.append(finding if severity is finding.severity else replace(finding, severity=severity))
    return wanted


def _limited(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield up to `MOST_OF_ONE_CODE` findings of each code, then one that states how many were omitted."""
    shown: Counter[str] = Counter()
    left_out: dict[str, list[Finding]] = {}
    for finding in findings:
        shown[finding.code] += 1
        if shown[finding.code] > MOST_OF_ONE_CODE:
            left_out.setdefault(finding.code, []).append(finding)
            continue
        yield finding
    for first, *others in left_out.values():
        yield replace(
            first, message=f"{first.message}; {len(others)} more of this kind are not shown", related=()
        )


def _pass_findings(
    shaders: Sequence[Shader],
    scope: str,
    settings: CheckSettings,
    failed: list[FailedPass],
    is_linked: bool,
) -> Iterator[Finding]:
    for declared in registry.all_passes():
        takes_alone = declared.alone and scope == "shader" and not is_linked
        if (declared.scope != scope and not takes_alone) or not settings.is_on(declared):
            continue
        if not declared.applies_to(shaders):
            continue
        yield from _findings_of(declared, shaders, settings, failed)


def _findings_of(
    declared: type[Pass], shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass]
) -> list[Finding]:
    """Run the finder of one pass; an exception becomes a finding, so that other passes still run."""
    steps.begin(declared.name)
    try:
        found = declared.with_options(settings.options.get(declared.name, {})).find(shaders)
        return [replace(one, pass_name=declared.name) for one in found]
    except Exception as error:
        failed.append(FailedPass.of(declared.name, error))
        message = could_not_be_run(declared.name, failed[-1].detail)
        return [failure_finding(shaders[0].source, declared.name, message)]


def could_not_be_run(pass_name: str, detail: str) -> str:
    """Message about a pass that raised."""
    return f"{pass_name} could not be run: {detail}"


def failure_finding(text: bytes, pass_name: str, message: str) -> Finding:
    """`pass-failed` finding at the head of the dump."""
    return replace(PASS_FAILED.at(head_of(text), message), pass_name=pass_name)


def head_of(text: bytes, dump: int = 0) -> Place:
    """Return the place of the word `shader:` of a dump, which may be below `// nirls:` lines."""
    found = _HEAD.search(text)
    return Place(dump, 0, 0) if found is None else Place(dump, found.start(), found.end())
