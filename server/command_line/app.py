"""The commands and their arguments. What a command needs is imported when it runs, so that help is quick."""

from __future__ import annotations

import functools
import logging
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ParamSpec

import typer

from nirls.server.command_line.completion import finding_codes, pass_names
from nirls.server.command_line.errors import FOUND, USAGE, CommandError

if TYPE_CHECKING:
    from nirls.server.command_line.inputs import InputFile
    from nirls.server.command_line.verification import Verified
    from nirls.server.project_file import ProjectFile

P = ParamSpec("P")

app = typer.Typer(
    name="nirls",
    help="Work on text dumps of NIR, the shader IR of the Mesa graphics drivers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


class Format(StrEnum):
    """How `check` reports."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


class FailOn(StrEnum):
    """The least severe finding that makes `check` exit with status 1."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"
    NEVER = "never"


class TableFormat(StrEnum):
    """How `pack` and `timeline` print."""

    TEXT = "text"
    JSON = "json"


class DialectName(StrEnum):
    """The dialects that `print` can write."""

    MODERN = "modern"
    CLASSIC = "classic"


class GraphName(StrEnum):
    """What `graph` draws; see `nirls.server.graphs.kinds.GraphKind`."""

    CONTROL_FLOW = "cfg"
    VALUES = "values"
    DOMINATORS = "dominators"
    POST_DOMINATORS = "post-dominators"
    VARYINGS = "varyings"


class GraphFormat(StrEnum):
    """How `graph` writes."""

    DOT = "dot"
    SVG = "svg"


class When(StrEnum):
    """What `reduce` shrinks for."""

    DIFFERENT = "different"
    INVALID = "invalid"
    CRASH = "crash"

    @property
    def none_found(self) -> str:
        """What to say where a pass never goes wrong in this way."""
        return {
            When.DIFFERENT: "no result is different from what went in",
            When.INVALID: "no result is invalid",
            When.CRASH: "no run fails",
        }[self]


class DivergenceName(StrEnum):
    """Divergence within what `print` shows."""

    SUBGROUP = "subgroup"
    VERTEX = "vertex"


Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE...", help="Files with dumps, folders of them, or - for standard input."),
]
OutDir = Annotated[
    Path | None, typer.Option("--out-dir", metavar="DIR", help="Write each result to a file in this folder.")
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="The nirls.toml to use instead of the nearest one above the files."
    ),
]


def _reporting_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Turn wrong use into a message and exit status 2."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CommandError as error:
            _complain(str(error))
            raise typer.Exit(USAGE) from None
        except BrokenPipeError:
            # The reader has what it wanted (`nirls print log | head`); keep Python from flushing again.
            sys.stderr.close()
            raise typer.Exit(0) from None

    return wrapped


