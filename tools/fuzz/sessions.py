"""Fuzzing with sessions: what editors send, good and bad, to the real server.

After the edits of a session, what the server says of each document must equal what another server says that
was just given the same texts.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import psutil

from tools.fuzz.edited_text import EditedText
from tools.fuzz.failures import Failure
from tools.fuzz.notes import Wrong
from tools.fuzz.requests import AT_PLACE, OF_ALL, OWN, request_params
from tools.fuzz.samples import samples
from tools.fuzz.tally import FuzzTally, in_time
from tools.fuzz.text_mutations import mutated
from tools.lsp_client import LspClient, Message, RefusedError

SERVE: Final = [sys.executable, "-P", "-m", "nirls.server", "serve"]
LIMIT: Final = 180.0
"""Seconds that one answer may take; a machine that does much else is slow."""

_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_MOVES = 40
_LARGEST = 60_000
_SETTLED_WITHIN: Final = 120.0
METHODS = (*(f"textDocument/{name}" for name in (*AT_PLACE, *OF_ALL)), *OWN, "workspace/symbol")
_ODD_TEXTS = (
    "",
    "\n",
    "é",
    "𝄞",
    "\r\n",
    "\r",
    "}\n",
    "    32    %1 = fadd %0, %0\n",
    "shader: MESA_SHADER_VERTEX\n",
)
_MARK_OF_ERROR = b" failed\nTraceback"
_MARK_OF_DELAY: Final = b"the server was busy"


class FuzzSession:
    """One server, the documents that a client has open in it, and random moves of that client."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.rng = random.Random(seed)
        self.encoding = _ENCODINGS[seed % 3]
        self.pulls = seed % 2 == 0
        self.folder = folder
        self.client = start(folder, self.encoding, pulls=self.pulls)
        self.open: dict[str, EditedText] = {}
        self.versions: dict[str, int] = {}
        self.first_workers: set[int] = set()
        self.samples = [text for text in samples() if len(text) < _LARGEST]

    def moves(self, number: int) -> list[int]:
        """The seeds of so many moves."""
        return [self.rng.randrange(1 << 32) for _ in range(number)]

    def carry_out(self, move: int) -> None:
        """Do the move of a seed. What it does depends on the documents that are open now."""
        rng = random.Random(move)
        doing = rng.choices(
            (
                *(self._edit, self._request, self._open, self._close, self._save, self._nonsense),
                *(self._race, self._kill),
            ),
            (10, 6, 1.5, 1, 1, 2, 2, 0.5),
        )[0]
        doing(rng)

    def views(self) -> dict[str, Message]:
        """Return the server's answers for each document once its passes have run."""
        return {uri: view(self.client, uri, text, pulls=self.pulls) for uri, text in self.open.items()}

    def _uri(self, rng: random.Random) -> str | None:
        return rng.choice(sorted(self.open)) if self.open else None

    def _open(self, rng: random.Random) -> None:
        uri = (self.folder / rng.choice(("a.vert.nir", "a.frag.nir", "b.log", "größe 𝄞.nir"))).as_uri()
        text = rng.choice(
            (b"", rng.choice(self.samples), mutated(self.samples, rng), mutated(self.samples, rng))
        )
        shown = text.decode("utf-8", "replace")
        self.open[uri] = EditedText(shown, self.encoding)
        self.versions[uri] = rng.choice((0, 1, 7))
        item = {"uri": uri, "languageId": "nir", "version": self.versions[uri], "text": shown}
        # Open already or not: a server takes the newer text.
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def _close(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is not None:
            del self.open[uri]
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _save(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is not None:
            self.client.notify("textDocument/willSave", {"textDocument": {"uri": uri}, "reason": 1})
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def _edit(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is None:
            self._open(rng)
            return
        text = self.open[uri]
        changes = []
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            change = _change(text, self.samples, rng)
            changes.append(change)
            text.change([change])
        self.versions[uri] += rng.choice((1, 1, 1, 1, 5, 0, -3))
        document = {"uri": uri, "version": self.versions[uri]}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _request(self, rng: random.Random) -> None:
        self._ask(rng, wait=True)

    def _ask(self, rng: random.Random, *, wait: bool) -> str | None:
        uri = self._uri(rng) or "file:///nowhere.nir"
        text = self.open.get(uri)
        places = [{"line": 10**6, "character": 10**6}, {"line": 3, "character": 5}]
        if text is not None:
            places += [text.position(rng.randrange(len(text.text) + 1)) for _ in range(3)]
        method = rng.choice(METHODS)
        params = request_params(method, uri, places, rng)
        if not wait:
            return self.client.ask(method, params)
        with contextlib.suppress(RefusedError):
            answer(self.client, method, params)
        return None

    def _race(self, rng: random.Random) -> None:
        """Send requests without waiting for answers, with edits in between, and cancel some of them."""
        numbers = []
        for _ in range(rng.randrange(1, 6)):
            numbers.append(self._ask(rng, wait=False))
            if rng.random() < 0.5:
                self._edit(rng)
        for number in numbers:
            if rng.random() < 0.5:
                self.client.notify("$/cancelRequest", {"id": number})

    def _kill(self, rng: random.Random) -> None:
        """Kill a worker process, as the system does that is out of memory.

        Not one that has replaced a killed one: its job is done for the second time, and given up at the next.
        """
        workers = psutil.Process(self.client.process.pid).children()
        self.first_workers = self.first_workers or {worker.pid for worker in workers}
        workers = [worker for worker in workers if worker.pid in self.first_workers]
        if workers:
            with contextlib.suppress(psutil.NoSuchProcess):
                rng.choice(sorted(workers, key=lambda worker: worker.pid)).kill()

    def _nonsense(self, rng: random.Random) -> None:
        """Send messages that no editor sends; none of them may change the server's documents."""
        uri = self._uri(rng) or "file:///nowhere.nir"
        here = {"uri": "file:///not/open.nir", "version": 3}
        messages: tuple[Message, ...] = (
            {"method": "no/such/notification", "params": {}},
            {"method": "no/such/request", "id": f"x{rng.random()}", "params": [1, 2]},
            {"id": 10**9, "result": {"nobody": "asked"}},
            {"id": 10**9, "error": {"code": 1, "message": "nobody asked"}},
            {"method": "$/cancelRequest", "params": {"id": 10**9}},
            {"method": "textDocument/didChange", "params": {"textDocument": here, "contentChanges": []}},
            {"method": "textDocument/didClose", "params": {"textDocument": here}},
            {"method": "textDocument/didSave", "params": {"textDocument": here}},
            {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 3}}},
            {
                "method": "textDocument/hover",
                "id": f"y{rng.random()}",
                "params": {"textDocument": {"uri": uri}},
            },
            {"method": "textDocument/hover", "id": f"z{rng.random()}", "params": None},
            {
                "method": "codeAction/resolve",
                "id": f"r{rng.random()}",
                "params": {"title": "x", "data": {"uri": uri}},
            },
            {"method": "workspace/didChangeConfiguration", "params": {"settings": None}},
            {"method": "workspace/didChangeWatchedFiles", "params": {"changes": [{"uri": uri, "type": 3}]}},
            {"method": "$/setTrace", "params": {"value": "messages"}},
            {"method": "window/workDoneProgress/cancel", "params": {"token": "none"}},
        )
        self.client.send(rng.choice(messages))


def fuzz_sessions(
    seeds: Iterable[int],
    seconds: float | None,
    on_failure: Callable[[Failure], None] = lambda _: None,
    moves: int = _MOVES,
) -> FuzzTally:
    """Hold the sessions of the seeds, for so long at most."""
    tally = FuzzTally(on_failure)
    for seed in in_time(seeds, seconds):
        for wrong in tally.new(replay(seed, moves)):
            tally.add(Failure("session", seed, wrong, moves=_fewest_moves(seed, moves, wrong)))
    return tally


def replay(seed: int, moves: int = _MOVES) -> tuple[Wrong, ...]:
    """Run the session of a seed with its first moves, or with all of them; return what goes wrong."""
    with tempfile.TemporaryDirectory(prefix="nirls-fuzz-") as name:
        folder = Path(name)
        log = folder / "stderr"
        with log.open("wb") as file, errors_to(file):
            try:
                session = FuzzSession(seed, folder)
            except (OSError, RuntimeError) as error:
                return (Wrong("start", f"the server did not start: {error}"),)
            with session.client:
                wrong = _held(session, moves)
        return (*wrong, *logged(log.read_bytes()))


def logged(errors: bytes) -> Iterator[Wrong]:
    """Failures in the log of a server: an exception in a handler, a turn of the event loop that took long."""
    if _MARK_OF_ERROR in errors:
        trace = errors[max(0, errors.index(_MARK_OF_ERROR) - 200) :].decode("utf-8", "replace")
        yield Wrong("handler", trace.strip().rpartition("\n")[2][:300], trace[:6000])
    if _MARK_OF_DELAY in errors:
        stack = errors[errors.index(_MARK_OF_DELAY) :].decode("utf-8", "replace")
        yield Wrong("event loop", stack.partition(":\n")[0], stack[:6000])


def _held(session: FuzzSession, number: int) -> list[Wrong]:
    done = 0
    try:
        for move in session.moves(number):
            session.carry_out(move)
            done += 1
        return _compare(session)
    except RefusedError as error:
        return [Wrong(f"move {done}", f"is refused: {error}")]
    except RuntimeError as error:
        what = "took too long" if "no answer within" in str(error) else "ended its process"
        return [Wrong(f"move {done}", f"{what}: {error}")]
    except OSError as error:
        return [Wrong(f"move {done}", f"ended its process: {error}")]


def _compare(session: FuzzSession) -> list[Wrong]:
    """The same documents, opened in a fresh server."""
    with start(session.folder, session.encoding, pulls=session.pulls) as fresh:
        for uri, text in session.open.items():
            item = {"uri": uri, "languageId": "nir", "version": session.versions[uri], "text": text.text}
            fresh.notify("textDocument/didOpen", {"textDocument": item})
        # Both go on until nothing is to come; then they must agree.
        end = time.monotonic() + _SETTLED_WITHIN
        while True:
            wanted = {uri: view(fresh, uri, text, pulls=session.pulls) for uri, text in session.open.items()}
            found = session.views()
            if found == wanted or time.monotonic() > end:
                break
            time.sleep(0.2)
    return [
        Wrong(
            f"view of {uri.rpartition('/')[2]}",
            f"{part} differ: {_difference(found[uri][part], wanted[uri][part])}",
        )
        for uri in wanted
        for part in wanted[uri]
        if found[uri][part] != wanted[uri][part]
    ]


def view(client: LspClient, uri: str, text: EditedText, *, pulls: bool) -> Message:
    """The answers of a server for a document: what an editor requests by itself, and hovers."""
    document = {"textDocument": {"uri": uri}}
    answer(client, "workspace/executeCommand", {"command": "nirls.runPasses", "arguments": [uri]})
    shown: Message = {
        "symbols": answer(client, "textDocument/documentSymbol", document),
        "folds": answer(client, "textDocument/foldingRange", document),
        "tokens": (answer(client, "textDocument/semanticTokens/full", document) or {}).get("data"),
    }
    rng = random.Random(len(text.text))
    for number in range(5):
        place = text.position(rng.randrange(len(text.text) + 1))
        shown[f"hover {number}"] = answer(client, "textDocument/hover", {**document, "position": place})
    if pulls:
        items = answer(client, "textDocument/diagnostic", document)["items"]
    else:
        client.wait_until_told(uri, LIMIT)
        items = client.diagnostics[uri]
    shown["diagnostics"] = sorted(json.dumps(_without_data(item), sort_keys=True) for item in items)
    return shown


def _without_data(item: Message) -> Message:
    return {key: value for key, value in item.items() if key != "data"}


def start(folder: Path, encoding: str, *, pulls: bool) -> LspClient:
    """Start a server for a client with a position encoding, which pulls diagnostics or has them published.

    Raises RuntimeError if the server does not answer `initialize`.
    """
    client = LspClient(SERVE, folder)
    code_actions: Message = {
        "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}},
        "dataSupport": True,
        "resolveSupport": {"properties": ["edit"]},
    }
    text_document: Message = {
        "hover": {"contentFormat": ["markdown"]},
        "publishDiagnostics": {},
        "codeAction": code_actions,
    }
    workspace: Message = {"workspaceFolders": True, "workspaceEdit": {"documentChanges": True}}
    if pulls:
        text_document["diagnostic"] = {}
        workspace["diagnostics"] = {"refreshSupport": True}
    general: Message = {"positionEncodings": [encoding]}
    try:
        answer = client.start({"general": general, "textDocument": text_document, "workspace": workspace})
        agreed = answer["positionEncoding"]
        if agreed != encoding:
            raise RuntimeError(f"{encoding} was offered, and {agreed} chosen")
    except (OSError, RuntimeError):
        client.__exit__()
        raise
    return client


def _change(text: EditedText, texts: list[bytes], rng: random.Random) -> Message:
    if rng.random() < 0.05:
        return {"text": rng.choice(("", mutated(texts, rng).decode("utf-8", "replace")))}
    size = len(text.text)
    start = rng.randrange(size + 1)
    end = min(size, start + rng.choice((0, 0, 1, 2, 10, 60, 400)))
    range_ = {"start": text.position(start), "end": text.position(end)}
    odd = rng.random()
    if odd < 0.04:
        range_["end"] = {"line": 10**6, "character": 10**6}
    elif odd < 0.08:
        range_["end"] = {"line": range_["start"]["line"], "character": 10**6}
    elif odd < 0.1:
        range_ = {"start": range_["end"], "end": range_["start"]}
    lines = rng.choice(texts).decode("utf-8", "replace").splitlines(keepends=True) or [""]
    at = rng.randrange(len(lines))
    new = rng.choice(
        (rng.choice(_ODD_TEXTS), "".join(lines[at : at + rng.choice((1, 2, 8))]), lines[at][5:14])
    )
    return {"range": range_, "text": new}


def answer(client: LspClient, method: str, params: object) -> Any:
    """The result of a request. Raises RefusedError, and RuntimeError without a response."""
    return client.request(method, params, LIMIT)


def _difference(found: Any, wanted: Any) -> str:
    one, other = json.dumps(found), json.dumps(wanted)
    at = next((index for index, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), 0)
    return f"...{one[max(0, at - 80) : at + 120]} instead of ...{other[max(0, at - 80) : at + 120]}"


def _fewest_moves(seed: int, moves: int, wrong: Wrong) -> int:
    """Return how many of the first moves show a failure, found by halving."""
    low, high = 0, moves
    while low < high and high - low > 1:
        middle = (low + high) // 2
        if any(one.signature[1] == wrong.signature[1] for one in replay(seed, middle)):
            high = middle
        else:
            low = middle
    return high


@contextlib.contextmanager
def errors_to(file: Any) -> Iterator[None]:
    """Have the processes that are started write their errors into a file."""
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
