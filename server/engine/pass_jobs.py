"""Jobs that run passes in a worker process: dump texts as input, plain data as output.

A job reports the name of each pass before running it (`nirls.server.engine.worker.steps`), so that a pass
that never returns can be identified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.finding import Finding, Severity
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes import registry
from nirls.passes.declaration import Change, Pass
from nirls.server.engine.checking import (
    CheckSettings,
    FailedPass,
    adjusted,
    failure_finding,
    findings_of_passes,
    text_findings,
)
from nirls.server.engine.dump_state import DumpStore
from nirls.server.engine.fix_verdicts import judged
from nirls.server.engine.worker import steps

if TYPE_CHECKING:
    from nirls.ir.text.edits import TextEdit
    from nirls.passes.translation_validation import Verdict

Texts = tuple[bytes, ...]
"""The texts of linked dumps in pipeline order, or of one dump alone."""

LeftOff = Mapping[str, str]
"""Disabled passes, with the reason as a message."""

_TEXT_KEPT = 200_000
_store = DumpStore(_TEXT_KEPT)


@dataclass(frozen=True, slots=True)
class PassFindings:
    """Findings of passes for each dump, and failed passes; `problems` of the text if they were asked for."""

    findings: tuple[tuple[Finding, ...], ...]
    failed: tuple[FailedPass, ...] = ()
    problems: tuple[Finding, ...] | None = None


@dataclass(frozen=True, slots=True)
class DumpEdits:
    """Text edits of one dump, as byte offsets in its `text`.

    `is_unchecked` is True if the change could not be validated and the user has to confirm it.
    """

    text: bytes
    edits: tuple[TextEdit, ...]
    is_unchecked: bool = False


@dataclass(frozen=True, slots=True)
class MadeEdits:
    """Edits of a change and the verdict of translation validation; None without edits or if already judged.

    `refusal` is the first validation error if the change makes a shader invalid; `failed` is set if the pass
    raised.
    """

    edits: tuple[DumpEdits, ...] = ()
    verdict: Verdict | None = None
    refusal: str = ""
    failed: FailedPass | None = None


def import_finders() -> None:
    """Import the modules that finders need under most settings."""
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
    findings = findings_of_passes(shaders, _without(settings, left_off), failed)
    findings += adjusted([failure_finding(texts[0], *reason) for reason in left_off.items()], settings)
    of_dumps = (tuple(one for one in findings if one.place.dump == dump) for dump in range(len(texts)))
    return PassFindings(tuple(of_dumps), tuple(failed), problems)


def make_fix(
    texts: Texts, settings: CheckSettings, pass_name: str, key: str, is_judged: bool = False
) -> MadeEdits:
    """Compute the edits of a fix by its key; empty if it is no longer offered.

    With `is_judged` the fix is not validated again.
    """
    declared = registry.find(pass_name)
    if declared is None:
        return MadeEdits()
    shaders = _shaders(texts)
    steps.begin(pass_name)
    try:
        changes = declared.with_usable_options(settings.options.get(pass_name, {})).fix(shaders, key)
    except Exception as error:
        return MadeEdits(failed=FailedPass.of(pass_name, error))
    return _made(shaders, changes, is_judged)


def run_passes(
    texts: Texts, settings: CheckSettings, names: Sequence[str], is_judged: bool = False
) -> MadeEdits:
    """Compute the edits of running passes in order on linked dumps, or on one dump."""
    shaders = _shaders(texts)
    copies = [clone_shader(shader) for shader in shaders]
    known: dict[tuple[str, int, int], int] = {}
    culling: CullingRule | None = None
    for declared in _declared(names):
        steps.begin(declared.name)
        ready = declared.with_usable_options(settings.options.get(declared.name, {}))
        known.update(ready.known_memory(shaders))
        culling = ready.culling(shaders) or culling
        groups = [copies] if declared.scope == "pipeline" else [[copy] for copy in copies]
        for group in groups:
            if declared.applies_to(group):
                ready.run(group)
    changes = [Change(before, after, known, culling) for before, after in zip(shaders, copies, strict=True)]
    return _made(shaders, changes, is_judged)


def _made(shaders: Sequence[Shader], changes: Sequence[Change], is_judged: bool) -> MadeEdits:
    """Convert changes to text edits; if one makes a shader invalid, all are refused."""
    for change in changes:
        broken = _new_errors(change)
        if broken:
            return MadeEdits(refusal=broken[0])
    from nirls.ir.text.edits import text_edits

    found = []
    for change in changes:
        edits = tuple(text_edits(change.before, change.after))
        if edits:
            found.append(DumpEdits(change.before.source, edits))
    return MadeEdits(tuple(found), judged(shaders, changes) if found and not is_judged else None)


def _new_errors(change: Change) -> list[str]:
    from nirls.ir.validation import validate

    def errors(shader: Shader) -> list[str]:
        return [problem.message for problem in validate(shader) if problem.severity is Severity.ERROR]

    after = errors(change.after)
    return after if len(after) > 0 and len(after) > len(errors(change.before)) else []


def _without(settings: CheckSettings, left_off: LeftOff) -> CheckSettings:
    if not left_off:
        return settings
    return replace(settings, passes={**settings.passes, **dict.fromkeys(left_off, False)})


def _declared(names: Iterable[str]) -> list[type[Pass]]:
    return [declared for name in names if (declared := registry.find(name)) is not None]


def _shaders(texts: Texts) -> list[Shader]:
    steps.begin("")
    return [_store.state(text).shader for text in texts]
