"""Runs the checks and the passes over dumps and pipelines, and keeps what they found by content.

Everything here is plain computation and may run in a worker thread; when it runs, and who is told, is
decided in `nirls.server.checker`.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nirls.ir.clone import clone_shader
from nirls.ir.shader import Shader
from nirls.passes import registry
from nirls.passes.finding import Change, Finding, Severity
from nirls.passes.options import OptionError, resolve_options
from nirls.passes.registry import Pass
from nirls.server.checking import (
    CheckSettings,
    pipeline_pass_findings,
    shader_pass_findings,
    text_findings,
)
from nirls.server.document import PlacedDump
from nirls.server.dump_state import DumpState
from nirls.server.fix_verdicts import FixVerdicts
from nirls.server.linking import LinkedPipeline
from nirls.server.marks import Mark, marks_of
from nirls.server.time_limit import TimeLimit
from nirls.server.workspace import Document, Workspace

if TYPE_CHECKING:
    from nirls.ir.edits import TextEdit

_log = logging.getLogger(__name__)
_RESULTS_KEPT = 4096
_NO_LIMIT = TimeLimit()

Texts = tuple[bytes, ...]
Marks = tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class DumpEdits:
    """Text edits of one dump, as byte offsets within it; `text` is what they apply to."""

    text: bytes
    edits: tuple[TextEdit, ...]


class Engine:
    """The checks of a workspace under its settings."""

    def __init__(self, workspace: Workspace, settings: CheckSettings | None = None) -> None:
        self._workspace = workspace
        self.settings = settings or CheckSettings()
        # What the passes found for linked dumps with these texts: marks for each stage, whose related
        # places name the stage by its position.
        self._results: OrderedDict[Texts, tuple[Marks, ...]] = OrderedDict()
        self.fix_verdicts = FixVerdicts()

    def use_settings(self, settings: CheckSettings) -> None:
        """Change the settings; everything found under the old ones is forgotten."""
        self.settings = settings
        self._results.clear()
        self.fix_verdicts.clear()
        self._workspace.store.forget_findings()

    # Text

    def check_text(self, state: DumpState) -> None:
        """Find what is wrong with the text of a dump, unless that is known."""
        if state.problems is not None:
            return
        settings = self.settings
        shader = state.shader
        findings = text_findings(shader, settings)
        problems = tuple(marks_of(findings, {id(shader): 0}, shader))
        if settings is self.settings:
            state.problems = problems

    # Passes

    def knows(self, texts: Texts) -> bool:
        """Whether the passes have run on linked dumps of these texts, or on one dump alone."""
        return texts in self._results

    def run_passes(self, texts: Texts) -> None:
        """Let all passes look at linked dumps of these texts in pipeline order, or at one dump alone."""
        if texts in self._results:
            return
        settings = self.settings
        shaders = self._shaders(texts)
        if len(shaders) == 1:
            findings = shader_pass_findings(shaders[0], settings)
        else:
            findings = pipeline_pass_findings(shaders, settings)
        positions = {id(shader): position for position, shader in enumerate(shaders)}
        results = tuple(tuple(marks_of(findings, positions, shader)) for shader in shaders)
        if settings is not self.settings:
            return
        self._results[texts] = results
        while len(self._results) > _RESULTS_KEPT:
            self._results.popitem(last=False)

    def give_up(self, texts: Texts) -> None:
        """Count linked dumps as looked at, with nothing found."""
        self._results[texts] = ((),) * len(texts)

    def place_marks(self, document: Document, pipelines: Sequence[LinkedPipeline]) -> bool:
        """Give every dump of the document what the passes found for its text; True if that changed anything.

        `pipelines` are those the document is in. A dump whose passes have not all run keeps what it has.
        """
        changed = False
        linked_with: dict[int, list[tuple[int, LinkedPipeline]]] = {}
        for linked in pipelines:
            for position, member in enumerate(linked.members):
                linked_with.setdefault(member.dump.piece.slot, []).append((position, linked))
        for dump in document.snapshot.dumps():
            marks = self._marks_of(dump, linked_with.get(dump.piece.slot, ()))
            if marks is not None and document.pass_marks.get(dump.piece.slot, ()) != marks:
                document.pass_marks[dump.piece.slot] = marks
                changed = True
        if changed:
            document.generation += 1
        return changed

    def _marks_of(self, dump: PlacedDump, places: Sequence[tuple[int, LinkedPipeline]]) -> Marks | None:
        slot = dump.piece.slot
        alone = self._results.get((dump.piece.text,))
        if alone is None:
            return None
        marks = [_with_slots(mark, (slot,)) for mark in alone[0]]
        for position, linked in places:
            together = self._results.get(linked.texts())
            if together is None:
                return None
            slots = [member.dump.piece.slot for member in linked.members]
            marks += [_with_slots(mark, slots) for mark in together[position]]
        return tuple(marks)

    # Fixes

    def fix(self, texts: Texts, pass_name: str, key: str, limit: TimeLimit = _NO_LIMIT) -> list[DumpEdits]:
        """The edits of the fix that a pass offers under a key; empty if it offers none such any more,

        and for a fix that would make another program of the shaders. Raises OutOfTimeError.
        """
        limit.check()
        declared = registry.find(pass_name)
        shaders = self._shaders(texts)
        findings = self._findings(shaders, pass_name) if declared is not None else []
        fixes = (fix for finding in findings for fix in finding.fixes)
        found = next((fix for fix in fixes if fix.key == key), None)
        limit.check()
        changes = [] if found is None else found.compute()
        return self._edits(texts, pass_name, key, shaders, changes, limit)

    def apply_passes(
        self, texts: Texts, passes: Iterable[Pass], limit: TimeLimit = _NO_LIMIT
    ) -> list[DumpEdits]:
        """The edits that make of linked dumps, or of one dump, what the passes make of them in that order.

        Raises OutOfTimeError.
        """
        shaders = self._shaders(texts)
        copies = [clone_shader(shader) for shader in shaders]
        wanted = list(passes)
        known: dict[tuple[str, int, int], int] = {}
        for declared in wanted:
            limit.check()
            options = self._options(declared)
            known.update(declared.known_memory(shaders, options))
            groups = [copies] if declared.scope == "pipeline" else [[copy] for copy in copies]
            for group in groups:
                if declared.scope == "pipeline" or declared.applies_to(group[0].stage):
                    declared.run(group, options)
        changes = [Change(before, after, known) for before, after in zip(shaders, copies, strict=True)]
        names = ", ".join(declared.name for declared in wanted)
        return self._edits(texts, names, "", shaders, changes, limit)

    def passes_with_fixes(self, texts: Texts) -> list[Pass]:
        """The passes that offer a fix for linked dumps of these texts, in the order they run."""
        results = self._results.get(texts, ())
        names = {mark.pass_name for marks in results for mark in marks if mark.fixes}
        return [declared for declared in registry.all_passes() if declared.name in names]

    def _edits(
        self,
        texts: Texts,
        pass_name: str,
        key: str,
        shaders: Sequence[Shader],
        changes: Sequence[Change],
        limit: TimeLimit,
    ) -> list[DumpEdits]:
        """The text edits of changes, none if they are not valid or make another program."""
        limit.check()
        edits = _edits(changes)
        limit.check()
        if edits and not self.fix_verdicts.allows(texts, pass_name, key, shaders, changes):
            return []
        return edits

    def _findings(self, shaders: Sequence[Shader], pass_name: str) -> list[Finding]:
        only = {declared.name: declared.name == pass_name for declared in registry.all_passes()}
        settings = replace(self.settings, passes=only)
        if len(shaders) == 1:
            return shader_pass_findings(shaders[0], settings)
        return pipeline_pass_findings(shaders, settings)

    def _options(self, declared: Pass) -> registry.Options:
        try:
            return resolve_options(declared, self.settings.options.get(declared.name, {}))
        except OptionError:
            return resolve_options(declared, {})

    def _shaders(self, texts: Texts) -> list[Shader]:
        return [self._workspace.store.state(text).shader for text in texts]


def _edits(changes: Sequence[Change]) -> list[DumpEdits]:
    """The text edits of changes. A change that breaks a shader is refused as a whole, and logged."""
    for change in changes:
        broken = _new_errors(change)
        if broken:
            _log.error("a fix was not offered, its result is not valid: %s", broken[0])
            return []
    from nirls.ir.edits import text_edits

    found = []
    for change in changes:
        edits = tuple(text_edits(change.before, change.after))
        if edits:
            found.append(DumpEdits(change.before.source, edits))
    return found


def _new_errors(change: Change) -> list[str]:
    from nirls.ir.validation import validate

    def errors(shader: Shader) -> list[str]:
        return [problem.message for problem in validate(shader) if problem.severity == Severity.ERROR.value]

    after = errors(change.after)
    return after if len(after) > 0 and len(after) > len(errors(change.before)) else []


def _with_slots(mark: Mark, slots: Sequence[int]) -> Mark:
    if not mark.related:
        return mark
    return replace(mark, related=tuple(replace(item, slot=slots[item.slot]) for item in mark.related))
