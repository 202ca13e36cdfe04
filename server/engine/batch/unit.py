"""Unit of checking: the texts of one dump or of linked dumps, and their findings."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from nirls.ir.analysis.analysis_cache import unchanged
from nirls.ir.finding import Finding, FixRequest, FixScope, Place
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.passes.declaration import Change
from nirls.passes.varyings.link_summary import LinkSummary
from nirls.passes.varyings.link_total import LinkTotal, link_total
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.server.engine.batch.work import content_key
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.dump_findings import FailedPass, findings_of_passes, text_findings
from nirls.server.engine.checks.finding_codes import PASS_FAILED
from nirls.server.engine.checks.fix_verdicts import FixVerdict, judged
from nirls.server.engine.worker import steps

_log = logging.getLogger(__name__)

_LARGEST_TOTAL = 1 << 20
"""Most bytes of linked dumps whose whole saving is computed; `opt_varyings` takes seconds on them."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One dump, or linked dumps in pipeline order.

    `alone[i]` is True if dump i is also checked by itself in this unit; `is_linked` is True if all dumps are
    in a pipeline, possibly that of another unit. Edits are computed for fixes of the scopes in `edits_of`;
    with `verifies` they are verified, and edits that change the program are left out. With `totals`, the
    whole saving of linked dumps is computed.
    """

    texts: tuple[bytes, ...]
    alone: tuple[bool, ...]
    is_linked: bool
    settings: CheckSettings
    edits_of: tuple[FixScope, ...] = ()
    verifies: bool = False
    totals: bool = False

    @property
    def size(self) -> int:
        """Bytes to read, as a measure of the work."""
        return sum(map(len, self.texts))

    def without(self, pass_name: str) -> Unit:
        """Return the unit with one pass disabled."""
        passes = {**self.settings.passes, pass_name: False}
        return replace(self, settings=replace(self.settings, passes=passes))

    def key(self, program: str) -> str:
        """Cache key: a hash of all inputs of the result.

        `program` is the version of nirls and its passes.
        """
        settings = _sorted(self.settings)
        given = program, self.alone, self.is_linked, settings, self.edits_of, self.verifies, self.totals
        return content_key(given, self.texts)


@dataclass(frozen=True, slots=True)
class FixEdit:
    """A replacement of a range of a dump."""

    place: Place
    new_text: str


@dataclass(frozen=True, slots=True)
class MadeFix:
    """Edits of a fix, and the verdict on it if it was verified. Without edits if that is "different"."""

    edits: tuple[FixEdit, ...]
    verdict: FixVerdict | None = None


@dataclass(frozen=True, slots=True)
class UnitFindings:
    """Findings of a unit and the edits of their fixes.

    `dump` of a place and of a request indexes the dumps of the unit. `made` has pairs, because a request
    cannot be a key in the JSON of a cache entry. The `data` of a `pass-failed` finding holds the traceback.
    `total` is None where nothing is saved, and where it was not asked for.
    """

    findings: tuple[Finding, ...]
    made: tuple[tuple[FixRequest, MadeFix], ...] = ()
    total: LinkTotal | None = None

    @property
    def fixes(self) -> Mapping[FixRequest, MadeFix]:
        """The edits of the fixes by their requests."""
        return dict(self.made)


def check_unit(unit: Unit) -> UnitFindings:
    """Check a unit in the current process."""
    steps.begin("")
    shaders = [parse_dump(text) for text in unit.texts]
    with unchanged(shaders):
        return _findings_of(shaders, unit)


def _findings_of(shaders: Sequence[Shader], unit: Unit) -> UnitFindings:
    findings: list[Finding] = []
    fixes: dict[FixRequest, MadeFix] = {}
    failed: list[FailedPass] = []
    total: LinkTotal | None = None
    for number, (shader, is_wanted) in enumerate(zip(shaders, unit.alone, strict=True)):
        if is_wanted:
            found = list(_findings_alone(shader, unit, failed))
            fixes.update(_made_fixes(found, [shader], (number,), unit))
            findings += (one.with_dumps((number,)) for one in found)
    if len(shaders) > 1:
        found = findings_of_passes(shaders, unit.settings, failed)
        fixes.update(_made_fixes(found, shaders, range(len(shaders)), unit))
        findings += found
        if unit.totals and any(one.gain for one in found):
            total = _total(shaders, unit)
    traces = {one.name: one.trace for one in failed}
    return UnitFindings(
        tuple(
            replace(found, data={"trace": traces[found.pass_name]})
            if found.code == PASS_FAILED.code and found.pass_name in traces
            else found
            for found in findings
        ),
        tuple(fixes.items()),
        total,
    )


def _total(shaders: Sequence[Shader], unit: Unit) -> LinkTotal | None:
    """Return the saving of `opt_varyings`; None if it is off, fails, or would take long."""
    if unit.size > _LARGEST_TOTAL or not unit.settings.is_on(OptVaryings):
        return None
    steps.begin(LinkSummary.name)
    try:
        return link_total(shaders, OptVaryings.with_options(unit.settings.options.get(OptVaryings.name, {})))
    except Exception:  # an unforeseen dump
        _log.exception("the pass %s failed", OptVaryings.name)
        return None


def _findings_alone(shader: Shader, unit: Unit, failed: list[FailedPass]) -> Iterator[Finding]:
    steps.begin("")
    yield from text_findings(shader, unit.settings)
    yield from findings_of_passes([shader], unit.settings, failed, is_linked=unit.is_linked)


def _made_fixes(
    findings: Iterable[Finding], shaders: Sequence[Shader], numbers: Sequence[int], unit: Unit
) -> Iterator[tuple[FixRequest, MadeFix]]:
    """Yield the fixes of findings by their requests; `numbers` are the dump numbers of `shaders`."""
    wanted = {
        fix.request: fix.title
        for finding in findings
        for fix in finding.fixes
        if fix.request.scope in unit.edits_of
    }
    for request, title in wanted.items():
        declared = registry.find(request.pass_name)
        if declared is None:
            continue
        steps.begin(declared.name)
        try:
            ready = declared.with_options(unit.settings.options.get(declared.name, {}))
            changes = tuple(ready.fix(shaders, request))
            verdict = FixVerdict.of(judged(shaders, changes)) if unit.verifies else None
            is_refused = verdict is not None and verdict.verdict == "different"
            edits = () if is_refused else tuple(_edits(changes, shaders, numbers))
        except Exception:  # a pass of another package, or an unforeseen dump
            _log.exception("the fix %r of %s failed", title, declared.name)
            continue
        yield replace(request, dump=numbers[request.dump]), MadeFix(edits, verdict)


def _edits(changes: Iterable[Change], shaders: Sequence[Shader], numbers: Sequence[int]) -> Iterator[FixEdit]:
    for change in changes:
        number = numbers[shaders.index(change.before)]
        for edit in text_edits(change.before, change.after):
            yield FixEdit(Place(number, edit.start, edit.end), edit.new_text)


def _sorted(settings: CheckSettings) -> object:
    return (
        sorted((code, severity.value) for code, severity in settings.severities.items()),
        sorted(settings.passes.items()),
        sorted((name, sorted(options.items())) for name, options in settings.options.items()),
        settings.profile.value,
    )