@app.callback(invoke_without_command=True)
def nirls(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Work on text dumps of NIR, the shader IR of the Mesa graphics drivers."""
    if version:
        from importlib.metadata import version as installed_version

        typer.echo(f"nirls {installed_version('nirls')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE)


@app.command()
@_reporting_errors
def check(
    files: Files,
    format_: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = Format.TEXT,
    fail_on: Annotated[
        FailOn, typer.Option("--fail-on", help="Exit with status 1 on findings at or above this severity.")
    ] = FailOn.WARNING,
    config: Config = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Also say which dumps are linked, and why.")
    ] = False,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="How many processes; 0 for as many as there are cores.")
    ] = 0,
    cache: Annotated[
        bool,
        typer.Option(
            "--cache/--no-cache", help="Use and keep results by content, in the user's cache folder."
        ),
    ] = True,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="SCHEDULER",
            help="Check on the workers of a Dask scheduler, tcp://HOST:PORT.",
        ),
    ] = None,
) -> None:
    """Report what is wrong with dumps, and what passes could do to them.

    Files of other stages beside a file (NAME.frag.nir beside NAME.vert.nir) are read for the link. A run
    that was interrupted goes on from its cached results.
    """
    from nirls.passes.finding import Severity
    from nirls.server.checking import CheckSettings, problems_of_settings
    from nirls.server.command_line.batch.result_cache import ResultCache
    from nirls.server.command_line.batch.run import available_cores, checked, on_this_machine
    from nirls.server.command_line.batch.unit import units_of
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.progress import progressing
    from nirls.server.command_line.reported import in_order
    from nirls.server.command_line.reports.write import WITH_EDITS, write_report
    from nirls.server.command_line.workspace import Workspace

    # What fails is a finding here; its traceback is for the log of the language server.
    logging.getLogger("nirls").addHandler(logging.NullHandler())
    inputs = _files_with_dumps(read_inputs(files))
    project = _project_file(inputs, config)
    settings = CheckSettings.of_project(project)
    for problem in problems_of_settings(settings):
        _complain(f"{project.path if project else ''}: {problem}")
    workspace = Workspace.of(inputs, project, partners=True)
    units = units_of(workspace, settings, with_edits=format_.value in WITH_EDITS)
    if cluster is not None:
        from nirls.server.command_line.batch.cluster import on_cluster

        compute = functools.partial(on_cluster, scheduler=cluster)
    else:
        compute = functools.partial(on_this_machine, jobs=jobs or available_cores())
    done = checked(units, ResultCache.of_user() if cache else None, compute)
    by_unit = dict(progressing(done, len(units), "checking"))
    findings = in_order(found for number in range(len(units)) for found in by_unit[number])
    if verbose:
        for pipeline in workspace.pipelines:
            names = " -> ".join(f"{one.dump.document}#{one.dump.number + 1}" for one in pipeline.members)
            typer.echo(f"linked {names}: {pipeline.reason}", err=True)
    write_report(findings, format_.value, workspace)
    if fail_on is not FailOn.NEVER:
        limit = Severity(fail_on.value).rank
        if any(found.severity.rank <= limit for found in findings):
            raise typer.Exit(FOUND)


@app.command()
@_reporting_errors
def opt(
    files: Files,
    passes: Annotated[
        list[str],
        typer.Option(
            "--pass",
            "-p",
            metavar="PASS[,PASS]",
            help="The passes to run, in order.",
            autocompletion=pass_names,
        ),
    ],
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
    ] = None,
    uniforms: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="BUFFER:BYTE=VALUE", help="A uniform's value, for inline_uniforms."),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Print a diff instead of the whole text.")] = False,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Change the files.")] = False,
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Run each result against what went in; leave out wrong ones, with status 1."
        ),
    ] = False,
    out_dir: OutDir = None,
    config: Config = None,
) -> None:
    """Run passes on the dumps of files and print the files as they are then.

    Dumps of successive stages in one file are linked, and so are files named NAME.vert.nir, NAME.frag.nir.
    """
    from nirls.server.command_line import outputs
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.optimize import Optimizer, pass_runs
    from nirls.server.command_line.progress import with_progress
    from nirls.server.command_line.workspace import Workspace

    if in_place and out_dir is not None:
        raise CommandError("--in-place and --out-dir exclude each other")
    runs = pass_runs(passes, [*(options or []), *_uniform_option(uniforms or [], passes)])
    inputs = read_inputs(files)
    if in_place and any(file.path is None for file in inputs):
        raise CommandError("standard input has no place to write to; leave --in-place out")
    for file in inputs:
        if not file.has_dumps:
            _complain(f"warning: {file.why_no_dumps}")
    workspace = Workspace.of(inputs, _project_file(inputs, config))
    optimizer = Optimizer(workspace, verify)
    for step in with_progress(optimizer.steps(runs), "optimizing"):
        step()
    results = [(document.file, optimizer.new_text(document)) for document in workspace.named()]
    if in_place:
        outputs.write_in_place(results)
    if out_dir is not None:
        outputs.write_to_folder(results, out_dir)
    if diff:
        outputs.write_diff(outputs.diff(results))
    elif not in_place and out_dir is None:
        outputs.write_to_stdout(text for _, text in results)
    if verify:
        _report_verdicts(optimizer.verdicts)


@app.command()
@_reporting_errors
def tcs(
    files: Files,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of the pass optimize_tcs."),
    ] = None,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to write the summary.")
    ] = TableFormat.TEXT,
    diff: Annotated[bool, typer.Option("--diff", help="Also print what would change.")] = False,
    in_place: Annotated[bool, typer.Option("--in-place", "-i", help="Change the files.")] = False,
    config: Config = None,
) -> None:
    """Let culled patches skip work: inline the vertex shader in the control shader, and divide that.

    Says for each pipeline what was gained. Each result is run against what went in; wrong ones are left
    out, with status 1.
    """
    from nirls.server.command_line import outputs
    from nirls.server.command_line import tcs as chains
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.progress import with_progress
    from nirls.server.command_line.workspace import Workspace

    inputs = _files_with_dumps(read_inputs(files))
    if in_place and any(file.path is None for file in inputs):
        raise CommandError("standard input has no place to write to; leave --in-place out")
    chain = chains.Chain(Workspace.of(inputs, _project_file(inputs, config)), options or [])
    for step in with_progress(chain.steps(), "optimizing"):
        step()
    if format_ is TableFormat.JSON:
        chains.write_json(chain.gains)
    else:
        typer.echo(chains.text_of(chain.gains), nl=False)
    results = [(document.file, chain.optimizer.new_text(document)) for document in chain.workspace.named()]
    if in_place:
        outputs.write_in_place(results)
    if diff:
        outputs.write_diff(outputs.diff(results))
    if any(gain.verified is not None and gain.verified.is_wrong for gain in chain.gains):
        raise typer.Exit(FOUND)


@app.command()
@_reporting_errors
def reduce(
    files: Files,
    passes: Annotated[
        list[str],
        typer.Option(
            "--pass",
            "-p",
            metavar="PASS[,PASS]",
            help="The passes to run, in order.",
            autocompletion=pass_names,
        ),
    ],
    options: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
    ] = None,
    when: Annotated[
        When, typer.Option("--when", help="What is wrong with the result and must stay so.")
    ] = When.DIFFERENT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where the small dumps go.")
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", help="Stop shrinking after that time.")
    ] = 120.0,
    config: Config = None,
) -> None:
    """Shrink the first dump or pipeline on which a pass goes wrong to a small one that still shows it."""
    from nirls.server.command_line import outputs
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.optimize import pass_runs
    from nirls.server.command_line.reduce import reduce_workspace
    from nirls.server.command_line.workspace import Workspace

    runs = pass_runs(passes, options or [])
    inputs = _files_with_dumps(read_inputs(files))
    workspace = Workspace.of(inputs, _project_file(inputs, config))
    result = reduce_workspace(workspace, runs, when, seconds)
    if result is None:
        _complain(f"nothing to reduce: {', '.join(run.declared.name for run in runs)}: {when.none_found}")
        raise typer.Exit(FOUND)
    if output is None:
        outputs.write_to_stdout([result.text])
    else:
        outputs.write_file(output, result.text)
    _complain(result.summary)


@app.command()
@_reporting_errors
def pack(
    files: Files,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to print: a table, or all cells as JSON.")
    ] = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show how varyings are packed into vec4 slots, before and after opt_varyings.

    One table of slots by components for each pair of linked stages; coloured by group in a terminal, with the
    group behind each cell elsewhere: interpolated, flat, convergent, patch, color, transform feedback only,
    and so on. `[]` marks an element of an indexed range, `lo` and `hi` the halves of a 32-bit component.
    Files of other stages beside a file are read for the link. Exit status 1: no stages are linked.
    """
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.pack import packed_pipelines, write_json, write_text
    from nirls.server.command_line.workspace import Workspace

    inputs = _files_with_dumps(read_inputs(files))
    workspace = Workspace.of(inputs, _project_file(inputs, config), partners=True)
    found = packed_pipelines(workspace)
    if format_ is TableFormat.JSON:
        write_json(found)
    else:
        write_text(found)
    if not found:
        _complain(
            "no stages are linked here: see `nirls check -v` and the section on pipelines of the README"
        )
        raise typer.Exit(FOUND)


@app.command("print")
@_reporting_errors
def print_(
    files: Files,
    normalize: Annotated[
        bool, typer.Option("--normalize", help="Renumber values and blocks, and print in one style.")
    ] = False,
    dialect: Annotated[DialectName | None, typer.Option("--dialect", help="Print in this dialect.")] = None,
    divergence: Annotated[
        DivergenceName | None,
        typer.Option("--divergence", help="Print con or div before each value, as found by analysis."),
    ] = None,
    out_dir: OutDir = None,
) -> None:
    """Read dumps and print them again, byte for byte unless an option says otherwise."""
    from nirls.server.command_line import outputs
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.progress import with_progress
    from nirls.server.command_line.reprint import Reprint, reprinted
    from nirls.server.command_line.workspace import Workspace

    wanted = Reprint(
        normalize,
        None if dialect is None else dialect.value,
        None if divergence is None else divergence.value,
    )
    documents = Workspace.of(read_inputs(files)).named()
    results = [
        (document.file, reprinted(document, wanted)) for document in with_progress(documents, "printing")
    ]
    if out_dir is not None:
        outputs.write_to_folder(results, out_dir)
    else:
        outputs.write_to_stdout(text for _, text in results)


@app.command()
@_reporting_errors
def preview(
    files: Files,
    passes: Annotated[
        list[str] | None,
        typer.Option(
            "--pass", "-p", metavar="PASS[,PASS]", help="The passes; opt_varyings and clean_up by default."
        ),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="An option of a pass, or PASS.NAME=VALUE."),
    ] = None,
    diff: Annotated[bool, typer.Option("--diff", help="Also print what would change.")] = False,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to write it.")
    ] = TableFormat.TEXT,
    config: Config = None,
) -> None:
    """Show what passes would bring: the size of each dump before and after. Nothing is written.

    Without -p: what linking the stages would bring.
    """
    from nirls.server.command_line import outputs
    from nirls.server.command_line import preview as previews
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.optimize import Optimizer, pass_runs
    from nirls.server.command_line.progress import with_progress
    from nirls.server.command_line.workspace import Workspace
    from nirls.server.preview import WHAT_IF

    runs = pass_runs(passes or WHAT_IF, options or [])
    inputs = _files_with_dumps(read_inputs(files))
    workspace = Workspace.of(inputs, _project_file(inputs, config))
    optimizer = Optimizer(workspace)
    for step in with_progress(optimizer.steps(runs), "optimizing"):
        step()
    found = previews.effects(workspace, optimizer)
    if format_ is TableFormat.JSON:
        previews.write_json(found)
    else:
        previews.show_table(found)
    if diff:
        outputs.write_diff(
            outputs.diff((document.file, optimizer.new_text(document)) for document in workspace.named())
        )


