"""The `nirls` command with its subcommands."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Callable
from importlib import import_module, resources
from typing import Annotated, Any, Final, ParamSpec

import typer
from typer.core import TyperGroup

from nirls.server.cli import outputs
from nirls.server.cli.errors import INTERNAL, USAGE, CommandError, complain
from nirls.server.cli.progress import reading
from nirls.server.engine.base.installed import version_of
from nirls.server.engine.base.shown_text import trace_text
from nirls.server.engine.files.input_files import InputError

P = ParamSpec("P")

COMMANDS: Final = (
    "check",
    "opt",
    "tcs",
    "reduce",
    "run",
    "link",
    "pack",
    "print",
    "preview",
    "inline",
    "timeline",
    "verify",
    "testcase",
    "stats",
    "diff",
    "report",
    "graph",
    "serve",
    "passes",
    "explain",
    "cache",
)
"""The commands in the order of the help text. Each is a function in a module of the same name in
`nirls.server.cli.commands`, with `_` appended to the name of a built-in function."""

_PACKAGE: Final = "nirls.server.cli.commands"


class _Commands(TyperGroup):
    """The command group; each command is imported on use."""

    def make_context(self, *args: Any, **named: Any) -> Any:
        # Writes the help text. What cannot be written is told in one way, and not with typer's exit status.
        with outputs.writable():
            return super().make_context(*args, **named)

    def invoke(self, ctx: Any) -> Any:
        try:
            with outputs.writable():
                return super().invoke(ctx)
        except typer.BadParameter as error:
            # typer reads values with Pydantic, and repeats its prefix.
            error.message = error.message.replace("Value error, ", "", 1)
            raise

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        name = _function_name(cmd_name)
        with reading():  # imports take a second and more on a busy machine
            function = getattr(import_module(f"{_PACKAGE}.{name}"), name)
        only = typer.Typer(add_completion=False, rich_markup_mode=None)
        only.command(cmd_name)(_reporting_errors(function))
        return typer.main.get_command(only)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name)) for name in COMMANDS])


def _function_name(command: str) -> str:
    """Return the name of a command's function and module."""
    return f"{command}_" if hasattr(builtins, command) else command


def _summary(command: str) -> str:
    """Return the first paragraph of a command's docstring, without importing the command."""
    name = _function_name(command)
    source = resources.files(_PACKAGE).joinpath(f"{name}.py")
    if not source.is_file():  # bundled without sources
        return str(getattr(import_module(f"{_PACKAGE}.{name}"), name).__doc__)
    tree = ast.parse(source.read_text(encoding="utf-8"))
    function = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name)
    return (ast.get_docstring(function) or "").partition("\n\n")[0]


app = typer.Typer(
    name="nirls",
    cls=_Commands,
    help="Work on text dumps of NIR, the shader IR of the Mesa graphics drivers.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def nirls(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    """Work on text dumps of NIR, the shader IR of the Mesa graphics drivers."""
    if version:
        typer.echo(f"nirls {version_of('nirls')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(USAGE)


def _reporting_errors(command: Callable[P, None]) -> Callable[P, None]:
    """Wrap a command: every error becomes a message on standard error and an exit status."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with outputs.writable():
                command(*args, **kwargs)
        except CommandError as error:
            complain(str(error))
            raise typer.Exit(error.status) from None
        except InputError as error:
            complain(str(error))
            raise typer.Exit(USAGE) from None
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except Exception as error:
            raise _internal_error(error) from error

    return wrapped


def _internal_error(error: Exception) -> typer.Exit:
    """Report an unexpected exception, with its trace for a bug report; return the exit to raise."""
    typer.echo(trace_text(error), err=True, nl=False)
    complain(f"internal error: {type(error).__name__}: {error}")
    return typer.Exit(INTERNAL)
