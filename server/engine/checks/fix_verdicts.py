"""Verdicts of verification on fixes, cached by the texts they change."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.finding import FixRequest
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import errors_of
from nirls.passes.declaration import Change
from nirls.server.engine.documents.lru_cache import KEPT_TEXT, LruCache
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict, plain_coverage

if TYPE_CHECKING:
    from nirls.ir.model.shader import Shader

_log = logging.getLogger(__name__)

TIME_BUDGET = 0.3
"""CPU time limit in seconds for validating one fix; short, because the user waits for it."""

Texts = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class FixVerdict:
    """Verdict on a fix: "equivalent", "different" or "unchecked", the reason, and what was tried as JSON."""

    verdict: str
    reason: str
    tried: dict[str, Any] | None = None

    @classmethod
    def of(cls, found: Verdict) -> FixVerdict:
        """Convert a verdict."""
        if isinstance(found, Equivalent):
            return cls("equivalent", str(found), plain_coverage(found))
        return cls("different" if isinstance(found, Different) else "unchecked", str(found))


@dataclass(frozen=True, slots=True)
class PassRuns:
    """Passes that are run in order."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EveryFix:
    """All fixes that change only the dumps `own` of linked dumps."""

    own: frozenset[int]


Edit = FixRequest | PassRuns | EveryFix
"""What edits are computed of, and has a verdict."""


class FixVerdicts:
    """Verdicts on fixes by the texts that they change."""

    def __init__(self) -> None:
        self._known: LruCache[tuple[Texts, Edit], FixVerdict] = LruCache(KEPT_TEXT)
        self._without_edit: LruCache[tuple[Texts, Edit], bool] = LruCache(KEPT_TEXT)

    def clear(self) -> None:
        """Drop all verdicts, as fixes depend on the settings."""
        # A thread may be about to add a verdict under the old settings.
        self._known = LruCache(KEPT_TEXT)
        self._without_edit = LruCache(KEPT_TEXT)

    def note_without_edit(self, texts: Texts, edit: Edit) -> None:
        """Remember that a fix changes nothing in these texts."""
        self._without_edit.put((texts, edit), True, sum(map(len, texts)))

    def is_without_edit(self, texts: Texts, edit: Edit) -> bool:
        """Whether the fix has been found to change nothing."""
        return (texts, edit) in self._without_edit

    def is_refused(self, texts: Texts, edit: Edit) -> bool:
        """Whether the fix has been found to change the program."""
        found = self._known.get((texts, edit))
        return found is not None and found.verdict == "different"

    def is_unchecked(self, texts: Texts, edit: Edit) -> bool:
        """Whether validation of the fix was inconclusive."""
        found = self._known.get((texts, edit))
        return found is not None and found.verdict == "unchecked"

    def tried(self, texts: Texts, edit: Edit) -> dict[str, Any] | None:
        """Return what was tried for a fix that was found equivalent, as JSON values; None for others."""
        found = self._known.get((texts, edit))
        return None if found is None else found.tried

    def has(self, texts: Texts, edit: Edit) -> bool:
        """Whether there is a verdict on the fix."""
        return (texts, edit) in self._known

    def note(self, texts: Texts, edit: Edit, verdict: Verdict) -> None:
        """Store the verdict on a fix; the reason for a refused or unchecked one is logged."""
        found = FixVerdict.of(verdict)
        self._known.put((texts, edit), found, sum(map(len, texts)))
        if found.verdict == "different":
            level = logging.ERROR if are_valid(texts) else logging.INFO
            _log.log(level, "%s is not offered: %s", edit, found.reason)
        elif found.verdict == "unchecked":
            _log.info("%s is %s", edit, found.reason)


def is_equivalent(verdict: Verdict | None) -> bool:
    """Whether a change was verified."""
    return isinstance(verdict, Equivalent)


def is_late(verdict: Verdict | None) -> bool:
    """Whether validation ended because the time for runs was used up."""
    return isinstance(verdict, Unchecked) and verdict.is_late


def judged(
    shaders: Sequence[Shader],
    changes: Sequence[Change],
    time_budget: float = TIME_BUDGET,
    *,
    seeks_difference: bool = True,
) -> Verdict:
    """Validate the changes of a fix to linked shaders, or to one.

    With a time budget of 0 only by proof; without `seeks_difference` not by runs that could only refuse it.
    """
    # The evaluator takes half a second; the server itself does without.
    from nirls.verification.verify_shaders import verify_shaders

    changed = {id(change.before): change.after for change in changes}
    after = [changed.get(id(shader), shader) for shader in shaders]
    options = VerificationOptions(
        most_runs=8,
        lanes=32,
        least_lanes=8,
        iteration_limit=200,
        time_budget=time_budget,
        seeks_difference=seeks_difference,
        assumptions=Assumptions.together(change.assumptions for change in changes),
    )
    try:
        return verify_shaders(shaders, after, options)
    except Exception as error:  # an unforeseen dump must not disable the fix
        level = logging.ERROR if _can_be_run(shaders) else logging.INFO
        _log.log(level, "a fix could not be checked", exc_info=True)
        return Unchecked(f"{type(error).__name__}: {error}")


def _can_be_run(shaders: Sequence[Shader]) -> bool:
    """Whether the shaders are valid, so that a failed evaluation is an error of nirls."""
    return not any(map(errors_of, shaders))


def are_valid(texts: Texts) -> bool:
    """Whether dumps are valid, so that a fix that goes wrong on them is an error of nirls."""
    return _can_be_run([parse_dump(text) for text in texts])