@app.command()
@_reporting_errors
def timeline(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log printed after every pass, or -.")],
    all_: Annotated[
        bool, typer.Option("--all", "-a", help="Also show the passes that changed nothing.")
    ] = False,
    shader: Annotated[
        str | None,
        typer.Option(
            "--shader", metavar="SHADER", help="Only this one: its number, stage, or part of its title."
        ),
    ] = None,
    diff_: Annotated[
        int | None, typer.Option("--diff", metavar="N", help="Show what pass N of the shader changed.")
    ] = None,
    format_: Annotated[
        TableFormat, typer.Option("--format", "-f", help="How to write it.")
    ] = TableFormat.TEXT,
) -> None:
    """List the passes of a log for each shader: what changed something, and the size before and after."""
    from nirls.server.command_line import timeline as timelines
    from nirls.server.command_line.diff import show_unified
    from nirls.server.command_line.inputs import read_inputs

    (file,) = _files_with_dumps(read_inputs([log])[:1])
    snapshot, found = timelines.read_timeline(file)
    found = timelines.chosen(found, shader)
    if diff_ is not None:
        step, texts = timelines.pass_texts(snapshot, found, diff_)
        show_unified(texts, f"before {step.name}", f"after {step.name}")
    elif format_ is TableFormat.JSON:
        timelines.write_json(found, hidden=all_)
    else:
        timelines.show_tables(found, hidden=all_)


