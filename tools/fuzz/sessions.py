"""Fuzzing with sessions: what editors send, good and bad, to the real server.

After the edits of a session, what the server says of each document must equal what another server says that
was just given the same texts.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tools.fuzz.client import LIMIT, answer, start
from tools.fuzz.edited_text import EditedText
from tools.fuzz.failures import Failure
from tools.fuzz.moves import FuzzSession
from tools.fuzz.notes import Wrong
from tools.fuzz.tally import FuzzTally, in_time
from tools.lsp_client import LspClient, Message, RefusedError

_MOVES = 40
_SETTLED_WITHIN: Final = 120.0
_MARK_OF_ERROR = b" failed\nTraceback"
_MARK_OF_DELAY: Final = b"the server was busy"


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
            found = _views(session)
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


def _views(session: FuzzSession) -> dict[str, Message]:
    """The server's answers for each document once its passes have run."""
    return {uri: view(session.client, uri, text, pulls=session.pulls) for uri, text in session.open.items()}


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
