"""The pygls server with the state of nirls, and handlers that catch all exceptions."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, Final, ParamSpec, Protocol, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException
from pygls.lsp.server import LanguageServer

from nirls.passes.varyings.interface.driver_profiles import Detected
from nirls.server.engine.base.installed import version_of
from nirls.server.engine.base.timing import in_slices
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.checks.check_scheduler import PASS_LANES, Audience, CheckScheduler
from nirls.server.engine.checks.fixing import LONGEST_FIX, Fixer, FixError, TextChangedError
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.server.engine.documents.document_driver import driver_of
from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.engine.documents.link_status import LinkWatch
from nirls.server.engine.documents.linking import LinkedPipeline, Linker, PlaceInPipeline, places_by_slot
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.documents.workspace_files import WorkspaceFiles
from nirls.server.engine.settings.client_settings import EditorSettings
from nirls.server.engine.worker.job import Budget
from nirls.server.engine.worker.pool import WorkerPool
from nirls.server.engine.worker.process import Worker, WorkerProcess
from nirls.server.lsp.client import Client
from nirls.server.lsp.feature_table import Feature
from nirls.server.lsp.own_messages import DumpItem, arguments_of, request_of
from nirls.server.lsp.protocol import Encoded, NirlsProtocol
from nirls.server.lsp.running_requests import RunningRequests, TooLongError

_log = logging.getLogger(__name__)

_LONG_LIST: Final = 500
"""Items of a result above which it is converted to JSON in slices: 10,000 hints take a second."""

LINKS_CHANGED: Final = "nirls/linkStatusChanged"
"""Notification with the `uri` of a document whose links changed, if the client asked for link statuses."""

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

    def __init__(
        self, pass_budget: Budget | None = None, new_worker: Callable[[Budget], Worker] = WorkerProcess
    ) -> None:
        super().__init__("nirls", version_of("nirls", "0"), protocol_cls=NirlsProtocol)
        self.client = Client()
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: dict[str, Callable[..., Any]] = {}
        self._imported: set[str] = set()
        self.at_shutdown: list[Callable[[], None]] = []
        self.documents = Workspace()
        self.requests = RunningRequests()
        self.files = WorkspaceFiles(self.documents)
        self.linker = Linker(self.documents)
        self.link_watch = LinkWatch(self.documents, self.linker, self.tell_links_changed)
        self.shows_links = False
        self.pass_budget = pass_budget or Budget()
        self.finder = WorkerPool([new_worker(self.pass_budget) for _ in range(PASS_LANES)])
        # A process of its own: a requested fix must not wait for the findings of a whole log.
        maker = new_worker(self.pass_budget)
        self.analyzer = Analyzer(self.documents, finder=self.finder, maker=maker)
        # Another process, because verification of a log takes long.
        self.verifier: Worker = new_worker(self.pass_budget)
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

    def tell_links_changed(self, uris: list[str]) -> None:
        """Tell the client that other links, or other pending work, are to be shown for documents."""
        if self.shows_links:
            for uri in uris:
                self.protocol.notify_plain(LINKS_CHANGED, {"uri": uri})
        if self.client.refreshes_lenses:
            self.workspace_code_lens_refresh(None)
        if self.client.refreshes_hints:
            self.workspace_inlay_hint_refresh(None)

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

    def dump_of(self, item: DumpItem | None) -> tuple[Document, PlacedDump] | None:
        """Find the dump that an item names; None if it is gone."""
        document = None if item is None else self.document(item.uri)
        dump = None if document is None or item is None else document.place_of_slot(item.slot)
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

    def declare(self, feature: Feature) -> None:
        """Declare the messages of a feature; its module is imported at the first of them."""
        for method, options in feature.methods.items():
            self.feature(method, options)(self._importing(feature.module, method))
        for name in feature.commands:
            self.command(name)(self._importing(feature.module, name))

    def _importing(self, module: str, name: str) -> AsyncHandler:
        async def answer(*arguments: Any) -> Any:
            if name not in self._handlers:
                await self._import(module, arguments)
            answered = self._handlers[name](*arguments)
            return await answered if inspect.isawaitable(answered) else answered

        return answer

    async def _import(self, module: str, arguments: Sequence[Any]) -> None:
        """Import the module of a feature in a thread, as that takes up to 0.3 s, and register its handlers.

        Raises JsonRpcContentModified if the text that the request is about changes meanwhile.
        """
        document = self.document(_uri_of(arguments[0])) if arguments and _has_uri(arguments[0]) else None
        snapshot = None if document is None else document.snapshot
        feature = await asyncio.to_thread(import_module, f"nirls.server.lsp.features.{module}")
        if module not in self._imported:
            self._imported.add(module)
            feature.register(self)
        if document is not None and snapshot is not None:
            self.require_text(document, snapshot)

    def handler(
        self,
        method: str,
        *,
        otherwise: Any = None,
        takes: type | None = None,
        reads_text: bool = False,
        reads_ir: bool = False,
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the handler of a message that `declare` has declared, or a command.

        `takes` is the dataclass of the parameters of a request of nirls' own, see `own_messages`.
        Its exceptions are logged and answered with `otherwise`. With `reads_text`, the request is limited as
        in `RunningRequests`, and a handler that is no coroutine function runs in a thread. With `reads_ir`,
        the dumps at its positions are also parsed in a thread before.
        """

        def register(function: HandlerT) -> HandlerT:
            called: Callable[..., Any] = function
            if reads_text or reads_ir:
                called = self._limited(function, reads_ir=reads_ir)
            if takes is not None:
                called = _after_reading(called, takes)
            self._handlers[method] = guarded(called, otherwise, method)
            return function

        return register

    def command_handler(
        self, name: str, takes: type, *, otherwise: Any = None
    ) -> Callable[[HandlerT], HandlerT]:
        """Register the handler of a command, which gets its arguments as an object of a dataclass."""

        def register(function: HandlerT) -> HandlerT:
            async def called(*arguments: Any) -> Any:
                return await function(arguments_of(takes, arguments))

            self._handlers[name] = guarded(called, otherwise, name)
            return function

        return register

    def handler_at_start(
        self, method: str, options: object = None, *, otherwise: Any = None
    ) -> Callable[[HandlerT], HandlerT]:
        """Declare a message and register its handler at once, unlike `declare`.

        A handler that is no coroutine function is done before the next message is taken, as edits need it.
        """

        def register(function: HandlerT) -> HandlerT:
            self.feature(method, options)(guarded(function, otherwise, method))
            return function

        return register

    def on_document(
        self, method: str, *, otherwise: Any = None, takes: type | None = None, **reads: bool
    ) -> Callable[[HandlerT], HandlerT]:
        """Register a handler that gets the open document of a request, and the parameters.

        If the document is not open, the answer is `otherwise`. `takes` and `reads` are options of `handler`.
        """

        def register(function: HandlerT) -> HandlerT:
            self.handler(method, otherwise=otherwise, takes=takes, **reads)(
                self.with_document(function, otherwise)
            )
            return function

        return register

    def with_document(self, function: Callable[..., Any], otherwise: Any = None) -> Callable[[Any], Any]:
        """Make a handler of a function that gets the open document too; `otherwise` is the answer without."""

        @functools.wraps(function)
        def called(params: Any) -> Any:
            document = self.document(_uri_of(params))
            return otherwise if document is None else function(document, params)

        @functools.wraps(function)
        async def called_later(params: Any) -> Any:
            document = self.document(_uri_of(params))
            return otherwise if document is None else await function(document, params)

        return called_later if inspect.iscoroutinefunction(function) else called

    def _limited(self, function: Callable[..., Any], *, reads_ir: bool) -> AsyncHandler:
        async def answer(params: Any) -> Any:
            document = self.document(_uri_of(params))
            if reads_ir and document is not None:
                with document.ir_kept():
                    await self._parse(document, params)
                    return await self._answer(function, params)
            return await self._answer(function, params)

        @functools.wraps(function)
        async def limited(params: Any) -> Any:
            return await self.requests.run(_uri_of(params), answer(params))

        return limited

    async def _answer(self, function: Callable[..., Any], params: Any) -> Any:
        """Call a handler, in a thread if it is no coroutine function, and encode a long list in slices."""
        if inspect.iscoroutinefunction(function):
            result = await function(params)
        else:
            result = await asyncio.to_thread(function, params)
        if not isinstance(result, list) or len(result) < _LONG_LIST:
            return result
        return await in_slices(self.protocol.encoded_list(result))

    async def _parse(self, document: Document, params: Any) -> None:
        """Parse the dumps that a request reads, in a thread: the IR of 30,000 instructions takes a second."""
        for first, last in _lines_of(params):
            for dump in document.snapshot.dumps_in_lines(first, last):
                state = document.state(dump.piece)
                if not state.has_shader:
                    await asyncio.to_thread(_read, state)