@app.command()
@_reporting_errors
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="A dump: FILE, or FILE#N for its Nth dump.")],
    after: Annotated[str, typer.Argument(metavar="B", help="The dump to compare with.")],
    side_by_side: Annotated[
        bool, typer.Option("--side-by-side", "-y", help="Both beside each other instead of a unified diff.")
    ] = False,
) -> None:
    """Compare two dumps of a shader, matched by structure: other numbers are no difference.

    Exits with status 1 if they differ.
    """
    import shutil

    from nirls.server.command_line import diff as diffs
    from nirls.server.command_line.dump_argument import named_dumps

    differ = False
    for one, other in diffs.pairs_of(named_dumps(before), named_dumps(after)):
        texts = diffs.texts_of(one, other)
        if texts.same:
            continue
        differ = True
        if side_by_side:
            diffs.show_side_by_side(texts, one.name, other.name, shutil.get_terminal_size((160, 24)).columns)
        else:
            diffs.show_unified(texts, one.name, other.name)
    if differ:
        raise typer.Exit(FOUND)


@app.command()
@_reporting_errors
def report(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log printed after every pass, or -.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file to write.")],
    shader: Annotated[
        str | None,
        typer.Option(
            "--shader", metavar="SHADER", help="Only this one: its number, stage, or part of its title."
        ),
    ] = None,
    no_diffs: Annotated[
        bool, typer.Option("--no-diffs", help="Leave out what each pass changed, for a small file.")
    ] = False,
    config: Config = None,
) -> None:
    """Write what is known of a log into one HTML file: passes with diffs, findings, varyings.

    The file loads nothing from elsewhere and runs no script.
    """
    from nirls.server.checking import CheckSettings
    from nirls.server.command_line import outputs
    from nirls.server.command_line import timeline as timelines
    from nirls.server.command_line.inputs import read_inputs
    from nirls.server.command_line.report import report_of
    from nirls.server.report.page import page

    (file,) = _files_with_dumps(read_inputs([log])[:1])
    snapshot, found = timelines.read_timeline(file)
    settings = CheckSettings.of_project(_project_file([file], config))
    made = report_of(file, snapshot, timelines.chosen(found, shader), settings, diffs=not no_diffs)
    outputs.write_file(output, page(made).encode())


