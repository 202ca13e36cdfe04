"""Application of passes to the dumps of files; all other text is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import TextEdit, apply_edits, text_edits
from nirls.ir.validation import defect_of
from nirls.passes import registry
from nirls.passes.declaration import OptionError, Pass
from nirls.passes.varyings.interface.driver_profiles import DETECT
from nirls.passes.varyings.interface.link_options import DriverChoice
from nirls.server.cli.errors import CommandError, PassError
from nirls.server.cli.progress import with_progress
from nirls.server.cli.verification import Verified, verified
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
    """Runs passes on copies of the dumps of a workspace, and computes the new texts of the files.

    With `verify`, each result is compared with its input by execution; `verdicts` has the outcomes. A wrong
    result is discarded, and so is an unchecked one unless `allows_unchecked`. `driver` is as in `for_driver`.
    """

    workspace: LinkedFiles
    verify: bool = False
    allows_unchecked: bool = False
    driver: str = DETECT
    verdicts: list[Verified] = field(default_factory=list)
    _copies: dict[DumpRef, Shader] = field(default_factory=dict)
    _changed: set[DumpRef] = field(default_factory=set)

    def run(self, runs: Iterable[Pass]) -> None:
        """Run passes, with a progress bar."""
        for step in with_progress(self.steps(runs), "optimizing"):
            step()

    def results(self) -> list[tuple[InputFile, bytes]]:
        """The files that were named, with their new texts."""
        named = self.workspace.named()
        return [(self.workspace.file(document), self.new_text(document)) for document in named]

    def steps(self, runs: Iterable[Pass]) -> list[Callable[[], None]]:
        """Return the work as a list of steps to call in order."""
        steps: list[Callable[[], None]] = []
        for run in runs:
            units = self._units(run)
            steps.append(self._check(run, units))
            steps += [self._step(run, dumps) for dumps in units]
        return steps

    def declined(self) -> list[str]:
        """Return a message for each dump that has an error, so that the passes leave it alone."""
        found = (
            (dump, defect_of(self._copies[dump])) for dump in self.workspace.dumps() if dump in self._copies
        )
        return [
            f"no pass runs on {dump} or its pipeline, which has an error: {defect}"
            for dump, defect in found
            if defect
        ]

    def new_text(self, document: Document) -> bytes:
        """Return the file after the passes; unchanged dumps and the text between are kept byte for byte."""
        parts = [piece.raw for piece in document.snapshot.pieces]
        for placed in document.snapshot.dumps():
            dump, piece = DumpRef(document.uri, placed.number), placed.piece
            if dump in self._changed:
                edits = text_edits(document.shader(placed.number), self._copies[dump])
                raw = [TextEdit(*piece.raw_edit(edit.start, edit.end, edit.new_text)) for edit in edits]
                parts[placed.index] = apply_edits(piece.raw, raw)
        return b"".join(parts)

    def _units(self, declared: Pass) -> list[tuple[DumpRef, ...]]:
        """Return the units of the pass: dumps, or pipelines (for some passes, also unlinked dumps)."""
        if declared.scope == "shader":
            units: list[tuple[DumpRef, ...]] = [(dump,) for dump in self.workspace.dumps()]
        else:
            units = self.workspace.groups(unlinked=declared.alone)
        # By the facts of the dumps, which take no parsing.
        facts = self.workspace.facts
        return [dumps for dumps in units if declared.applies_to_stages(facts(dump).stage for dump in dumps)]

    def _check(self, run: Pass, units: Sequence[Sequence[DumpRef]]) -> Callable[[], None]:
        """Return a step that raises CommandError if the options of the pass do not fit the shaders."""

        def check() -> None:
            shaders = [self._copy(dump) for dumps in units for dump in dumps]
            fitting = [shader for shader in shaders if run.applies_to([shader])]
            try:
                run.check(fitting)
            except OptionError as error:
                raise CommandError(f"{run.name}: {error}") from None

        return check

    def _step(self, run: Pass, dumps: Sequence[DumpRef]) -> Callable[[], None]:
        def step() -> None:
            shaders = [self._copy(dump) for dump in dumps]
            if not run.applies_to(shaders):
                return
            before = [clone_shader(shader) for shader in shaders] if self.verify else []
            try:
                changed = for_driver(run, self.workspace, dumps[0], self.driver).run(shaders)
            # A pass of another package, or an unexpected dump.
            except (Exception, SystemExit) as error:
                where = f"{dumps[0].document}, dump {dumps[0].number + 1}"
                raise PassError(f"{run.name} failed on {where}: {type(error).__name__}: {error}") from error
            if changed and self.verify and not self._is_right(run, dumps, before, shaders):
                self._copies.update(zip(dumps, before, strict=True))
                return
            ids = {id(shader) for shader in changed}
            self._changed.update(
                dump for dump, shader in zip(dumps, shaders, strict=True) if id(shader) in ids
            )

        return step

    def _is_right(
        self, run: Pass, dumps: Sequence[DumpRef], before: Sequence[Shader], after: Sequence[Shader]
    ) -> bool:
        where = ", ".join(map(str, dumps))
        assumed, allowed = run.assumptions(before), self.allows_unchecked
        self.verdicts.append(verified(run.name, where, before, after, assumed, allows_unchecked=allowed))
        return not self.verdicts[-1].is_left_out

    def _copy(self, dump: DumpRef) -> Shader:
        if dump not in self._copies:
            self._copies[dump] = clone_shader(self.workspace.shader(dump))
        return self._copies[dump]
