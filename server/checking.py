"""The findings of dumps and pipelines: what the command line and the language server both show."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from nirls.ir.shader import Shader
from nirls.ir.span import Span
from nirls.ir.validation.catalogue import KINDS
from nirls.ir.validation.problem import Problem
from nirls.passes import registry
from nirls.passes.finding import Finding, FindingCode, Place, Related, Severity
from nirls.passes.options import OptionError, resolve_options
from nirls.passes.registry import Pass
from nirls.server.project_file import ProjectFile

MOST_OF_ONE_CODE = 100
"""How many problems of one kind are shown for one dump: a broken brace can make one of every line."""

PASS_FAILED = FindingCode("pass-failed", "Pass that could not be run", Severity.INFORMATION)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What to look for: severities by code, passes switched on or off, options by pass."""

    severities: Mapping[str, Severity] = field(default_factory=dict)
    passes: Mapping[str, bool] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)

    @classmethod
    def of_project(cls, project: ProjectFile | None) -> CheckSettings:
        """The settings of a `nirls.toml`, the defaults without one."""
        if project is None:
            return cls()
        return cls(project.severities, project.passes, project.options)

    def over(self, base: CheckSettings) -> CheckSettings:
        """These settings where they say something, those of `base` where they do not."""
        names = {**base.options, **self.options}
        return CheckSettings(
            {**base.severities, **self.severities},
            {**base.passes, **self.passes},
            {name: {**base.options.get(name, {}), **self.options.get(name, {})} for name in names},
        )

    def is_on(self, declared: Pass) -> bool:
        return self.passes.get(declared.name, declared.default)


def text_findings(shader: Shader, settings: CheckSettings) -> list[Finding]:
    """What validation says about one dump, unreadable lines and errors that Mesa printed included."""
    return _adjusted(_text_findings(shader), settings)


def shader_pass_findings(shader: Shader, settings: CheckSettings) -> list[Finding]:
    """What the passes on single shaders say about one dump."""
    return _adjusted(_pass_findings([shader], "shader", settings), settings)


def pipeline_pass_findings(shaders: Sequence[Shader], settings: CheckSettings) -> list[Finding]:
    """What the passes on pipelines say about linked dumps, given in pipeline order."""
    return _adjusted(_pass_findings(shaders, "pipeline", settings), settings)


@cache
def validation_code(code: str) -> FindingCode:
    """The kind of finding that a validation problem of that code becomes."""
    kind = KINDS.get(code)
    if kind is None:
        return FindingCode(code, code.replace("-", " ").capitalize(), Severity.ERROR)
    return FindingCode(kind.code, kind.title, Severity(kind.severity))


def finding_codes(passes: Iterable[Pass]) -> dict[str, FindingCode]:
    """Every kind of finding there is with these passes, by its code, in the order of documentation."""
    codes = [validation_code(code) for code in KINDS]
    codes += [code for declared in passes for code in declared.codes]
    codes.append(PASS_FAILED)
    return {code.code: code for code in codes}


def problems_of_settings(settings: CheckSettings) -> list[str]:
    """Names in the settings that mean nothing, and options that a pass cannot take, as messages."""
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
            resolve_options(passes[name], given)
        except OptionError as error:
            problems.append(f"options.{name}: {error}")
    return problems


def _adjusted(findings: Iterable[Finding], settings: CheckSettings) -> list[Finding]:
    adjusted = []
    for finding in findings:
        severity = settings.severities.get(finding.code.code)
        result = finding if severity is None else replace(finding, severity=severity)
        if result.effective_severity is not Severity.OFF:
            adjusted.append(result)
    return adjusted


def _text_findings(shader: Shader) -> Iterator[Finding]:
    from nirls.ir.validation import validate

    shown: Counter[str] = Counter()
    left_out: dict[str, list[Problem]] = {}
    for problem in validate(shader):
        shown[problem.code] += 1
        if shown[problem.code] > MOST_OF_ONE_CODE:
            left_out.setdefault(problem.code, []).append(problem)
            continue
        yield Finding(
            validation_code(problem.code),
            Place(shader, problem.span),
            problem.message,
            severity=Severity(problem.severity),
            related=tuple(Related(Place(shader, span), message) for span, message in problem.related),
        )
    for code, problems in left_out.items():
        first = problems[0]
        message = f"{first.message}; {len(problems) - 1} more of this kind are not shown"
        severity = Severity(first.severity)
        yield Finding(validation_code(code), Place(shader, first.span), message, severity=severity)


def _pass_findings(shaders: Sequence[Shader], scope: str, settings: CheckSettings) -> Iterator[Finding]:
    for declared in registry.all_passes():
        if declared.scope != scope or not settings.is_on(declared):
            continue
        if scope == "shader" and not declared.applies_to(shaders[0].stage):
            continue
        yield from _findings_of(declared, shaders, settings)


def _findings_of(declared: Pass, shaders: Sequence[Shader], settings: CheckSettings) -> list[Finding]:
    """A pass may be another package's, or meet a dump that nobody thought of: it must not take all down."""
    try:
        options = resolve_options(declared, settings.options.get(declared.name, {}))
        find = declared.find
        return [] if find is None else list(find(shaders, options))
    except Exception as error:
        _log.exception("pass %s failed", declared.name)
        place = Place(shaders[0], Span(0, min(len(shaders[0].source), 7), 0))
        message = f"{declared.name} could not be run: {type(error).__name__}: {error}"
        return [Finding(PASS_FAILED, place, message, declared.name)]
