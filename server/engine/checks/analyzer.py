"""Execution of checks and passes over dumps and pipelines, with results cached by content.

Methods may run in a thread; `check_scheduler` schedules them and publishes the results. Passes run in a
worker process, see `pass_jobs`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nirls.ir.finding import FixRequest
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.server.engine.base.timing import Steps, TimeLimit, at_once
from nirls.server.engine.checks.check_settings import CheckSettings, adjusted
from nirls.server.engine.checks.dump_findings import (
    FailedPass,
    could_not_be_run,
    failure_finding,
    is_for_unlinked,
    text_findings,
)
from nirls.server.engine.checks.finding_codes import judged_codes
from nirls.server.engine.checks.fix_verdicts import Edit, EveryFix, FixVerdicts, PassRuns, are_valid
from nirls.server.engine.checks.pass_failures import PassFailure, PassFailures
from nirls.server.engine.checks.pass_jobs import (
    DumpEdits,
    MadeEdits,
    Texts,
    find_in_dumps,
    fix_all,
    make_fix,
    run_passes,
)
from nirls.server.engine.documents.allowances import allowances, unused
from nirls.server.engine.documents.document import Piece, PlacedDump
from nirls.server.engine.documents.dump_state import DumpState, DumpStore
from nirls.server.engine.documents.linking import LinkedPipeline, PlaceInPipeline, places_by_slot
from nirls.server.engine.documents.lru_cache import KEPT_TEXT, LruCache
from nirls.server.engine.documents.shown_findings import Fact, Findings, finding_repeated
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.pipelines.shader_sequence import last_snapshots
from nirls.server.engine.worker.job import Cause, JobFailedError
from nirls.server.engine.worker.process import InlineWorker, Worker

__all__ = ["Analyzer", "DumpEdits", "Texts"]

_log = logging.getLogger(__name__)
_RESULTS_OF_A_TEXT: Final = 4
"""Cache size per byte of held documents: a dump is checked alone and in pipelines, each with its text."""
_NO_LIMIT = TimeLimit()
_HERE = InlineWorker()


@dataclass(frozen=True, slots=True)
class PassCoverage:
    """The number of dumps on which the passes have run, of all on which they run."""

    done: int
    total: int

    @property
    def is_complete(self) -> bool:
        """Whether all findings are those of the present text."""
        return self.done == self.total


class Analyzer:
    """Runs the checks of a workspace under one set of settings.

    `finder` is the worker that computes findings, `maker` the one that computes edits for client requests.
    """

    def __init__(
        self,
        workspace: Workspace,
        settings: CheckSettings | None = None,
        *,
        finder: Worker = _HERE,
        maker: Worker = _HERE,
        store: DumpStore | None = None,
        failures: PassFailures | None = None,
    ) -> None:
        self._workspace = workspace
        self.store = store or workspace.store
        self.settings = settings or CheckSettings()
        self.finder, self.maker = finder, maker
        # Findings of the passes by texts of linked dumps, one tuple per dump.
        self._results: LruCache[Texts, tuple[Findings, ...]] = LruCache(KEPT_TEXT)
        # Edits of all fixes of linked dumps, by their texts and what else `fix_all` depends on.
        self._all_fixes: LruCache[Hashable, list[DumpEdits]] = LruCache(KEPT_TEXT)
        self.fix_verdicts = FixVerdicts()
        self.failures = failures or PassFailures()

    def use_settings(self, settings: CheckSettings) -> None:
        """Change the settings; results computed under other settings are dropped."""
        if settings == self.settings:
            return
        self.settings = settings
        self._results.clear()
        self._all_fixes.clear()
        self.fix_verdicts.clear()
        self.store.drop_problems()

    def with_settings(self, settings: CheckSettings, store: DumpStore) -> Analyzer:
        """Create an analyzer with other settings and the same workers; `store` holds its dump states."""
        return Analyzer(
            self._workspace,
            settings,
            finder=self.finder,
            maker=self.maker,
            store=store,
            failures=self.failures,
        )

    # Text

    def check_text(self, state: DumpState) -> None:
        """Compute the problems of a dump's text unless they are known."""
        if state.problems is not None:
            return
        settings = self.settings
        problems = tuple(text_findings(state.shader, settings))
        if settings is self.settings:
            state.problems = problems

    # Passes

    def has_findings(self, texts: Texts) -> bool:
        """Whether the passes have run on linked dumps of these texts, or on one dump alone."""
        return texts in self._results

    def run_passes(self, texts: Texts) -> None:
        """Run the finders of all passes on linked dumps in pipeline order, or on one dump alone.

        One dump alone is also checked, unless its problems are known: the worker has its IR anyway. Failing
        passes are left out. Raises JobFailedError if the failing pass cannot be determined.
        """
        if any(map(allowances, texts)):
            registry.all_passes()  # `place_findings` needs their codes, and imports nothing itself
        settings = self.settings
        state = self.store.state(texts[0])
        is_unchecked = len(texts) == 1 and state.problems is None
        while texts not in self._results and settings is self.settings:
            left_off = self.failures.left_off(texts)
            try:
                found = self.finder.call(
                    None, find_in_dumps, texts, settings, left_off, with_problems=is_unchecked
                )
            except JobFailedError as error:
                if error.cause is Cause.STOPPED:
                    return
                if error.step in left_off or registry.find(error.step) is None:
                    raise
                self._failed(error.step, texts, error)
                continue
            for failed in found.failed:
                self._raised(failed, texts)
            if settings is self.settings:
                if found.problems is not None:
                    state.problems = found.problems
                self._keep(texts, found.findings)

    def _keep(self, texts: Texts, marks: tuple[Findings, ...]) -> None:
        here = sum(len(document.snapshot) for document in self._workspace.held())
        self._results.limit = self._all_fixes.limit = KEPT_TEXT + _RESULTS_OF_A_TEXT * here
        self._results.put(texts, marks, sum(map(len, texts)))

    def give_up(self, texts: Texts, error: Exception) -> None:
        """Record for linked dumps that the passes could not be run, which is all that is reported of them."""
        message = could_not_be_run("the passes", str(error) or type(error).__name__)
        self._keep(texts, ((failure_finding(texts[0], "", message),), *((),) * (len(texts) - 1)))

    def coverage(self, document: Document, pipelines: Sequence[LinkedPipeline]) -> PassCoverage:
        """Count the dumps of a document on whose text the passes have run, alone and in its pipelines."""
        subjects = list(self._subjects(document, pipelines))
        return PassCoverage(sum(self._are_known(each) for _, each in subjects), len(subjects))

    def has_unplaced(self, document: Document, pipelines: Sequence[LinkedPipeline]) -> bool:
        """Whether findings are known by content that a document does not have yet, as after an undo."""
        return any(
            document.placed.get(slot) != subjects and self._are_known(subjects)
            for slot, subjects in self._subjects(document, pipelines)
        )

    def _subjects(
        self, document: Document, pipelines: Sequence[LinkedPipeline]
    ) -> Iterator[tuple[int, tuple[Texts, ...]]]:
        """Yield the slot of each dump that passes run on, and the texts that they take with it."""
        linked_with, analyzed = places_by_slot(pipelines), self.analyzed_dumps(document)
        for number, piece in enumerate(document.snapshot.dump_pieces()):
            subjects = self._subjects_of(piece, linked_with.get(piece.slot, ()), number in analyzed)
            if subjects:
                yield piece.slot, subjects

    def _subjects_of(
        self, piece: Piece, places: Sequence[PlaceInPipeline], is_analyzed: bool
    ) -> tuple[Texts, ...]:
        alone: tuple[Texts, ...] = ((piece.text,),) if is_analyzed else ()
        return (*alone, *(linked.texts() for linked, _ in places))

    def _are_known(self, subjects: Iterable[Texts]) -> bool:
        return all(texts in self._results for texts in subjects)

    def place_findings(self, document: Document, pipelines: Sequence[LinkedPipeline]) -> bool:
        """Assign the findings of passes to the dumps of a document; return True if any changed.

        `pipelines` are those of the document. A dump keeps its findings until all its passes have run.
        """
        return at_once(self.placing(document, pipelines))

    def placing(self, document: Document, pipelines: Sequence[LinkedPipeline]) -> Steps[bool]:
        """Do `place_findings` in steps. If the text changes meanwhile, it is to be done again."""
        linked_with = places_by_slot(pipelines)
        analyzed = self.analyzed_dumps(document)
        snapshot, dumps = document.snapshot, document.snapshot.dumps()
        marks_of: list[Findings | None] = []
        for dump in dumps:
            places = linked_with.get(dump.piece.slot, ())
            marks_of.append(self._findings_of(dump, places, dump.number in analyzed))
            yield
        yield from self._report_unused_allowances(document, dumps, marks_of, linked_with, analyzed)
        if document.snapshot is not snapshot:
            return False
        changed = False
        for dump, marks in zip(dumps, marks_of, strict=True):
            if marks is None:
                continue
            slot = dump.piece.slot
            document.placed[slot] = self._subjects_of(
                dump.piece, linked_with.get(slot, ()), dump.number in analyzed
            )
            if document.pass_findings.get(slot, ()) != marks:
                document.pass_findings[slot] = marks
                changed = True
        if changed:
            document.generation += 1
        return (yield from self._fold(document)) or changed

    def _fold(self, document: Document) -> Steps[bool]:
        """Find the findings that newer snapshots repeat; return True if they changed."""
        repeated: dict[int, frozenset[Fact]] = {}
        snapshot = document.snapshot
        if not self.settings.shows_repeated:
            dumps = snapshot.dumps()
            found = {dump.number: findings for dump in dumps if (findings := document.findings(dump.piece))}
            texts = {number: dumps[number].piece.text for number in found}
            facts = [document.state(dump.piece).facts for dump in dumps]
            yield
            hidden_of = yield from finding_repeated(found, texts, facts)
            repeated = {dumps[number].piece.slot: hidden for number, hidden in hidden_of.items()}
        if repeated == document.repeated or document.snapshot is not snapshot:
            return False
        document.repeated = repeated
        document.generation += 1
        return True

    def _report_unused_allowances(
        self,
        document: Document,
        dumps: Sequence[PlacedDump],
        marks_of: list[Findings | None],
        linked: Container[int],
        analyzed: Container[int],
    ) -> Steps[None]:
        """Add to the findings of each dump those on its allowances that cover no finding."""
        in_file: set[str] | None = None
        for number, dump in enumerate(dumps):
            yield
            state, marks = document.state(dump.piece), marks_of[number]
            own = state.of_text(allowances)
            if not own or marks is None or state.problems is None:
                continue
            if in_file is None:
                in_file = {one.code for found in marks_of for one in found or ()}
                in_file |= {problem.code for other in dumps for problem in document.problems(other.piece)}
            judged = judged_codes(
                self.settings, is_linked=dump.piece.slot in linked, is_analyzed=dump.number in analyzed
            )
            if any(one.is_of_file for one in own) and None in marks_of:
                continue
            found = (*state.problems, *marks)
            unused_findings = adjusted(unused(state.text, own, found, judged, in_file), self.settings)
            marks_of[number] = (
                *marks,
                *(unused_finding.with_dumps((dump.piece.slot,)) for unused_finding in unused_findings),
            )

    def analyzed_dumps(self, document: Document) -> Container[int]:
        """Numbers of the dumps on which shader passes run."""
        dumps = document.snapshot.dumps()
        if self.settings.every_snapshot:
            return range(len(dumps))
        return frozenset(last_snapshots([document.state(dump.piece).facts for dump in dumps]))

    def _findings_of(
        self, dump: PlacedDump, places: Sequence[PlaceInPipeline], is_analyzed: bool
    ) -> Findings | None:
        slot = dump.piece.slot
        alone = self._results.get((dump.piece.text,)) if is_analyzed else ((),)
        if alone is None:
            return None
        marks = [
            mark.with_dumps((slot,)) for mark in alone[0] if not places or not is_for_unlinked(mark.pass_name)
        ]
        for linked, position in places:
            together = self._results.get(linked.texts())
            if together is None:
                return None
            slots = [member.dump.piece.slot for member in linked.members]
            marks += [mark.with_dumps(slots) for mark in together[position]]
        return tuple(marks)

    # Fixes

    def fix(self, texts: Texts, request: FixRequest, limit: TimeLimit = _NO_LIMIT) -> list[DumpEdits]:
        """Compute the edits of a fix; empty if it is no longer offered or changes the program.

        Raises OutOfTimeError and JobFailedError.
        """
        settings, verdicts = self.settings, self.fix_verdicts
        if verdicts.is_refused(texts, request):
            return []
        known, pass_name = verdicts.has(texts, request), request.pass_name
        self._refuse_what_is_left_off([pass_name], texts)
        limit.check()
        try:
            made = self.maker.call(limit.left, make_fix, texts, settings, request, known)
        except JobFailedError as error:
            self._failed(pass_name, texts, error)
            raise
        if made.failed is not None:
            self._raised(made.failed, texts)
            raise JobFailedError(Cause.RAISED, pass_name, made.failed.detail, made.failed.trace)
        edits = self._allowed(texts, request, made, settings)
        if not edits and not verdicts.is_refused(texts, request):
            verdicts.note_without_edit(texts, request)
        return edits

    def apply_passes(
        self, texts: Texts, passes: Iterable[type[Pass]], limit: TimeLimit = _NO_LIMIT
    ) -> list[DumpEdits]:
        """Compute the edits of running passes in order on linked dumps, or on one dump.

        Raises OutOfTimeError and JobFailedError.
        """
        names = [declared.name for declared in passes]
        settings, runs = self.settings, PassRuns(tuple(names))
        known = self.fix_verdicts.has(texts, runs)
        self._refuse_what_is_left_off(names, texts)
        limit.check()
        try:
            made = self.maker.call(limit.left, run_passes, texts, settings, names, known)
        except JobFailedError as error:
            culprit = error.step or (names[0] if len(names) == 1 else "")
            self._failed(culprit, texts, error)
            raise
        return self._allowed(texts, runs, made, settings)

    def fix_all(
        self, texts: Texts, own: frozenset[int], allowed_in_file: frozenset[str], limit: TimeLimit = _NO_LIMIT
    ) -> list[DumpEdits]:
        """Compute the edits of all fixes that change only the dumps `own`, and were verified.

        A text that has just been typed need not have been checked. Raises OutOfTimeError and JobFailedError.
        """
        if self._has_no_fix(texts, own):
            return []
        settings = self.settings
        left_off = dict.fromkeys(self.failures.left_off(texts), False)
        key = texts, own, allowed_in_file, frozenset(left_off)
        known = self._all_fixes.get(key)
        if known is not None:
            return known
        wanted = replace(settings, passes={**settings.passes, **left_off})
        limit.check()
        try:
            left = limit.left
            one_by_one = math.inf if left is None else left / 10
            made = self.maker.call(left, fix_all, texts, wanted, own, allowed_in_file, one_by_one)
        except JobFailedError as error:
            self._failed(error.step, texts, error)
            raise
        edits = self._allowed(texts, EveryFix(own), made, settings)
        verified = [edit for edit in edits if not edit.is_unchecked]
        if settings is self.settings and not made.is_partial:
            self._all_fixes.put(key, verified, sum(map(len, texts)))
        return verified

    def _has_no_fix(self, texts: Texts, own: Iterable[int]) -> bool:
        """Whether the passes have run on linked dumps, and on the dumps `own` alone, and offer no fix."""
        subjects = {texts, *((texts[number],) for number in own)}
        results = [self._results.get(subject) for subject in subjects]
        return all(
            result is not None and not any(mark.fixes for marks in result for mark in marks)
            for result in results
        )

    def passes_with_fixes(self, texts: Texts) -> list[type[Pass]]:
        """Passes with a fix for linked dumps of these texts, in the order in which they run."""
        results = self._results.get(texts) or ()
        names = {mark.pass_name for marks in results for mark in marks if mark.fixes}
        return [declared for declared in registry.all_passes() if declared.name in names]

    def _allowed(self, texts: Texts, edit: Edit, made: MadeEdits, settings: CheckSettings) -> list[DumpEdits]:
        """Record the verdict and return the edits; empty if they change the program."""
        if made.refusal:
            level = logging.ERROR if are_valid(texts) else logging.INFO
            _log.log(level, "a fix was not offered, its result is not valid: %s", made.refusal)
        if made.verdict is not None and settings is self.settings:
            self.fix_verdicts.note(texts, edit, made.verdict)
        if self.fix_verdicts.is_refused(texts, edit):
            return []
        is_unchecked = self.fix_verdicts.is_unchecked(texts, edit)
        return [replace(edit, is_unchecked=is_unchecked) for edit in made.edits]

    # Failures

    def _refuse_what_is_left_off(self, names: Iterable[str], texts: Texts) -> None:
        left_off = self.failures.left_off(texts)
        for name in names:
            if name in left_off:
                raise JobFailedError(Cause.LEFT_OFF, name, left_off[name])

    def _failed(self, pass_name: str, texts: Texts, error: JobFailedError) -> None:
        if error.cause not in (Cause.STOPPED, Cause.LEFT_OFF) and registry.find(pass_name) is not None:
            failure = PassFailure(pass_name, texts, self.settings, error.cause, error.detail, error.trace)
            self.failures.add(failure)

    def _raised(self, failed: FailedPass, texts: Texts) -> None:
        cause, detail = (Cause.MEMORY, "") if failed.is_out_of_memory else (Cause.RAISED, failed.detail)
        self.failures.add(PassFailure(failed.name, texts, self.settings, cause, detail, failed.trace))