@app.command()
@_reporting_errors
def graph(
    kind: Annotated[GraphName, typer.Argument(metavar="KIND", help="What to draw.", show_choices=True)],
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE[#N]...", help="A dump, or the dumps of linked stages for varyings."),
    ],
    value: Annotated[
        int | None,
        typer.Option("--value", metavar="N", help="For values: only what %N is made of, and who reads it."),
    ] = None,
    format_: Annotated[
        GraphFormat, typer.Option("--format", "-f", help="How to write it.")
    ] = GraphFormat.DOT,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write it.")
    ] = None,
) -> None:
    """Draw a shader with Graphviz: cfg, values, dominators, post-dominators; varyings of a pipeline."""
    from nirls.server.command_line import graph as graphs
    from nirls.server.command_line import outputs

    dot = graphs.dot_of(kind.value, files, value)
    text = (graphs.svg_of(dot) if format_ is GraphFormat.SVG else dot).encode()
    if output is None:
        outputs.write_to_stdout([text])
    else:
        outputs.write_file(output, text)


@app.command()
@_reporting_errors
def serve(
    tcp: Annotated[
        str | None,
        typer.Option(
            "--tcp", metavar="[HOST:]PORT", help="Listen on a port of this machine instead of standard input."
        ),
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk over standard input and output, which is the default.")
    ] = False,
) -> None:
    """Start the language server."""
    if tcp is not None and stdio:
        raise CommandError("--tcp and --stdio exclude each other")
    place = None if tcp is None else _loopback(tcp)
    from nirls.server import language_server

    if place is None:
        language_server.serve_stdio()
    else:
        try:
            language_server.serve_tcp(*place)
        except OSError as error:
            raise CommandError(f"cannot listen on {place[0]}:{place[1]}: {error.strerror}") from None


