"""`make bench`: time and memory of every step, on dumps and logs of growing size.

In the process: parse, print, validate, divergence, dead varyings and their edits, on a linked pair whose
stages have 100, 1,000 and 10,000 instructions; the whole of opt_varyings on 500 and 5,000. Over LSP, against
`nirls serve`: open to first diagnostics, keystroke to diagnostics, hover, save to the findings of passes, and
peak memory, on logs of 1,000, 10,000 and 100,000 lines. Each figure is the median of several runs; the last
columns say how it grows and what DESIGN asks for.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nirls.ir.analysis.divergence import divergence, vertex_divergence
from nirls.ir.clone import clone_shader
from nirls.ir.edits import text_edits
from nirls.ir.parse import parse_dump
from nirls.ir.printing import fresh
from nirls.ir.shader import Shader
from nirls.ir.validation import validate
from nirls.passes.varyings import opt_varyings
from nirls.passes.varyings.dead_io import find, run
from tools.lsp_client import LspClient, Message
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

NIRLS = str(Path(sys.executable).with_name("nirls"))
DUMP_SIZES = (100, 1_000, 10_000)
LINK_SIZES = (500, 5_000)
LOG_SIZES = (1_000, 10_000, 100_000)
DUMP_IN_LOG = 500
DEAD = "dead-output"


@dataclass(frozen=True)
class Row:
    """A figure for each size, in milliseconds or megabytes, and the target for the largest (or all)."""

    what: str
    figures: tuple[float, ...]
    target: str = ""


def main() -> int:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--runs", type=int, default=5, help="runs of each figure")
    arguments.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments.add_argument("--quick", action="store_true", help="small sizes only, one run")
    options = arguments.parse_args()
    runs = 1 if options.quick else options.runs
    dump_sizes = DUMP_SIZES[:2] if options.quick else DUMP_SIZES
    log_sizes = LOG_SIZES[:2] if options.quick else LOG_SIZES
    console = Console()
    measured = [step_times(size, runs) for size in dump_sizes]
    steps = [Row(what, tuple(one[what] for one in measured)) for what in measured[0]]
    rows = steps
    console.print(table("One pair of stages, ms by instructions in each stage", rows, dump_sizes))
    linked = [link_times(size, runs) for size in LINK_SIZES]
    links = [Row(what, tuple(one[what] for one in linked), TARGETS.get(what, "")) for what in linked[0]]
    console.print(table("Linking one pair of stages, ms by instructions in each stage", links, LINK_SIZES))
    sessions = [session_figures(size, runs) for size in log_sizes]
    rows = [Row(what, tuple(one[what] for one in sessions), TARGETS.get(what, "")) for what in sessions[0]]
    console.print(table(f"nirls serve, by lines of the log (dumps of {DUMP_IN_LOG})", rows, log_sizes))
    if options.json is not None:
        groups = {
            "dumps": _plain(steps, dump_sizes),
            "links": _plain(links, LINK_SIZES),
            "logs": _plain(rows, log_sizes),
        }
        options.json.write_text(json.dumps(groups, indent=2) + "\n")
    return 0


def _plain(rows: Sequence[Row], sizes: Sequence[int]) -> dict[str, object]:
    """The rows as JSON values: figures by size, and the exponent of their growth."""
    return {
        row.what: {
            "figures": dict(zip(map(str, sizes), row.figures, strict=True)),
            "exponent": exponent(row.figures, sizes),
            "target": row.target or None,
        }
        for row in rows
    }


def exponent(figures: Sequence[float], sizes: Sequence[int]) -> float:
    """k where the figures grow as size to the power of k, from the first size to the last; 1 is linear."""
    if figures[0] <= 0 or figures[-1] <= 0:
        return 0.0
    return math.log(figures[-1] / figures[0]) / math.log(sizes[-1] / sizes[0])


TARGETS = {
    "opt_varyings on copies": "150 at 500",
    "open to first diagnostics, ms": "500",
    "keystroke to diagnostics, ms": "20",
    "hover, ms": "10",
    "symbols, ms": "10",
    "save to pass findings, ms": "250",
    "peak memory, MB": "300",
}


def table(title: str, rows: Sequence[Row], sizes: Sequence[int]) -> Table:
    """The rows with their growth from the first size to the last."""
    result = Table(title=title, title_justify="left")
    result.add_column("what")
    for size in sizes:
        result.add_column(f"{size:,}", justify="right")
    result.add_column("growth", justify="right")
    result.add_column("target", justify="right")
    for row in rows:
        growth = (
            f"{row.figures[-1] / row.figures[0]:.1f}x, n^{exponent(row.figures, sizes):.2f}"
            if row.figures[0]
            else ""
        )
        result.add_row(row.what, *(f"{figure:,.1f}" for figure in row.figures), growth, row.target)
    return result


def milliseconds(work: Callable[[], object], runs: int) -> float:
    """The median time of some work."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append((time.perf_counter() - started) * 1000)
    return statistics.median(times)


