"""The pygls server with the state of nirls, and handlers that catch all exceptions."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, ParamSpec, Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException
from pygls.lsp.server import LanguageServer

from nirls.passes.varyings.interface.driver_profiles import Detected
from nirls.server.engine.base.installed import version_of
from nirls.server.engine.base.slices import in_slices
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.checks.check_scheduler import PASS_LANES, Audience, CheckScheduler
from nirls.server.engine.checks.fixing import LONGEST_FIX, Fixer, FixError, TextChangedError
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.document_driver import driver_of
from nirls.server.engine.documents.link_status import LinkWatch
from nirls.server.engine.documents.linking import LinkedPipeline, Linker, PlaceInPipeline, places_by_slot
from nirls.server.engine.documents.results_by_content import ResultsByContent
from nirls.server.engine.documents.workspace import Document, Workspace
from nirls.server.engine.documents.workspace_files import WorkspaceFiles
from nirls.server.engine.settings.client_settings import EditorSettings
from nirls.server.engine.worker.job import Budget
from nirls.server.engine.worker.pool import WorkerPool
from nirls.server.engine.worker.process import Worker, WorkerProcess
from nirls.server.lsp.background_imports import BackgroundImports
from nirls.server.lsp.client import Client
from nirls.server.lsp.large_dumps import large_dumps, parse
from nirls.server.lsp.protocol import Encoded, NirlsProtocol
from nirls.server.lsp.running_requests import RunningRequests, TooLongError

if TYPE_CHECKING:
    from nirls.passes.link_potential.potential import Side
    from nirls.passes.varyings.packing.table import PairPacking

_log = logging.getLogger(__name__)

_SILENT_SECONDS: Final = 0.2
"""Seconds of parsing after which progress is shown."""
_LONG_LIST: Final = 500
"""Items of a result above which it is converted to JSON in slices: 10,000 hints take a second."""

HandlerT = TypeVar("HandlerT", bound=Callable[..., Any])
AsyncHandler = Callable[[Any], Coroutine[Any, Any, Any]]
ParametersT = ParamSpec("ParametersT")
ResultT = TypeVar("ResultT")


class RequestFailedError(JsonRpcException):
    """A valid request that cannot be fulfilled."""

    CODE = int(types.LSPErrorCodes.RequestFailed)


class Diagnostics(Audience, Protocol):
    """The diagnostics of documents as the client has them."""

    def waits_for_pause(self, document: Document) -> bool: ...

    async def items(self, document: Document) -> Encoded: ...


class ProjectFileDiagnostics(Protocol):
    """The diagnostics of `nirls.toml` files."""

    def publish(self, documents: Iterable[Document]) -> None: ...

    def refresh(self) -> None: ...


class NirlsServer(LanguageServer):
    """The pygls server with the state of nirls: documents, analyzers, scheduler, client capabilities."""

    protocol: NirlsProtocol
    announcer: Diagnostics
    project_files: ProjectFileDiagnostics
    scheduler: CheckScheduler
    link_watch: LinkWatch
    packing: ResultsByContent[PairPacking]
    potential: ResultsByContent[Side]

    def __init__(self, pass_budget: Budget | None = None) -> None:
        super().__init__("nirls", version_of("nirls", "0"), protocol_cls=NirlsProtocol)
        self.client = Client()
        self._tasks: set[asyncio.Task[None]] = set()
        self.was_busy = False
        self.at_shutdown: list[Callable[[], None]] = []
        self.documents = Workspace()
        self.requests = RunningRequests()
        self.imports = BackgroundImports()
        self.files = WorkspaceFiles(self.documents)
        self.linker = Linker(self.documents)
        self.pass_budget = pass_budget or Budget()
        self.finder = WorkerPool([WorkerProcess(self.pass_budget) for _ in range(PASS_LANES)])
        # A process of its own: a requested fix must not wait for the findings of a whole log.
        maker = WorkerProcess(self.pass_budget)
        self.analyzer = Analyzer(self.documents, finder=self.finder, maker=maker)
        # Another process, because verification of a log takes long.
        self.verifier: Worker = WorkerProcess(self.pass_budget)
        self.analyzers = AnalyzersBySettings(self.analyzer, self.documents, self.linker)
        self.fixer = Fixer(maker, self.documents, min(LONGEST_FIX, self.pass_budget.seconds))

    def report_server_error(self, error: Exception, source: object) -> None:
        """Log an error in a message, and answer a message that is not JSON."""
        is_unreadable = isinstance(error, ValueError | RecursionError)  # RecursionError: nested too deep
        level = logging.WARNING if is_unreadable or isinstance(error, JsonRpcException) else logging.ERROR
        _log.log(level, "error while handling a message: %s: %s", type(error).__name__, error)
        if is_unreadable:
            self.protocol.refuse_unreadable(error)

    async def in_worker(
        self,
        seconds: float,
        function: Callable[ParametersT, ResultT],
        *arguments: ParametersT.args,
        **named: ParametersT.kwargs,
    ) -> ResultT:
        """Run a module-level function in a worker process, see `WorkerProcess.call`; return its result.

        If the caller is cancelled, the job ends.
        """
        maker, job = self.analyzer.maker, functools.partial(function, *arguments, **named)
        work = functools.partial(maker.call, seconds, job)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            maker.end_job(job)
            raise

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do work in a background task, held until it is done: the event loop holds only a weak reference."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Show a message in the editor."""
        self.window_show_message(types.ShowMessageParams(kind, message))

    def shutdown(self) -> None:
        """Stop all work, worker processes included. Called by pygls when the connection ends."""
        for end in self.at_shutdown:
            end()
        # pygls would join its threads, one of which may be blocked on standard input.
        self.scheduler.stop()
        self.fixer.stop()
        self.analyzer.finder.stop()
        self.analyzer.maker.stop()
        self.verifier.stop()

    def document(self, uri: str) -> Document | None:
        """Return the open document of a URI, if any."""
        return self.documents.get(uri)

    def require_text(self, document: Document, snapshot: Snapshot) -> None:
        """Raise JsonRpcContentModified if the document is closed or has another snapshot."""
        if self.document(document.uri) is not document or document.snapshot is not snapshot:
            raise JsonRpcContentModified(f"{document.uri} changed meanwhile")

    def editor_settings(self, document: Document) -> EditorSettings:
        """Return the editor settings of a document."""
        return self.analyzers.settings.of(document.path).editor

    def dump_of(self, data: object) -> tuple[Document, PlacedDump] | None:
        """Find the dump that the data of an item name by `uri` and `slot`; None if it is gone."""
        if not isinstance(data, dict):
            return None
        document = self.document(str(data.get("uri")))
        dump = None if document is None else document.place_of_slot(int(data.get("slot", 0)))
        return None if document is None or dump is None else (document, dump)

    def places_in_pipelines(self, document: Document, dump: PlacedDump) -> list[PlaceInPipeline]:
        """Return the pipelines that contain a dump, with its position in each."""
        return places_by_slot(self.linker.pipelines_of(document)).get(dump.piece.slot, [])

    def pipelines_with(self, document: Document, dump: PlacedDump) -> list[LinkedPipeline]:
        """Return the pipelines that contain a dump."""
        return [linked for linked, _ in self.places_in_pipelines(document, dump)]

    def packing_options(self, document: Document) -> Mapping[str, object]:
        """Return the `opt_varyings` options in the settings of a document."""
        return self.analyzers.of(document).settings.options.get("opt_varyings", {})

    def driver_of(self, document: Document) -> Detected:
        """Return the driver profile of a document, and why."""
        return driver_of(document, self.packing_options(document))

    def handler(
        self,
        method: str,
        options: object = None,
        *,
        otherwise: Any = None,
        prepare: Callable[[Any], object] | None = None,
        reads_text: bool = False,
        reads_ir: bool = False,
    ) -> Callable[[HandlerT], HandlerT]:
        """Register a handler whose exceptions are logged and answered with `otherwise`.

        It gets what `prepare` makes of the parameters, in a thread if the message is long.
        With `reads_text`, the request waits for `BackgroundImports` and is limited as in `RunningRequests`,
        and a handler that is no coroutine function runs in a thread if a dump at the positions of the
        request is large. With `reads_ir`, such dumps are parsed in a thread before.
        """

        def register(function: HandlerT) -> HandlerT:
            called: Callable[..., Any] = function
            if reads_text or reads_ir:
                called = self._limited(self._beside(function), reads_ir=reads_ir)
            if prepare is not None:
                self.protocol.preparations[method] = prepare
            self.feature(method, options)(guarded(called, otherwise, method))
            return function

        return register

    def on_document(
        self, method: str, options: object = None, *, otherwise: Any = None, **reads: Any
    ) -> Callable[[HandlerT], HandlerT]:
        """Register a handler that gets the open document of a request, and the parameters.

        If the document is not open, the answer is `otherwise`. `reads` are options of `handler`.
        """

        def register(function: HandlerT) -> HandlerT:
            def called(params: Any) -> Any:
                document = self.document(_uri_of(params))
                return otherwise if document is None else function(document, params)

            async def called_later(params: Any) -> Any:
                document = self.document(_uri_of(params))
                return otherwise if document is None else await function(document, params)

            made = called_later if inspect.iscoroutinefunction(function) else called
            self.handler(method, options, otherwise=otherwise, **reads)(made)
            return function

        return register

    def own_command(self, name: str, otherwise: Any = None) -> Callable[[AsyncHandler], AsyncHandler]:
        """Register a command whose exceptions are logged and answered with `otherwise`."""

        def register(function: AsyncHandler) -> AsyncHandler:
            self.command(name)(guarded(function, otherwise, name))
            return function

        return register

    def _limited(self, function: AsyncHandler, *, reads_ir: bool) -> AsyncHandler:
        @functools.wraps(function)
        async def limited(params: Any) -> Any:
            uri = _uri_of(params)
            called = functools.partial(self._after_parsing, uri, function) if reads_ir else function
            return await self.requests.run(uri, self._answer(called, params))

        return limited

    def _beside(self, function: Callable[..., Any]) -> AsyncHandler:
        """Make a coroutine function that runs a function in a thread if it reads a large dump."""
        if inspect.iscoroutinefunction(function):
            return function

        @functools.wraps(function)
        async def beside(params: Any) -> Any:
            document = self.document(_uri_of(params))
            if document is not None and any(large_dumps(document, params)):
                return await asyncio.to_thread(_with_ir_kept, document, function, params)
            return function(params)

        return beside

    async def _answer(self, function: AsyncHandler, params: Any) -> Any:
        """Call a handler when its imports are done, and encode a long list in slices."""
        await self.imports.for_requests()
        result = await function(params)
        if not isinstance(result, list) or len(result) < _LONG_LIST:
            return result
        return await in_slices(self.protocol.encoded_list(result))

    async def _after_parsing(self, uri: str, function: AsyncHandler, params: Any) -> Any:
        document = self.document(uri)
        if document is None:
            return await function(params)
        with document.ir_kept():
            for dump in large_dumps(document, params):
                if not document.state(dump.piece).has_shader:
                    await self._parse(document, dump)
            return await function(params)

    async def _parse(self, document: Document, dump: PlacedDump) -> None:
        """Parse a large dump in a thread, and show progress if that takes long."""
        work = asyncio.ensure_future(asyncio.to_thread(parse, document.state(dump.piece)))
        await asyncio.wait({work}, timeout=_SILENT_SECONDS)
        if work.done():
            work.result()
            return
        progress = self.announcer.begin_progress(f"Reading a dump of {dump.piece.line_ends} lines")
        try:
            await work
        finally:
            progress.end()