@app.command()
@_reporting_errors
def passes() -> None:
    """List the passes, with their options."""
    from nirls.passes import registry

    for declared in registry.all_passes():
        typer.echo(declared.name)
        typer.echo(f"    {declared.summary}")
        stages = (
            "all stages"
            if declared.stages is None
            else ", ".join(sorted(stage.value.lower() for stage in declared.stages))
        )
        runs_on = "linked stages" if declared.scope == "pipeline" else f"single shaders ({stages})"
        if declared.alone:
            runs_on = f"linked stages, or single shaders ({stages})"
        typer.echo(
            f"    runs on {runs_on}; reports {'by default' if declared.default else 'when switched on'}"
        )
        if declared.codes:
            typer.echo(f"    finds {', '.join(code.code for code in declared.codes)}")
        for option in declared.options:
            typer.echo(f"    -o {option.name}={option.default}: {option.help}")
    for broken in registry.broken_passes():
        _complain(f"warning: cannot be used: {broken.source}: {broken.reason}")


@app.command()
@_reporting_errors
def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            metavar="CODE",
            help="A code as `check` prints it; all are listed without.",
            autocompletion=finding_codes,
        ),
    ] = None,
) -> None:
    """Print what a kind of finding means, why it matters, and an example."""
    from nirls.server.command_line.explain import explanation, show

    show(explanation(code))


def _uniform_option(values: list[str], passes: list[str]) -> list[str]:
    """`--set` as the option of the pass that takes them."""
    if values and not any("inline_uniforms" in names.split(",") for names in passes):
        raise CommandError("--set is for the pass inline_uniforms; name it with -p")
    return [f"inline_uniforms.set={','.join(values)}"] if values else []


def _report_verdicts(verdicts: list[Verified]) -> None:
    """Say what verification found; wrong results are a failure."""
    from nirls.passes.translation_validation import Equivalent
    from nirls.server.command_line.verification import summary

    for one in verdicts:
        if one.is_wrong or not isinstance(one.verdict, Equivalent):
            _complain(str(one))
    _complain(f"verified: {summary(verdicts)}")
    if any(one.is_wrong for one in verdicts):
        raise typer.Exit(FOUND)


def _complain(message: str) -> None:
    typer.echo(f"nirls: {message}", err=True)


def _files_with_dumps(inputs: list[InputFile]) -> list[InputFile]:
    """The files in which there is something to check; messages about the others."""
    useful = [file for file in inputs if file.has_dumps]
    for file in inputs:
        if not file.has_dumps:
            _complain(file.why_no_dumps)
    if not useful:
        raise typer.Exit(USAGE)
    return useful


def _project_file(inputs: list[InputFile], named: Path | None) -> ProjectFile | None:
    """The project file that was named, or the nearest; what is wrong with it goes to standard error."""
    from nirls.server.project_file import find_project_file, read_project_file

    if named is not None and not named.is_file():
        raise CommandError(f"{named}: no such file")
    places = [file.path for file in inputs if file.path is not None]
    path = named or find_project_file((places[0] if places else Path()).absolute())
    if path is None:
        return None
    project = read_project_file(path)
    for problem in project.problems:
        _complain(f"{path}: {problem}")
    return project


def _loopback(text: str) -> tuple[str, int]:
    """Host and port of `--tcp`. Only this machine may connect: the server has no notion of who asks."""
    host, _, port = text.rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise CommandError(f"--tcp listens on this machine only (127.0.0.1, localhost, ::1), not on {host}")
    if not port.isdecimal() or int(port) > 65535:
        raise CommandError(f"--tcp {text}: {port!r} is not a port")
    return host, int(port)
