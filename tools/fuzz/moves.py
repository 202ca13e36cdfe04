"""Random moves of an editor: edits, undo, saves, requests, what other programs do to files, and nonsense."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path

import psutil
from lsprotocol import types

from tools.fuzz.client import answer, start
from tools.fuzz.edited_text import EditedText
from tools.fuzz.requests import AT_PLACE, OF_ALL, OWN, request_params
from tools.fuzz.samples import samples
from tools.fuzz.text_mutations import mutated
from tools.lsp_client import Message, RefusedError

_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_LARGEST = 60_000
_FILES = ("a.vert.nir", "a.frag.nir", "b.log", "größe 𝄞.nir")
_PROJECTS = (
    b"",
    b'driver = "radv"\n[severity]\ndead-output = "off"\n',
    b'[[pipeline]]\nname = "p"\nvert = "a.vert.nir"\nfrag = "gr\xc3\xb6\xc3\x9fe \xf0\x9d\x84\x9e.nir"\n',
    b'[passes]\nopt_varyings_dead_io = false\n[severity]\nno-such-code = "off"\n',
    b"[passes\n",
)
"""Contents of `nirls.toml`: some are wrong."""
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
        self.earlier: dict[str, list[str]] = {}
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
                *(self._race, self._kill, self._undo, self._revert, self._change_outside),
            ),
            (10, 6, 1.5, 1, 1, 2, 2, 0.5, 3, 1, 2),
        )[0]
        doing(rng)

    def _uri(self, rng: random.Random) -> str | None:
        return rng.choice(sorted(self.open)) if self.open else None

    def _open(self, rng: random.Random) -> None:
        path = self.folder / rng.choice(_FILES)
        uri = path.as_uri()
        text = rng.choice(
            (b"", rng.choice(self.samples), mutated(self.samples, rng), mutated(self.samples, rng))
        )
        if path.exists() and rng.random() < 0.7:
            text = path.read_bytes()
        shown = text.decode("utf-8", "replace")
        self.open[uri] = EditedText(shown, self.encoding)
        self.earlier[uri] = []
        self.versions[uri] = rng.choice((0, 1, 7))
        item = {"uri": uri, "languageId": "nir", "version": self.versions[uri], "text": shown}
        # Open already or not: a server takes the newer text.
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def _close(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is not None:
            del self.open[uri], self.earlier[uri]
            self.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def _save(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is not None:
            self.client.notify("textDocument/willSave", {"textDocument": {"uri": uri}, "reason": 1})
            self._path(uri).write_bytes(self.open[uri].text.encode())
            self.client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})

    def _edit(self, rng: random.Random) -> None:
        uri = self._uri(rng)
        if uri is None:
            self._open(rng)
            return
        text = self.open[uri]
        self.earlier[uri].append(text.text)
        changes = []
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            change = _change(text, self.samples, rng)
            changes.append(change)
            text.change([change])
        self._tell(uri, changes, rng)

    def _undo(self, rng: random.Random) -> None:
        """Go back by some edits, or by all since the document was opened; undo is undone in turn."""
        uri = self._uri(rng)
        if uri is None or not self.earlier[uri]:
            return
        texts = self.earlier[uri]
        self._replace(uri, texts[-rng.choice((1, 1, 1, min(2, len(texts)), len(texts)))], rng)

    def _revert(self, rng: random.Random) -> None:
        """Take the text of the file again, as "Revert File" does."""
        uri = self._uri(rng)
        if uri is not None and self._path(uri).exists():
            self._replace(uri, self._path(uri).read_bytes().decode(), rng)

    def _change_outside(self, rng: random.Random) -> None:
        """Write or remove a file as another program does; the editor follows where it has no other text."""
        path = self.folder / rng.choice((*_FILES, "nirls.toml"))
        uri = path.as_uri()
        old = path.read_bytes() if path.exists() else None
        if old is not None and rng.random() < 0.2:
            path.unlink()
            kind = types.FileChangeType.Deleted
        else:
            is_project = path.name == "nirls.toml"
            path.write_bytes(rng.choice(_PROJECTS) if is_project else _readable(mutated(self.samples, rng)))
            kind = types.FileChangeType.Created if old is None else types.FileChangeType.Changed
        changes = [{"uri": uri, "type": kind.value}]
        self.client.notify("workspace/didChangeWatchedFiles", {"changes": changes})
        if uri in self.open and path.exists() and self.open[uri].text.encode() == old:
            self._replace(uri, path.read_bytes().decode(), rng)

    def _replace(self, uri: str, new: str, rng: random.Random) -> None:
        """Make the text of a document another one, by one change of what differs or of all."""
        text = self.open[uri]
        self.earlier[uri].append(text.text)
        if rng.random() < 0.7:
            changes = [text.smallest_change(new)]
        else:
            end = {"line": 10**6, "character": 0}
            changes = [{"range": {"start": {"line": 0, "character": 0}, "end": end}, "text": new}]
        text.change(changes)
        self._tell(uri, changes, rng)

    def _tell(self, uri: str, changes: list[Message], rng: random.Random) -> None:
        self.versions[uri] += rng.choice((1, 1, 1, 1, 5, 0, -3))
        document = {"uri": uri, "version": self.versions[uri]}
        self.client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def _path(self, uri: str) -> Path:
        return next(path for path in map(self.folder.joinpath, _FILES) if path.as_uri() == uri)

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


def _readable(text: bytes) -> bytes:
    return text.decode("utf-8", "replace").encode()


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
