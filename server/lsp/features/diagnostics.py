"""Diagnostics: pulled if the client supports the refresh request, else pushed."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Iterable, Mapping
from itertools import count
from weakref import WeakKeyDictionary

from lsprotocol import types

from nirls.server.engine.base.timing import at_once, in_slices
from nirls.server.engine.checks.check_scheduler import ProgressDisplay
from nirls.server.engine.checks.workspace_checks import WorkspaceChecks
from nirls.server.engine.documents.text_document import Document
from nirls.server.lsp.answers.coverage_text import coverage_text
from nirls.server.lsp.answers.diagnostics_while_typing import diagnostics_while_typing, has_many_findings
from nirls.server.lsp.answers.finding_diagnostics import diagnostics_of
from nirls.server.lsp.nirls_server import NirlsServer
from nirls.server.lsp.protocol import Encoded

PAUSE = 0.5
"""Seconds without an edit before all diagnostics are sent."""


def register_pull(server: NirlsServer) -> None:
    """Declare the handlers of pull diagnostics, which depend on the client. Called by `initialize`."""
    options = types.DiagnosticOptions(
        inter_file_dependencies=True, workspace_diagnostics=True, identifier="nirls"
    )
    empty = types.RelatedFullDocumentDiagnosticReport(items=[])

    async def pull(
        document: Document, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport | Encoded:
        server.scheduler.check_within_budget(document)
        result_id = _result_id(server, document)
        if params.previous_result_id == result_id:
            return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
        return await _encoded_report(server, document, result_id)

    server.handler_at_start(types.TEXT_DOCUMENT_DIAGNOSTIC, options, otherwise=empty)(
        server.with_document(pull, empty)
    )
    checks = WorkspaceChecks(
        server.files, server.linker, server.analyzers, lambda: server.workspace_diagnostic_refresh(None)
    )
    server.at_shutdown.append(checks.stop)

    @server.handler_at_start(types.WORKSPACE_DIAGNOSTIC, otherwise=types.WorkspaceDiagnosticReport([]))
    async def pull_all(params: types.WorkspaceDiagnosticParams) -> Encoded:
        """Return the known findings of open documents and files; later findings send a refresh request."""
        documents = list(server.documents)
        documents += [
            closed_document
            async for closed_document in server.files.closed_documents()
            if checks.wants(closed_document)
        ]
        checks.poll()
        previous = {one.uri: one.value for one in params.previous_result_ids}
        reports = []
        for document in documents:
            reports.append(await _report(server, document, previous.pop(document.uri, None)))
            await asyncio.sleep(0)
        # An empty report clears the diagnostics of documents that no longer exist.
        cleared = [types.WorkspaceFullDocumentDiagnosticReport(uri=uri, items=[]) for uri in previous]
        reports += [_encoded(server, one) for one in cleared]
        return Encoded(f'{{"items":[{",".join(reports)}]}}')


async def _report(server: NirlsServer, document: Document, known: str | None) -> Encoded:
    """Report the findings of one document for the workspace report; `known` is the client's resultId."""
    result_id = _result_id(server, document)
    version = document.snapshot.version if document.is_open else None
    if known != result_id:
        return await _encoded_report(server, document, result_id, uri=document.uri, version=version)
    unchanged = types.WorkspaceUnchangedDocumentDiagnosticReport(
        uri=document.uri, result_id=result_id, version=version
    )
    return _encoded(server, unchanged)


async def _encoded_report(
    server: NirlsServer, document: Document, result_id: str, **of_workspace: object
) -> Encoded:
    """Report the findings of a document; `of_workspace` are the further fields of a workspace report."""
    fields = {"kind": "full", "resultId": result_id, **of_workspace}
    return _with_list(fields, "items", await server.announcer.items(document))


def _encoded(server: NirlsServer, report: object) -> Encoded:
    return Encoded(json.dumps(server.protocol.plain(report)))


def _with_list(fields: Mapping[str, object], name: str, items: Encoded) -> Encoded:
    """Encode an object with a list that is JSON text already."""
    return Encoded(f'{json.dumps(fields)[:-1]},"{name}":{items}}}')


_numbers: WeakKeyDictionary[Document, int] = WeakKeyDictionary()
_next_number = count(1)


def _result_id(server: NirlsServer, document: Document) -> str:
    """Return the `resultId`: it changes with the document, its version and its findings."""
    number = _numbers.get(document)
    if number is None:
        number = _numbers[document] = next(_next_number)
    typing = ".typing" if server.announcer.waits_for_pause(document) else ""
    return f"{number}.{document.snapshot.version}.{document.generation}{typing}"