def _has_uri(params: Any) -> bool:
    return hasattr(params, "text_document") or hasattr(params, "textDocument")


def _after_reading(function: Callable[..., Any], kind: type) -> Callable[..., Any]:
    """Make a handler that reads the parameters of a request of nirls' own first."""
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def called_later(params: Any) -> Any:
            return await function(request_of(kind, params))

        return called_later

    @functools.wraps(function)
    def called(params: Any) -> Any:
        return function(request_of(kind, params))

    return called


def _uri_of(params: Any) -> str:
    # The parameters of nirls' own requests are plain objects until they are read.
    item = getattr(params, "text_document", None) or params.textDocument
    return str(item.uri)


def _lines_of(params: Any) -> Iterator[tuple[int, int]]:
    """Yield the first and last lines at the range, the position and the positions of a request."""
    if hasattr(params, "range"):
        yield params.range.start.line, params.range.end.line
    positions = params.positions if hasattr(params, "positions") else ()
    position = getattr(params, "position", None)
    for place in (*positions, *(() if position is None else (position,))):
        yield place.line, place.line


def _read(state: DumpState) -> None:
    """Compute what most requests need: the IR, its places in the text, and the convergence of its values."""
    # Imported with the first request; both import the IR, which diagnostics do without.
    from nirls.server.ide.convergence import Convergence
    from nirls.server.ide.cursor.places import Places

    state.of_shader(Places)
    state.of_shader(Convergence)


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