def step_times(size: int, runs: int) -> dict[str, float]:
    """Milliseconds of each step on a pair of stages of `size` instructions, or on one of the two."""
    texts = [vertex_dump(size).encode(), fragment_dump(size).encode()]
    vertex, fragment = pair = [parse_dump(text) for text in texts]
    changed = [clone_shader(shader) for shader in pair]
    run(changed, {})

    def pass_on_copies() -> list[Shader]:
        return run([clone_shader(shader) for shader in pair], {})

    return {
        "parse": milliseconds(lambda: parse_dump(texts[0]), runs),
        "print anew": milliseconds(lambda: fresh(vertex), runs),
        "clone": milliseconds(lambda: clone_shader(vertex), runs),
        "validate": milliseconds(lambda: validate(vertex), runs),
        "divergence": milliseconds(lambda: divergence(fragment), runs),
        "vertex divergence": milliseconds(lambda: vertex_divergence(vertex), runs),
        "find dead varyings": milliseconds(lambda: list(find(pair, {})), runs),
        "copy and remove dead varyings": milliseconds(pass_on_copies, runs),
        "edits of the result": milliseconds(lambda: text_edits(vertex, changed[0]), runs),
    }


def link_times(size: int, runs: int) -> dict[str, float]:
    """Milliseconds of linking stages of `size` instructions each, and of looking what that would gain."""
    pair = [parse_dump(text.encode()) for text in (vertex_dump(size), fragment_dump(size))]
    return {
        "opt_varyings on copies": milliseconds(
            lambda: opt_varyings.run([clone_shader(shader) for shader in pair], {}), runs
        ),
        "find what opt_varyings could do": milliseconds(lambda: list(opt_varyings.find(pair, {})), runs),
    }


def session_figures(lines: int, runs: int) -> dict[str, float]:
    """The figures of sessions of the language server with one log open."""
    sessions = [_session(lines, runs) for _ in range(max(1, min(runs, 3)))]
    return {what: statistics.median(one[what] for one in sessions) for what in sessions[0]}