class Announcer:
    """Publishes the findings: some at each keystroke, all when typing pauses."""

    def __init__(self, server: NirlsServer) -> None:
        self._server = server
        self._pauses: WeakKeyDictionary[Document, asyncio.Task[None]] = WeakKeyDictionary()
        self._last: WeakKeyDictionary[Document, object] = WeakKeyDictionary()
        self._pending: WeakKeyDictionary[Document, str] = WeakKeyDictionary()

    def waits_for_pause(self, document: Document) -> bool:
        """Whether only some diagnostics of the document are sent until typing pauses."""
        return document in self._pauses

    async def items(self, document: Document) -> Encoded:
        """Return the diagnostics to send now, as a JSON list."""
        if self.waits_for_pause(document):
            items: Iterable[types.Diagnostic] = diagnostics_while_typing(self._server, document)[0]
        else:
            items = diagnostics_of(self._server, document)
        return await in_slices(self._server.protocol.encoded_list(items))

    async def publish(self, document: Document) -> None:
        """Push the diagnostics of a document, or request a new pull."""
        self._stop_waiting(document)
        self._tell_pending(document)
        if any(finding.fixes for findings in document.pass_findings.values() for finding in findings):
            self._server.fixer.prepare()
        if self._server.client.pulls_diagnostics:
            self._server.workspace_diagnostic_refresh(None)
            return
        snapshot, publication = document.snapshot, object()
        self._last[document] = publication
        items = await self.items(document)
        # Not if the text has changed meanwhile, or newer findings are on their way.
        if self._is_open(document) and document.snapshot is snapshot and self._last[document] is publication:
            self._push(document, items)

    def answer_edit(self, document: Document) -> None:
        """Push the diagnostics for a keystroke; clients that pull do so after each edit."""
        self._stop_waiting(document)
        self._tell_pending(document)
        if self._server.client.pulls_diagnostics:
            are_many = has_many_findings(document)
        else:
            items, are_many = diagnostics_while_typing(self._server, document)
            self._push(document, at_once(self._server.protocol.encoded_list(items)))
        if are_many:
            self._pauses[document] = asyncio.create_task(self._publish_after_pause(document))

    def _tell_pending(self, document: Document) -> None:
        """Have the client ask again for code lenses and the link status if other work is pending now."""
        if not self._server.link_watch.is_on:
            return
        pending = coverage_text(self._server, document)
        if self._pending.get(document, "") != pending:
            self._pending[document] = pending
            self._server.tell_links_changed([document.uri])

    async def _publish_after_pause(self, document: Document) -> None:
        await asyncio.sleep(PAUSE)
        self._pauses.pop(document)
        if self._is_open(document):
            await self.publish(document)

    def _is_open(self, document: Document) -> bool:
        return self._server.document(document.uri) is document

    def _stop_waiting(self, document: Document) -> None:
        pause = self._pauses.pop(document, None)
        if pause is not None:
            pause.cancel()

    def _push(self, document: Document, items: Encoded) -> None:
        fields = {"uri": document.uri, "version": document.snapshot.version}
        params = _with_list(fields, "diagnostics", items)
        self._server.protocol.notify_encoded(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    def begin_progress(self, title: str) -> ProgressDisplay:
        """Start a progress report for long work, if the client supports it."""
        return WorkDoneProgress(self._server, title) if self._server.client.progress else _NoProgress()


class WorkDoneProgress:
    """A progress report to the client, at most one message per percent."""

    def __init__(self, server: NirlsServer, title: str) -> None:
        self._progress = server.work_done_progress
        self._token = str(uuid.uuid4())
        self._title = title
        self._percentage = -1
        self._begun = False
        self._ended = False
        self._progress.create(self._token, lambda _: self._begin())

    def _begin(self) -> None:
        # The work may be done before the client has created the token.
        if not self._ended:
            self._begun = True
            self._progress.begin(self._token, types.WorkDoneProgressBegin(title=self._title, percentage=0))

    def report(self, done: int, total: int) -> None:
        percentage = 100 * done // max(total, 1)
        if self._begun and percentage > self._percentage:
            self._percentage = percentage
            message = f"{done} of {total}"
            report = types.WorkDoneProgressReport(message=message, percentage=percentage)
            self._progress.report(self._token, report)

    def end(self) -> None:
        self._ended = True
        if self._begun:
            self._progress.end(self._token, types.WorkDoneProgressEnd())


class _NoProgress:
    def report(self, done: int, total: int) -> None:
        pass

    def end(self) -> None:
        pass
