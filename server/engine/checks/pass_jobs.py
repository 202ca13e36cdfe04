"""Jobs that run passes in a worker process: dump texts as input, plain data as output.

A job reports the name of each pass before running it (`nirls.server.engine.worker.steps`), so that a pass
that never returns can be identified.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from nirls.ir.analysis.analysis_cache import unchanged
from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.finding import Finding, FixRequest, FixScope
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import TextEdit, text_edits
from nirls.ir.validation import new_errors
from nirls.passes import registry
from nirls.passes.declaration import Change, Pass, changes
from nirls.server.engine.checks.check_settings import CheckSettings, adjusted
from nirls.server.engine.checks.dump_findings import (
    FailedPass,
    failure_finding,
    findings_of_passes,
    text_findings,
)
from nirls.server.engine.checks.finding_places import merged, narrowed
from nirls.server.engine.checks.fix_verdicts import is_equivalent, is_late, judged
from nirls.server.engine.documents.allowances import DumpAllowances, allowances
from nirls.server.engine.documents.dump_state import DumpStore
from nirls.server.engine.worker import steps
from nirls.verification.verdict import Verdict

Texts = tuple[bytes, ...]
"""The texts of linked dumps in pipeline order, or of one dump alone."""

LeftOff = Mapping[str, str]
"""Disabled passes, with the reason as a message."""

_TEXT_KEPT = 200_000
_store = DumpStore(_TEXT_KEPT)
"""A worker process collects garbage between jobs."""


@dataclass(frozen=True, slots=True)
class PassFindings:
    """Findings of passes for each dump, and failed passes; `problems` of the text if they were asked for."""

    findings: tuple[tuple[Finding, ...], ...]
    failed: tuple[FailedPass, ...] = ()
    problems: tuple[Finding, ...] | None = None


@dataclass(frozen=True, slots=True)
class DumpEdits:
    """Text edits of one dump, as byte offsets in its `text`.

    `is_unchecked` is True if the change could not be verified and the user has to confirm it.
    """

    text: bytes
    edits: tuple[TextEdit, ...]
    is_unchecked: bool = False


@dataclass(frozen=True, slots=True)
class MadeEdits:
    """Edits of a change and the verdict of their verification; None without edits or if already judged.

    `refusal` is the first validation error if the change makes a shader invalid; `failed` is set if the pass
    raised. `is_partial` means that time ran out before all passes were tried.
    """

    edits: tuple[DumpEdits, ...] = ()
    verdict: Verdict | None = None
    refusal: str = ""
    failed: FailedPass | None = None
    is_partial: bool = False


def import_finders() -> None:
    """Import the modules that finders need under most settings."""
    registry.all_passes()


def import_makers() -> None:
    """Import the modules that computing and validating the edits of a fix needs."""
    import nirls.verification.verify_shaders  # noqa: F401

    registry.all_passes()


def find_in_dumps(
    texts: Texts, settings: CheckSettings, left_off: LeftOff, *, with_problems: bool = False
) -> PassFindings:
    """Compute the findings of all passes on linked dumps in pipeline order, or on one dump alone.

    With `with_problems`, the text of the first dump is checked too; the dump is parsed once for both.
    """
    shaders = _shaders(texts)
    problems = tuple(text_findings(shaders[0], settings)) if with_problems else None
    failed: list[FailedPass] = []
    with unchanged(shaders):
        findings = findings_of_passes(shaders, _without(settings, left_off), failed)
    findings += adjusted([failure_finding(texts[0], *reason) for reason in left_off.items()], settings)
    of_dumps = (
        tuple(finding for finding in findings if finding.place.dump == dump) for dump in range(len(texts))
    )
    return PassFindings(tuple(of_dumps), tuple(failed), problems)


def make_fix(
    texts: Texts, settings: CheckSettings, request: FixRequest, is_judged: bool = False
) -> MadeEdits:
    """Compute the edits of a fix; empty if it is no longer offered.

    With `is_judged` the fix is not verified again.
    """
    shaders = _shaders(texts)
    steps.begin(request.pass_name)
    try:
        changes = _changes(shaders, settings, request)
    except Exception as error:
        return MadeEdits(failed=FailedPass.of(request.pass_name, error))
    return _made(shaders, changes, None if is_judged else judged)


def run_passes(
    texts: Texts, settings: CheckSettings, names: Sequence[str], is_judged: bool = False
) -> MadeEdits:
    """Compute the edits of running passes in order on linked dumps, or on one dump."""
    shaders = _shaders(texts)
    copies = [clone_shader(shader) for shader in shaders]
    assumed: list[Assumptions] = []
    for declared in _declared(names):
        steps.begin(declared.name)
        ready = declared.with_usable_options(settings.options.get(declared.name, {}))
        assumed.append(ready.assumptions(shaders))
        run_in_place(ready, copies)
    together = Assumptions.together(assumed)
    changes = [Change(before, after, together) for before, after in zip(shaders, copies, strict=True)]
    return _made(shaders, changes, None if is_judged else judged)


def run_in_place(ready: Pass, shaders: list[Shader]) -> bool:
    """Run a pass on the shaders that it applies to: on all together, or on each; whether it changed any."""
    groups = [shaders] if ready.scope == "pipeline" else [[shader] for shader in shaders]
    changed = [ready.run(group) for group in groups if ready.applies_to(group)]
    return any(changed)


def fix_all(
    texts: Texts,
    settings: CheckSettings,
    own: Collection[int],
    allowed_in_file: Container[str],
    seconds: float = math.inf,
) -> MadeEdits:
    """Compute the edits of all fixes of linked dumps, or of one dump, that change only the dumps `own`.

    Findings that a comment allows are left; `allowed_in_file` are codes that `allow-file` comments name. If
    the result of all passes together cannot be verified, each pass is verified by itself, as long as fewer
    than `seconds` of CPU time are used; by proof only, if the runs of all together took too long.
    """
    end = time.thread_time() + seconds
    shaders = _shaders(texts)
    made = _after_passes(shaders, settings, own, allowed_in_file, registry.all_passes())
    judge: Judge = partial(judged, seeks_difference=False)
    edits = _made(shaders, made.changes(shaders), judge)
    if not edits.edits or is_equivalent(edits.verdict) or len(made.passes) < 2:
        return edits
    if is_late(edits.verdict):
        # A run takes about as long whichever pass has changed the shaders.
        judge = partial(judged, time_budget=0.0)
    kept: list[type[Pass]] = []
    for declared in made.passes:
        if time.thread_time() >= end:
            return replace(edits, is_partial=True)
        trial = _after_passes(shaders, settings, own, allowed_in_file, [*kept, declared])
        of_trial = _made(shaders, trial.changes(shaders), judge)
        if is_equivalent(of_trial.verdict):
            kept.append(declared)
            edits = of_trial
    return edits


@dataclass(slots=True)
class _Fixed:
    """Linked shaders after the fixes of some passes, and the passes that had any."""

    shaders: list[Shader]
    passes: list[type[Pass]] = field(default_factory=list)
    assumed: list[Assumptions] = field(default_factory=list)

    def changes(self, before: Sequence[Shader]) -> list[Change]:
        return [
            Change(old, new, Assumptions.together(self.assumed))
            for old, new in zip(before, self.shaders, strict=True)
            if new is not old
        ]

    def take(self, place: Sequence[int], changes: Sequence[Change], own: Container[int]) -> bool:
        """Take changes of the shaders at `place`, if all of them are in `own`."""
        subject = [self.shaders[number] for number in place]
        numbers = [
            next(n for n, one in zip(place, subject, strict=True) if one is change.before)
            for change in changes
        ]
        if not changes or any(number not in own for number in numbers):
            return False
        for number, change in zip(numbers, changes, strict=True):
            self.shaders[number] = change.after
            self.assumed.append(change.assumptions)
        return True


def _after_passes(
    shaders: Sequence[Shader],
    settings: CheckSettings,
    own: Collection[int],
    allowed_in_file: Container[str],
    passes: Iterable[type[Pass]],
) -> _Fixed:
    """Apply the fixes of passes in order, each within the dumps `own`."""
    result = _Fixed(list(shaders))
    linked = range(len(shaders))
    for declared in passes:
        if not settings.is_on(declared) or (
            declared.scope == "pipeline" and len(shaders) == 1 and not declared.alone
        ):
            continue
        steps.begin(declared.name)
        ready = declared.with_usable_options(settings.options.get(declared.name, {}))
        is_changed = False
        for place in [linked] if declared.scope == "pipeline" else [[number] for number in sorted(own)]:
            subject = [result.shaders[number] for number in place]
            if not declared.applies_to(subject):
                continue
            requests, is_complete = _requests_to_apply(ready, subject, settings, allowed_in_file)
            if requests and is_complete and all(number in own for number in place):
                whole = changes(subject, ready.run, ready.assumptions(subject))
                is_changed |= result.take(place, whole, own)
                continue
            for request in requests:
                now = [result.shaders[number] for number in place]
                is_changed |= result.take(place, _changes(now, settings, request), own)
        if is_changed:
            result.passes.append(declared)
    return result


def _changes(shaders: Sequence[Shader], settings: CheckSettings, request: FixRequest) -> list[Change]:
    declared = registry.find(request.pass_name)
    if declared is None or not declared.applies_to(shaders):
        return []
    return declared.with_usable_options(settings.options.get(declared.name, {})).fix(shaders, request)


def _requests_to_apply(
    ready: Pass, subject: Sequence[Shader], settings: CheckSettings, allowed_in_file: Container[str]
) -> tuple[list[FixRequest], bool]:
    """Return the requests for the fixes that together fix the findings of a pass which no comment allows.

    For each kind of finding: the fix of all of them, if none is allowed and there is one. The second result
    is whether these are all findings: none is allowed, and the settings leave none out.
    """
    sources = [shader.source for shader in subject]
    allowed = [DumpAllowances(text, allowances(text), allowed_in_file) for text in sources]
    wanted: dict[str, list[Finding]] = {}
    with_allowed: set[str] = set()
    found = merged(narrowed(ready.find(subject), sources), sources)
    reported = adjusted(found, settings)
    for finding in reported:
        if allowed[finding.place.dump].covers(finding):
            with_allowed.add(finding.code)
        elif finding.fixes:
            wanted.setdefault(finding.code, []).append(finding)
    requests: dict[FixRequest, None] = {}
    for code, findings in wanted.items():
        scopes: Sequence[FixScope] = ("one",) if code in with_allowed else ("all", "one", "pass")
        for finding in findings:
            by_scope = {fix.request.scope: fix.request for fix in reversed(finding.fixes)}
            requests.update(dict.fromkeys([by_scope[scope] for scope in scopes if scope in by_scope][:1]))
    return list(requests), not with_allowed and len(reported) == len(found)


Judge = Callable[[Sequence[Shader], Sequence[Change]], "Verdict"]


def _made(shaders: Sequence[Shader], changes: Sequence[Change], judge: Judge | None) -> MadeEdits:
    """Convert changes to text edits; if one makes a shader invalid, all are refused.

    Without `judge`, the changes are not verified.
    """
    broken = new_errors([change.before for change in changes], [change.after for change in changes])
    if broken:
        return MadeEdits(refusal=broken[0].message)

    found = []
    for change in changes:
        edits = tuple(text_edits(change.before, change.after))
        if edits:
            found.append(DumpEdits(change.before.source, edits))
    return MadeEdits(tuple(found), judge(shaders, changes) if found and judge else None)


def _without(settings: CheckSettings, left_off: LeftOff) -> CheckSettings:
    if not left_off:
        return settings
    return replace(settings, passes={**settings.passes, **dict.fromkeys(left_off, False)})


def _declared(names: Iterable[str]) -> list[type[Pass]]:
    return [declared for name in names if (declared := registry.find(name)) is not None]


def _shaders(texts: Texts) -> list[Shader]:
    steps.begin("")
    return [_store.state(text).shader for text in texts]
