"""A unit of checking: dumps that have to be seen together, by their texts, and what is found in them."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from nirls.ir.model.shader import Shader
from nirls.ir.model.span import Span
from nirls.ir.text.parse import parse_dump
from nirls.passes.finding import Change, Finding, Fix
from nirls.server.cli.reported import CHARACTERS, Excerpt, FileEdit, Note, Reported, ReportedFix
from nirls.server.engine.checking import (
    PASS_FAILED,
    CheckSettings,
    FailedPass,
    findings_of_passes,
    is_for_unlinked,
    text_findings,
)
from nirls.server.engine.positions import Encoding, LineIndex, Range
from nirls.server.engine.worker import steps

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unit:
    """One dump, or linked dumps in pipeline order.

    `alone` says of each whether it is also looked at by itself here; `is_linked` that all of them are in a
    pipeline, be it another unit. Fixes of the kinds in `edits_of` come with what they change.
    """

    texts: tuple[bytes, ...]
    alone: tuple[bool, ...]
    is_linked: bool
    settings: CheckSettings
    edits_of: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        return sum(map(len, self.texts))

    def without(self, pass_name: str) -> Unit:
        """The unit with a pass left off."""
        passes = {**self.settings.passes, pass_name: False}
        return replace(self, settings=replace(self.settings, passes=passes))

    def key(self, program: str) -> str:
        """A name for the result, which changes with everything that the result depends on.

        `program` stands for the version of nirls and its passes.
        """
        digest = hashlib.sha256()
        digest.update(
            repr((program, self.alone, self.is_linked, _sorted(self.settings), self.edits_of)).encode()
        )
        for text in self.texts:
            digest.update(hashlib.sha256(text).digest())
        return digest.hexdigest()


def check_unit(unit: Unit) -> list[Reported]:
    """The findings of a unit. Runs in whatever process.

    In them, `file` is the number of a dump in the unit, and lines count from its first. The `data` of a
    pass that raised is where it did.
    """
    steps.begin("")
    shaders = [parse_dump(text) for text in unit.texts]
    findings: list[Finding] = []
    failed: list[FailedPass] = []
    for shader, is_wanted in zip(shaders, unit.alone, strict=True):
        if is_wanted:
            findings += _findings_alone(shader, unit, failed)
    if len(shaders) > 1:
        findings += findings_of_passes(shaders, unit.settings, failed)
    traces = {one.name: one.trace for one in failed}
    return [
        replace(found, data={"trace": traces[found.pass_name]}) if found.kind == PASS_FAILED else found
        for found in _Places(shaders, unit.edits_of).reported(findings)
    ]


def _findings_alone(shader: Shader, unit: Unit, failed: list[FailedPass]) -> Iterator[Finding]:
    steps.begin("")
    yield from text_findings(shader, unit.settings)
    for finding in findings_of_passes([shader], unit.settings, failed):
        if not unit.is_linked or not is_for_unlinked(finding.pass_name):
            yield finding


class _Places:
    """Where the findings of a unit are."""

    def __init__(self, shaders: Sequence[Shader], edits_of: Sequence[str]) -> None:
        self._numbers = {id(shader): number for number, shader in enumerate(shaders)}
        self._lines = [LineIndex(shader.source) for shader in shaders]
        self._edits_of = edits_of

    def reported(self, findings: Iterable[Finding]) -> Iterator[Reported]:
        for finding in findings:
            shader, span = finding.place.shader, finding.place.span
            file, place = self._place(shader, span.start, span.end)
            notes = (
                Note(*self._place(one.place.shader, one.place.span.start, one.place.span.end), one.message)
                for one in finding.related
            )
            yield Reported(
                file,
                place,
                self._excerpt(shader, span),
                finding.code,
                finding.effective_severity,
                finding.message,
                finding.pass_name,
                tuple(notes),
                tuple(self._fix(fix, finding.pass_name) for fix in finding.fixes),
                finding.data,
            )

    def _place(self, shader: Shader, start: int, end: int) -> tuple[str, Range]:
        number = self._numbers[id(shader)]
        lines = self._lines[number]
        return str(number), Range(lines.position(start, CHARACTERS), lines.position(end, CHARACTERS))

    def _excerpt(self, shader: Shader, span: Span) -> Excerpt:
        lines = self._lines[self._numbers[id(shader)]]
        start = lines.position(span.start, Encoding.UTF32)
        end = lines.position(span.end, Encoding.UTF32)
        text = lines.text[lines.starts[start.line] : lines.line_end(start.line)].decode("utf-8", "replace")
        return Excerpt(text, start.character, end.character if end.line == start.line else len(text))

    def _fix(self, fix: Fix, pass_name: str) -> ReportedFix:
        if fix.kind not in self._edits_of:
            return ReportedFix(fix.title, fix.kind, fix.key, None)
        steps.begin(pass_name)
        try:
            edits = tuple(self._edits(fix.compute()))
        except Exception:  # a pass of another package, or a dump that nobody thought of
            _log.exception("the fix %r of %s failed", fix.title, pass_name)
            return ReportedFix(fix.title, fix.kind, fix.key, None)
        return ReportedFix(fix.title, fix.kind, fix.key, edits)

    def _edits(self, changes: Iterable[Change]) -> Iterator[FileEdit]:
        from nirls.ir.text.edits import text_edits

        for change in changes:
            for edit in text_edits(change.before, change.after):
                yield FileEdit(*self._place(change.before, edit.start, edit.end), edit.new_text)


def _sorted(settings: CheckSettings) -> object:
    return (
        sorted((code, severity.value) for code, severity in settings.severities.items()),
        sorted(settings.passes.items()),
        sorted((name, sorted(options.items())) for name, options in settings.options.items()),
    )