def _session(lines: int, runs: int) -> dict[str, float]:
    text = log_of_lines(lines, DUMP_IN_LOG)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name).resolve() / "debug.log"
        path.write_text(text)
        figures: dict[str, float] = {}
        started = time.perf_counter()
        client = LspClient([NIRLS, "serve"], path.parent)
        client.start()
        figures["start to initialized, ms"] = _since(started)
        started = time.perf_counter()
        uri = client.open(path, text)
        client.wait_for_diagnostics(uri, bool)
        figures["open to first diagnostics, ms"] = _since(started)
        client.wait_for_diagnostics(uri, lambda found: _codes(found) >= {DEAD})
        figures["open to first pass findings, ms"] = _since(started)
        pairs = text.count("MESA_SHADER_FRAGMENT\n")
        client.wait_for_diagnostics(uri, lambda found: _count(found) >= pairs, timeout=600)
        figures["open to all findings, ms"] = _since(started)
        editor = _Editor(client, uri, text)
        figures["keystroke to diagnostics, ms"] = statistics.median(
            editor.keystroke() for _ in range(runs + 1)
        )
        figures["hover, ms"] = editor.time_of("textDocument/hover", position=editor.position)
        screen = {
            "start": {"line": editor.line, "character": 0},
            "end": {"line": editor.line + 60, "character": 0},
        }
        figures["tokens of a screen, ms"] = editor.time_of("textDocument/semanticTokens/range", range=screen)
        figures["symbols, ms"] = editor.time_of("textDocument/documentSymbol")
        figures["save to pass findings, ms"] = statistics.median(editor.save() for _ in range(runs))
        figures["peak memory, MB"] = _peak_memory(client.process.pid)
        client.stop()
    return figures


class _Editor:
    """Edits the first dump of the open log."""

    def __init__(self, client: LspClient, uri: str, text: str) -> None:
        self.client, self.uri = client, uri
        self.version = 1
        lines = text.split("\n")
        self.line = next(number for number, line in enumerate(lines) if " fadd " in line)
        self.position = {"line": self.line, "character": lines[self.line].index("fadd") + 1}
        self.store = next(number for number, line in enumerate(lines) if "VAR31" in line)
        self.slot_at = lines[self.store].index("VAR31")
        self.typed = ""

    def keystroke(self) -> float:
        """Type one more letter of an opcode and wait until the server says that it does not know the word."""
        place = {"line": self.line, "character": self.position["character"] - 1 + len(self.typed)}
        letter = chr(ord("a") + len(self.typed) % 26)
        self.typed += letter
        opcode = f"{self.typed}fadd"
        started = time.perf_counter()
        self._change(place, place, letter)
        self.client.wait_for_diagnostics(
            self.uri, lambda found: any(opcode in one["message"] for one in found)
        )
        return _since(started)

    def save(self) -> float:
        """Make a dead store live, save, make it dead again, save, and wait for the finding to come back.

        Each time the text is one the server has not seen, so that nothing is known of it.
        """
        self._rename_store("VAR31", "VAR0")
        self.keystroke()
        self._save()
        self.client.wait_for_diagnostics(self.uri, lambda found: not self._store_is_dead(found))
        self._rename_store("VAR0", "VAR31")
        self.keystroke()
        started = time.perf_counter()
        self._save()
        self.client.wait_for_diagnostics(self.uri, self._store_is_dead)
        return _since(started)

    def _store_is_dead(self, found: Sequence[Message]) -> bool:
        return any(one.get("code") == DEAD and one["range"]["start"]["line"] == self.store for one in found)

    def time_of(self, method: str, **parameters: object) -> float:
        """The median time of a request, the first not counted."""
        asked = self._asked(**parameters)
        self.client.request(method, asked)
        return milliseconds(lambda: self.client.request(method, asked), 5)

    def _asked(self, **parameters: object) -> Message:
        return {"textDocument": {"uri": self.uri}, **parameters}

    def _save(self) -> None:
        self.client.notify("textDocument/didSave", self._asked())

    def _rename_store(self, old: str, new: str) -> None:
        start = {"line": self.store, "character": self.slot_at}
        self._change(start, {**start, "character": self.slot_at + len(old)}, new)

    def _change(self, start: Message, end: Message, text: str) -> None:
        self.version += 1
        self.client.notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": self.uri, "version": self.version},
                "contentChanges": [{"range": {"start": start, "end": end}, "text": text}],
            },
        )


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000


def _codes(found: Sequence[Message]) -> set[object]:
    return {one.get("code") for one in found}


def _count(found: Sequence[Message]) -> int:
    return sum(one.get("code") == DEAD for one in found)


def _peak_memory(process: int) -> float:
    """Megabytes; 0 where the system does not say (it does on Linux)."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