def _uri_of(params: Any) -> str:
    # The parameters of nirls' own requests are plain objects.
    item = getattr(params, "text_document", None) or params.textDocument
    return str(item.uri)


def _with_ir_kept(document: Document, function: Callable[[Any], Any], params: Any) -> Any:
    with document.ir_kept():
        return function(params)


def guarded(function: Callable[..., Any], otherwise: Any = None, name: str = "") -> Callable[..., Any]:
    """Wrap a function or coroutine function: exceptions are logged, and `otherwise` is returned.

    `name` identifies it in the message; by default, the qualified name of the function does.
    A JsonRpcException passes through to the client. A coroutine's FixError becomes `RequestFailed`, its
    TextChangedError `ContentModified`.
    """
    name = name or function.__qualname__
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def guard_async(*arguments: Any) -> Any:
            try:
                return await function(*arguments)
            except JsonRpcException:
                raise
            except TooLongError as error:
                raise RequestFailedError(f"{name}: {error}") from None
            except TextChangedError as error:
                raise JsonRpcContentModified(str(error)) from None
            except FixError as error:
                raise RequestFailedError(str(error)) from None
            except Exception:
                _log.exception("%s failed", name)
                return otherwise

        return guard_async

    @functools.wraps(function)
    def guard(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except JsonRpcException:
            raise
        except Exception:
            _log.exception("%s failed", name)
            return otherwise

    return guard
