"""Diagnostics of the `nirls.toml` files that apply to open documents.

They are pushed to every client, because clients do not open a `nirls.toml` with this server.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.finding_codes import problems_of_settings
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.project_file import ProjectFile
from nirls.server.engine.settings.structuring import ConfigProblem
from nirls.server.lsp.nirls_server import NirlsServer, guarded

_LONGEST_LINE = 1000


class ProjectFiles:
    """Publishes the diagnostics of project files, and keeps the last published state of each."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._published: dict[Path, ProjectFile] = {}

    def publish(self, documents: Iterable[Document]) -> None:
        """Publish the diagnostics of the project files of documents, if they changed."""
        for document in documents:
            project = self._server.linker.project_of(document)
            if project is None:
                continue
            before = self._published.get(project.path)
            if before == project:
                continue
            self._published[project.path] = project
            tell = guarded(self._tell, name="checking nirls.toml")
            self._server.start(tell(project, before is not None))

    def refresh(self) -> None:
        """Check the project files of all open documents; clear the diagnostics of deleted files."""
        for path in [path for path in self._published if not path.is_file()]:
            del self._published[path]
            self._publish(path, [])
        self.publish(self._server.documents)

    async def _tell(self, project: ProjectFile, was_told: bool) -> None:
        # In a thread: names of passes and codes may need all passes, which take half a second to import.
        problems = await asyncio.to_thread(_problems, project)
        is_newest = self._published.get(project.path) == project
        if is_newest and (problems or was_told):
            self._publish(project.path, problems)

    def _publish(self, path: Path, problems: list[types.Diagnostic]) -> None:
        params = types.PublishDiagnosticsParams(path.as_uri(), problems)
        self._server.text_document_publish_diagnostics(params)


def _problems(project: ProjectFile) -> list[types.Diagnostic]:
    unknown = [
        ConfigProblem(message, key)
        for key, _, message in (
            problem.partition(": ") for problem in problems_of_settings(CheckSettings.of_project(project))
        )
    ]
    found = (*project.problems, *unknown)
    lines = _lines(project.path) if found else []
    return [_diagnostic(problem, _line_of(problem, lines)) for problem in found]


def _diagnostic(problem: ConfigProblem, line: int) -> types.Diagnostic:
    return types.Diagnostic(
        range=types.Range(types.Position(line, 0), types.Position(line, _LONGEST_LINE)),
        severity=types.DiagnosticSeverity.Error,
        source="nirls",
        message=str(problem),
    )


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []


def _line_of(problem: ConfigProblem, lines: list[str]) -> int:
    """Find the line of a problem: the first that starts with the last component of its key."""
    if problem.line is not None:
        return problem.line
    name = problem.key.rpartition(".")[2].partition("[")[0]
    word = re.compile(rf"[\s\[.\"']*{re.escape(name)}[\"'\s\]=]")
    return next((number for number, line in enumerate(lines) if name and word.match(line + " ")), 0)
