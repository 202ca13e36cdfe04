"""`make demo`: check a real pipeline, then open it over LSP, hover a value and apply a quick fix."""

from __future__ import annotations

import difflib
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from tools.lsp_client import LspClient, Message, apply_text_edits, content_changes, edits_of

PIPELINE = Path(__file__).resolve().parent.parent / "tests" / "data" / "pipelines"
NIRLS = str(Path(sys.executable).with_name("nirls"))
VERTEX, FRAGMENT = "tinted.vert.nir", "tinted.frag.nir"
DEAD = "dead-output"

console = Console(highlight=False)


def main() -> int:
    """Run all acts; returns the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        for file in (VERTEX, FRAGMENT):
            shutil.copy(PIPELINE / file, folder / file)
        command = ["check", "--fail-on", "information", VERTEX, FRAGMENT]
        console.rule(f"[bold]nirls {' '.join(command)}")
        checked = subprocess.run([NIRLS, *command], cwd=folder, check=False)
        if checked.returncode != 1:
            console.print(f"[red]expected findings, but nirls check ended with {checked.returncode}")
            return 1
        return _session(folder)


def _session(folder: Path) -> int:
    console.rule("[bold]nirls serve: open, diagnostics, hover, quick fix")
    texts = {file: (folder / file).read_text() for file in (VERTEX, FRAGMENT)}
    started = time.perf_counter()
    client = LspClient([NIRLS, "serve"], folder)
    server = client.start()
    _say(
        started,
        f"server started; it offers {len([key for key in server if key.endswith('Provider')])} features",
    )
    client.open(folder / FRAGMENT, texts[FRAGMENT])
    started = time.perf_counter()
    uri = client.open(folder / VERTEX, texts[VERTEX])
    diagnostics = client.wait_for_diagnostics(uri, lambda found: any(_is_dead(one) for one in found))
    _say(started, f"{VERTEX} opened: {len(diagnostics)} diagnostics")
    for diagnostic in diagnostics:
        console.print(f"  line {diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}")
    dead = next(diagnostic for diagnostic in diagnostics if _is_dead(diagnostic))

    _hover(client, uri, texts[VERTEX])

    started = time.perf_counter()
    actions = client.request(
        "textDocument/codeAction",
        {"textDocument": {"uri": uri}, "range": dead["range"], "context": {"diagnostics": [dead]}},
    )
    _say(started, "quick fixes: " + "; ".join(action["title"] for action in actions))
    action = next((action for action in actions if "all" in action["title"].lower()), actions[0])
    if "edit" not in action:
        action = client.request("codeAction/resolve", action)
    edits = edits_of(action["edit"], uri)
    fixed = apply_text_edits(texts[VERTEX], edits)
    console.rule(f"[bold]{action['title']}")
    _show_diff(texts[VERTEX], fixed)
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": content_changes(edits)},
    )
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}, "text": fixed})
    left = client.wait_for_diagnostics(uri, lambda found: not any(_is_dead(one) for one in found))
    status = client.stop()
    console.print(f"[green]Applied: {len(left)} diagnostics left. The server ended with status {status}.")
    return status


def _hover(client: LspClient, uri: str, text: str) -> None:
    """Hover the first multiplication and addition of the shader."""
    lines = text.splitlines()
    line = next(number for number, content in enumerate(lines) if " ffma " in content)
    character = lines[line].index("%") + 1
    started = time.perf_counter()
    hover = client.request(
        "textDocument/hover",
        {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}},
    )
    _say(started, f"hover over {lines[line].strip()}")
    contents = hover["contents"]
    value = contents["value"] if isinstance(contents, dict) else str(contents)
    console.print(Panel(Markdown(value), expand=False))


def _is_dead(diagnostic: Message) -> bool:
    return diagnostic.get("code") == DEAD


def _say(started: float, message: str) -> None:
    milliseconds = (time.perf_counter() - started) * 1000
    console.print(Text.assemble((f"{milliseconds:7.1f} ms  ", "dim"), message))


def _show_diff(before: str, after: str) -> None:
    colors = {"+": "green", "-": "red", "@": "cyan"}
    for line in difflib.unified_diff(
        before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=1
    ):
        style = "bold" if line[:3] in ("+++", "---") else colors.get(line[:1], "")
        console.print(Text(line, style), no_wrap=True, overflow="ellipsis")


if __name__ == "__main__":
    sys.exit(main())
