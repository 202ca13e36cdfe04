"""Application of passes to the dumps of files; all other text is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nirls.ir.text.edits import TextEdit, apply_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes import registry
from nirls.passes.declaration import OptionError, Pass
from nirls.passes.varyings.interface.driver_profiles import DETECT
from nirls.passes.varyings.interface.link_options import DriverChoice
from nirls.server.cli.errors import CommandError, PassError
from nirls.server.cli.progress import progressing
from nirls.server.engine.batch.pass_runs import RUN_PASSES, PassesUnit, PassOnDumps, PassResults
from nirls.server.engine.batch.run import Compute, in_this_process, results_of
from nirls.server.engine.batch.verified import Verified
from nirls.server.engine.documents.document_driver import document_driver
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.files.input_files import InputFile
from nirls.server.engine.files.linked_files import LinkedFiles
from nirls.server.engine.pipelines.pipelines import DumpRef


def pass_runs(names: Sequence[str], assignments: Sequence[str]) -> list[Pass]:
    """Return the passes of `-p`, with the options of `-o NAME=VALUE` or `-o PASS.NAME=VALUE`.

    An option without a pass name applies to every pass that has it. Raises CommandError.
    """
    wanted = [word.strip() for name in names for word in name.split(",") if word.strip()]
    if not wanted:
        raise CommandError("no pass to run; name one with -p, `nirls passes` lists them")
    passes = [_pass_of_name(name) for name in wanted]
    given = _assigned(passes, assignments)
    try:
        return [declared.with_options(given[declared.name]) for declared in passes]
    except OptionError as error:
        raise CommandError(str(error)) from None


def _pass_of_name(name: str) -> type[Pass]:
    declared = registry.find(name)
    if declared is None:
        known = ", ".join(pass_.name for pass_ in registry.all_passes())
        raise CommandError(f"there is no pass {name!r}; there are {known}")
    return declared


def _assigned(passes: Sequence[type[Pass]], assignments: Sequence[str]) -> dict[str, dict[str, object]]:
    given: dict[str, dict[str, object]] = {declared.name: {} for declared in passes}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise CommandError(f"option {assignment!r} is not of the form NAME=VALUE")
        pass_name, dot, option = name.rpartition(".")
        takers = [
            declared.name
            for declared in passes
            if (
                declared.name == pass_name if dot else any(known.name == name for known in declared.options())
            )
        ]
        if not takers:
            raise CommandError(f"none of the passes has an option {name!r}")
        for taker in takers:
            given[taker][option if dot else name] = value
    return given


def for_driver(run: Pass, workspace: LinkedFiles, dump: DumpRef, driver: str = DETECT) -> Pass:
    """Return a pass with the driver profile for a dump, unless the options of the pass name one.

    The profile is `driver`; if that is `detect`, the one of the project file, else of the dump's document.
    """
    if not isinstance(run, DriverChoice) or run.driver != DETECT:
        return run
    if driver == DETECT and workspace.project is not None:
        driver = workspace.project.driver
    if driver == DETECT:
        found = document_driver(workspace.documents[dump.document])
        driver = DETECT if found is None else found.profile.name
    return run if driver == DETECT else run.for_driver(driver)


@dataclass(eq=False)
class Optimizer:
    """Runs passes on the dumps of a workspace, and computes the new texts of the files.

    With `verify`, each result is compared with its input by execution; `verdicts` has the outcomes. A wrong
    result is discarded, and so is an unchecked one unless `allows_unchecked`. `driver` is as in `for_driver`.
    """

    workspace: LinkedFiles
    verify: bool = False
    allows_unchecked: bool = False
    driver: str = DETECT
    verdicts: list[Verified] = field(default_factory=list)
    _edits: dict[DumpRef, tuple[TextEdit, ...]] = field(default_factory=dict)
    _defects: dict[DumpRef, str] = field(default_factory=dict)

    def run(self, runs: Sequence[Pass], compute: Compute[PassesUnit, PassResults] = in_this_process) -> None:
        """Run passes, with a progress bar. Raises CommandError.

        Dumps that a pass takes together are a unit of work, and so are all that such units share.
        """
        for number, run in enumerate(runs):
            # Most passes take any shader; a check sees all shaders, as the passes before it leave them.
            if type(run).check is not Pass.check:
                self._check(run, self._optimized(runs[:number], compute))
        verdicts: dict[tuple[int, int], Verified] = {}
        for number, unit, dumps, found in self._computed(runs, compute):
            self._edits.update(zip(dumps, found.edits, strict=True))
            self._defects.update(zip(dumps, found.defects, strict=True))
            for step_number, verdict in found.verdicts:
                where = ", ".join(str(dumps[dump]) for dump in unit.steps[step_number].dumps)
                verdicts[number, step_number] = replace(verdict, where=where)
        self.verdicts += (verdicts[key] for key in sorted(verdicts))

    def results(self) -> list[tuple[InputFile, bytes]]:
        """The files that were named, with their new texts."""
        named = self.workspace.named()
        return [(self.workspace.file(document), self.new_text(document)) for document in named]

    def declined(self) -> list[str]:
        """Return a message for each dump that has an error, so that the passes leave it alone."""
        return [
            f"no pass runs on {dump} or its pipeline, which has an error: {self._defects[dump]}"
            for dump in self.workspace.dumps()
            if self._defects.get(dump)
        ]

    def new_text(self, document: Document) -> bytes:
        """Return the file after the passes; unchanged dumps and the text between are kept byte for byte."""
        parts = [piece.raw for piece in document.snapshot.pieces]
        for placed in document.snapshot.dumps():
            edits = self._edits.get(DumpRef(document.uri, placed.number))
            if edits:
                piece = placed.piece
                raw = [TextEdit(*piece.raw_edit(edit.start, edit.end, edit.new_text)) for edit in edits]
                parts[placed.index] = apply_edits(piece.raw, raw)
        return b"".join(parts)

    def _taken(self, declared: Pass) -> list[tuple[DumpRef, ...]]:
        """Return what the pass takes: dumps, or pipelines (for some passes, also unlinked dumps)."""
        if declared.scope == "shader":
            groups: list[tuple[DumpRef, ...]] = [(dump,) for dump in self.workspace.dumps()]
        else:
            groups = self.workspace.groups(unlinked=declared.alone)
        # By the facts of the dumps, which take no parsing.
        facts = self.workspace.facts
        return [dumps for dumps in groups if declared.applies_to_stages(facts(dump).stage for dump in dumps)]

    def _check(self, run: Pass, texts: Mapping[DumpRef, bytes]) -> None:
        """Raise CommandError if the options of the pass do not fit the shaders, all of them together."""
        wanted = dict.fromkeys(dump for group in self._taken(run) for dump in group)
        shaders = [
            parse_dump(texts[dump]) if dump in texts else self.workspace.shader(dump) for dump in wanted
        ]
        try:
            run.check([shader for shader in shaders if run.applies_to([shader])])
        except OptionError as error:
            raise CommandError(f"{run.name}: {error}") from None

    def _optimized(
        self, runs: Sequence[Pass], compute: Compute[PassesUnit, PassResults]
    ) -> dict[DumpRef, bytes]:
        """Return the texts of the dumps that passes change, after these passes."""
        return {
            dump: apply_edits(text, edits)
            for _, unit, dumps, found in self._computed(runs, compute)
            for dump, text, edits in zip(dumps, unit.texts, found.edits, strict=True)
            if edits
        }

    def _computed(
        self, runs: Sequence[Pass], compute: Compute[PassesUnit, PassResults]
    ) -> Iterator[tuple[int, PassesUnit, list[DumpRef], PassResults]]:
        """Yield the results of passes by unit of work, with its number and its dumps. Raises PassError."""
        taken = [self._taken(run) for run in runs]
        parts = _connected(group for groups in taken for group in groups)
        units = [self._unit(runs, taken, part) for part in parts]
        results = results_of(RUN_PASSES, units, None, compute)
        for number, found in progressing(results, len(units), "optimizing"):
            unit, dumps = units[number], parts[number]
            if found.failure:
                step = unit.steps[found.failed_step]
                first = dumps[step.dumps[0]]
                where = f"{first.document}, dump {first.number + 1}"
                raise PassError(f"{step.run.name} failed on {where}: {found.failure}")
            yield number, unit, dumps, found

    def _unit(
        self,
        runs: Sequence[Pass],
        taken: Sequence[Sequence[tuple[DumpRef, ...]]],
        dumps: Sequence[DumpRef],
    ) -> PassesUnit:
        places = {dump: place for place, dump in enumerate(dumps)}
        steps = [
            PassOnDumps(
                for_driver(run, self.workspace, group[0], self.driver),
                tuple(places[dump] for dump in group),
            )
            for run, groups in zip(runs, taken, strict=True)
            for group in groups
            if group[0] in places
        ]
        texts = tuple(map(self.workspace.text, dumps))
        return PassesUnit(texts, tuple(steps), self.verify, self.allows_unchecked)


def _connected(groups: Iterable[tuple[DumpRef, ...]]) -> list[list[DumpRef]]:
    """Return the dumps of all groups in parts that share no group, in order of their first dumps."""
    part_of: dict[DumpRef, list[DumpRef]] = {}
    for group in groups:
        merged: list[DumpRef] = []
        for dump in group:
            part = part_of.get(dump, [dump])
            if part is not merged:
                merged += part
                part_of.update(dict.fromkeys(part, merged))
    return list({id(part): part for part in part_of.values()}.values())
