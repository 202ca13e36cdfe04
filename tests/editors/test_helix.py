"""The configuration of editors/helix in the real Helix, on a terminal."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.conftest import PROJECT
from tests.editors.conftest import EDITORS, Editor
from tests.editors.logs import log_of_passes
from tests.editors.terminal import Terminal

GRAMMAR = PROJECT / "ir" / "text" / "grammar"


@pytest.fixture
def helix(editor: Callable[..., Editor]) -> Editor:
    """Helix, set up as editors/helix/README.md says."""
    hx = editor("hx", (24, 3))
    folder = hx.home / ".config" / "helix"
    (folder / "runtime" / "grammars").mkdir(parents=True)
    (folder / "runtime" / "queries").mkdir()
    shutil.copyfile(EDITORS / "helix" / "languages.toml", folder / "languages.toml")
    source = GRAMMAR / "src"
    library = folder / "runtime" / "grammars" / "nir.so"
    compile_grammar = ["cc", "-shared", "-fPIC", "-I", source, "-o", library]
    subprocess.run([*compile_grammar, source / "parser.c", source / "scanner.c"], check=True)
    (folder / "runtime" / "queries" / "nir").symlink_to(GRAMMAR / "queries")
    return hx


@pytest.fixture
def terminal(helix: Editor, tinted: Path) -> Iterator[Terminal]:
    terminal = Terminal(helix.program, [str(tinted / "tinted.vert.nir")], tinted, helix.environment)
    yield terminal
    terminal.close()


def test_helix_finds_everything(helix: Editor) -> None:
    report = helix.run("--health", "nir")
    lines = {name: rest for name, _, rest in (line.partition(":") for line in report.splitlines())}
    assert "✓" in lines["Tree-sitter parser"]
    assert "✓" in lines["Highlight queries"]
    assert "✓" in report.split("Configured language servers")[1].splitlines()[1]


def _go_to_third_finding(terminal: Terminal, message: str) -> None:
    """Step through the findings until all have arrived; the status line counts no information."""
    end = time.monotonic() + 60
    while message not in terminal.text:
        assert time.monotonic() < end, terminal.text
        terminal.type("gg" + "]d" * 3)
        with suppress(AssertionError):
            terminal.wait_for(message, seconds=1)


_FIRST = "Show what the pass changed"
"""The first action on a log without findings."""


def _text_of(terminal: Terminal, first: str, title: str, from_end: int) -> str:
    """The text that a code action writes, counted from the end of the menu. Helix shows its path."""
    end = time.monotonic() + 60
    shown = ""
    while title not in shown:
        assert time.monotonic() < end, terminal.text
        terminal.type(" a")
        with suppress(AssertionError):
            terminal.wait_for(first, seconds=10)  # the server may not have started
        if first not in terminal.text:
            continue
        for _ in range(from_end):
            terminal.type("\x1b[A")
            with suppress(AssertionError):
                terminal.wait_for(title, seconds=1)
        shown = terminal.text
        if title not in shown:
            terminal.type("\x1b")
            with suppress(AssertionError):
                terminal.wait_for("no such text", seconds=0.5)
    terminal.type("\r")
    terminal.wait_for("Written: ")
    written = re.search(r"Written: (\S+)", terminal.text)
    assert written is not None
    terminal.type("ll")  # the next key clears the message
    terminal.wait_until_gone("Written: ")
    return Path(written[1]).read_text(encoding="utf-8")


def test_a_session_with_a_pipeline(terminal: Terminal, tinted: Path) -> None:
    shader = tinted / "tinted.vert.nir"
    before = shader.read_text(encoding="utf-8").splitlines()
    terminal.wait_for("shader: MESA_SHADER_VERTEX")
    _go_to_third_finding(terminal, "output VAR1.xy is never read by the FS")
    terminal.type("gs")
    terminal.type(" k")
    terminal.wait_for("Writes components of an output slot")
    terminal.type("\x1b")
    terminal.wait_until_gone("Writes components of an output slot")
    assert _text_of(terminal, "Remove the stores of", "Show the packing of varyings", 3).startswith(
        "VS to FS: "
    )
    terminal.type("gh")  # anywhere on the line, not only on the opcode
    terminal.type(" a")
    terminal.wait_for("Remove the stores of VAR1.xy")
    terminal.type("\r")
    terminal.type(":w\r")
    terminal.wait_for("written")
    terminal.type(":q\r")
    terminal.wait_for_end()

    after = shader.read_text(encoding="utf-8").splitlines()
    gone = [line for line in before if line not in after]
    assert any("@store_output (%253" in line for line in gone)
    assert not any("@store_output (%253" in line for line in after)
    assert not any("@store_output (%254" in line for line in after)


@pytest.fixture
def log_terminal(helix: Editor, tinted: Path) -> Iterator[Terminal]:
    terminal = Terminal(helix.program, [str(log_of_passes(tinted))], tinted, helix.environment)
    yield terminal
    terminal.close()


def test_what_views_show_is_text(log_terminal: Terminal) -> None:
    terminal = log_terminal
    terminal.wait_for("nir_lower_returns")
    terminal.type("ge" + "k" * 4)
    terminal.wait_for("nir_opt_undef")
    diff = _text_of(terminal, _FIRST, "Show what the pass changed", 4).splitlines()
    assert diff[:2] == ["--- before nir_copy_prop", "+++ after nir_copy_prop"]
    assert [line for line in diff if line.startswith("+ ") and "@store_ssbo (%1" in line]
    assert "3 nir_copy_prop" in _text_of(terminal, _FIRST, "Show which pass changed each line", 3)
    assert _text_of(terminal, _FIRST, "Show the control flow graph as DOT", 2).startswith("digraph")
    assert _text_of(terminal, _FIRST, "Show the graph of values as DOT", 1).startswith("digraph")
