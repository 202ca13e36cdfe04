"""Bug report on a failed pass: the failure, package versions and a reduced input."""

from __future__ import annotations

import platform
import re
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from sysconfig import get_platform

from nirls.passes import registry
from nirls.server.engine.base.installed import version_of
from nirls.server.engine.base.shown_text import printable
from nirls.server.engine.checks.failure_reduction import Smallest, smallest
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.worker.job import Budget, JobFailedError
from nirls.server.engine.worker.process import WorkerProcess

REDUCTION_SECONDS = 30.0
"""Time limit for the reduction of the input, in seconds."""

_PACKAGES = ("nirls", "pygls", "lsprotocol", "tree-sitter", "numpy")


def write_bug_report(failure: PassFailure, budget: Budget, seconds: float = REDUCTION_SECONDS) -> Path:
    """Write the report and its reduced input into a new temporary folder; return the path of the report.

    Raises OSError if they cannot be written.
    """
    found = _reduced(failure, budget, seconds)
    folder = Path(tempfile.mkdtemp(prefix="nirls-report-"))
    (folder / "input.nir").write_bytes(b"\n".join(found.texts))
    report = folder / "report.md"
    report.write_text(report_text(failure, found), encoding="utf-8", errors="replace")
    return report


def report_text(failure: PassFailure, found: Smallest) -> str:
    """The report as Markdown."""
    parts = [
        f"# {_title(failure)}",
        "\n".join(_facts(failure)),
        f"## Input\n\n{_about_input(found)}\n\n{_fenced(_shown(found))}",
        f"To see it again: {_code(_command(failure))}",
    ]
    if failure.trace:
        parts.insert(2, f"## Where\n\n{_fenced(failure.trace)}")
    return "\n\n".join(parts) + "\n"


def _reduced(failure: PassFailure, budget: Budget, seconds: float) -> Smallest:
    reducer = WorkerProcess(Budget(seconds, budget.megabytes * 2))
    try:
        return reducer.call(2 * seconds + 60, smallest, failure, seconds, budget.megabytes)
    except JobFailedError:
        # The reduction itself exceeds its limits: report the unreduced dump.
        return Smallest(failure.texts, 0, 0, False)
    finally:
        reducer.stop()


def _facts(failure: PassFailure) -> Iterable[str]:
    yield f"- pass: {_code(failure.pass_name)}{_origin(failure.pass_name)}"
    yield f"- what happened: it {failure.cause.value}"
    options = failure.settings.options.get(failure.pass_name)
    if options:
        yield f"- options: {_code(repr(dict(options)))}"
    versions = [f"{name} {version}" for name in _PACKAGES if (version := version_of(name))]
    # `platform.platform()` would start the program `uname`.
    yield f"- versions: {', '.join(versions)}, Python {platform.python_version()}, {get_platform()}"


def _about_input(found: Smallest) -> str:
    if not found.is_reproduced:
        return "The pass did not go wrong again when the input was to be made smaller; this is all of it."
    return f"Reduced from {found.instructions_before} instructions to {found.instructions}."


def _shown(found: Smallest) -> str:
    return b"\n".join(found.texts).decode("utf-8", "replace")


def _title(failure: PassFailure) -> str:
    """First line of the failure message with Markdown escaped, as an exception may quote a dump."""
    return re.sub(r"([^\w\s.,;:()'-]|:(?=\S))", r"\\\1", printable(failure.message.splitlines()[0]))


def _command(failure: PassFailure) -> str:
    options = failure.settings.options.get(failure.pass_name, {})
    given = [word for name, value in options.items() for word in ("-o", f"{name}={value}")]
    return shlex.join(["nirls", "opt", "-p", failure.pass_name, *given, "input.nir"])


def _code(text: str) -> str:
    """Markdown code span, fenced by more backticks than the text contains in a row."""
    text = printable(text)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}" if longest else f"`{text}`"


def _fenced(text: str) -> str:
    """Markdown code block, fenced by more backticks than the text contains in a row."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _origin(pass_name: str) -> str:
    declared = registry.find(pass_name)
    return "" if declared is None else f" of `{declared.__module__}`"
