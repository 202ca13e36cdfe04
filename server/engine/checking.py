"""The findings of dumps and pipelines: what the command line and the language server both show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.validation.catalogue import KINDS
from nirls.ir.validation.problem import Problem
from nirls.passes import registry
from nirls.passes.finding import Finding, FindingCode, Place, Related, Severity
from nirls.passes.options import OptionError, resolve_options
from nirls.passes.registry import Pass
from nirls.server.engine.project_file import ProjectFile
from nirls.server.engine.trace_text import trace_text
from nirls.server.engine.worker import steps

MOST_OF_ONE_CODE = 100
"""How many problems of one kind are shown for one dump: a broken brace can make one of every line."""

PASS_FAILED = FindingCode("pass-failed", "Pass that could not be run", Severity.INFORMATION)


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """What to look for: severities by code, passes switched on or off, options by pass.

    `every_snapshot` is whether the passes on single shaders look at all dumps of one shader in a row, as a
    log has them, or at the last alone.
    """

    severities: Mapping[str, Severity] = field(default_factory=dict)
    passes: Mapping[str, bool] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    every_snapshot: bool = True

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
            base.every_snapshot and self.every_snapshot,
        )

    def is_on(self, declared: Pass) -> bool:
        return self.passes.get(declared.name, declared.default)


@dataclass(frozen=True, slots=True)
class FailedPass:
    """A pass that raised: the exception, and where it did."""

    name: str
    detail: str
    trace: str
    is_out_of_memory: bool = False


def text_findings(shader: Shader, settings: CheckSettings) -> list[Finding]:
    """What validation says about one dump, unreadable lines and errors that Mesa printed included."""
    from nirls.ir.validation import validate

    return problem_findings(shader, validate(shader), settings)


def problem_findings(shader: Shader, problems: Iterable[Problem], settings: CheckSettings) -> list[Finding]:
    """Problems of a dump as findings, not too many of a kind."""
    return adjusted(_problem_findings(shader, problems), settings)


def is_for_unlinked(pass_name: str) -> bool:
    """Whether what a pass finds in one dump counts only where that is linked with nothing."""
    declared = registry.find(pass_name)
    return declared is not None and declared.alone


def findings_of_passes(
    shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass]
) -> list[Finding]:
    """What the passes on pipelines say about linked dumps, or those on single shaders about one.

    A pass that raises is a finding, and an entry of `failed`.
    """
    scope = "shader" if len(shaders) == 1 else "pipeline"
    return adjusted(_pass_findings(shaders, scope, settings, failed), settings)


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


def adjusted(findings: Iterable[Finding], settings: CheckSettings) -> list[Finding]:
    """The findings with the severities of the settings, without those that are off."""
    wanted = []
    for finding in findings:
        severity = settings.severities.get(finding.code.code)
        result = finding if severity is None else replace(finding, severity=severity)
        if result.effective_severity is not Severity.OFF:
            wanted.append(result)
    return wanted


def _problem_findings(shader: Shader, all_problems: Iterable[Problem]) -> Iterator[Finding]:
    shown: Counter[str] = Counter()
    left_out: dict[str, list[Problem]] = {}
    for problem in all_problems:
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


def _pass_findings(
    shaders: Sequence[Shader], scope: str, settings: CheckSettings, failed: list[FailedPass]
) -> Iterator[Finding]:
    for declared in registry.all_passes():
        takes_alone = declared.alone and scope == "shader"
        if (declared.scope != scope and not takes_alone) or not settings.is_on(declared):
            continue
        if scope == "shader" and not declared.applies_to(shaders[0].stage):
            continue
        yield from _findings_of(declared, shaders, settings, failed)


def _findings_of(
    declared: Pass, shaders: Sequence[Shader], settings: CheckSettings, failed: list[FailedPass]
) -> list[Finding]:
    """A pass may be another package's, or meet a dump that nobody thought of: it must not take all down."""
    steps.begin(declared.name)
    try:
        options = resolve_options(declared, settings.options.get(declared.name, {}))
        find = declared.find
        return [] if find is None else list(find(shaders, options))
    except Exception as error:
        is_out_of_memory = isinstance(error, MemoryError)
        detail = "it took too much memory" if is_out_of_memory else f"{type(error).__name__}: {error}"
        failed.append(FailedPass(declared.name, detail, trace_text(error), is_out_of_memory))
        return [failure_finding(shaders[0], declared.name, could_not_be_run(declared.name, detail))]


def could_not_be_run(pass_name: str, detail: str) -> str:
    """What is said of a pass that raised."""
    return f"{pass_name} could not be run: {detail}"


def failure_finding(shader: Shader, pass_name: str, message: str) -> Finding:
    """What is said of a pass that could not be run, at the head of the dump."""
    place = Place(shader, Span(0, min(len(shader.source), 7), 0))
    return Finding(PASS_FAILED, place, message, pass_name)
