"""All codes of findings: which exist, which a check could report, and settings that name others."""

from __future__ import annotations

from collections.abc import Iterable

from nirls.ir.finding import FindingCode, Severity
from nirls.ir.validation.catalogue import KINDS
from nirls.passes import registry
from nirls.passes.declaration import OptionError, Pass
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.documents.allowances import UNUSED_ALLOWANCE

PASS_FAILED = FindingCode("pass-failed", "Pass that could not be run", Severity.WARNING)

DIFFERENT_SNAPSHOT = FindingCode(
    "different-snapshot", "Snapshot that computes something else", Severity.WARNING
)
"""Reported by the verification of a log, not by a check."""


def finding_codes(passes: Iterable[type[Pass]]) -> dict[str, FindingCode]:
    """All finding codes available with these passes, by code, in documentation order."""
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
