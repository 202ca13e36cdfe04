"""Time and memory of MLIR's language server on files of as many lines, for comparison.

It is in Debian's packages mlir-16-tools and its like, as `mlir-lsp-server-16`.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
from pathlib import Path

from tools.bench.session import in_the_middle, opened, peak_memory

_NAME = re.compile(r"mlir-lsp-server(-\d+)?")
_IN_FUNCTION = 500


def find_server(wanted: str | None) -> str | None:
    """The server that is wanted, or the newest one on the PATH; None if there is none."""
    if wanted is not None:
        return shutil.which(wanted)
    names = {
        path.name
        for folder in os.get_exec_path()
        if Path(folder).is_dir()
        for path in Path(folder).iterdir()
        if _NAME.fullmatch(path.name)
    }
    return max((found for name in names if (found := shutil.which(name))), key=_version, default=None)


def _version(path: str) -> int:
    return int(path.rpartition("-")[2]) if path[-1].isdigit() else 1 << 16


def mlir_of_lines(lines: int) -> str:
    """A module of functions with arithmetic, of so many lines."""
    parts: list[str] = []
    count = number = 0
    while count < lines:
        size = min(_IN_FUNCTION, max(lines - count - 4, 1))
        parts.append(f"func.func @f{number}(%a: f32, %b: f32) -> f32 {{")
        parts.append("  %0 = arith.addf %a, %b : f32")
        parts += [
            f"  %{place} = arith.{('addf', 'mulf', 'maxf', 'subf')[place % 4]}"
            f" %{place - 1}, %{max(place - 5, 0)} : f32"
            for place in range(1, size)
        ]
        parts += [f"  return %{size - 1} : f32", "}", ""]
        count += size + 4
        number += 1
    return "\n".join(parts)


def mlir_figures(server: str, lines: int, runs: int) -> dict[str, float]:
    """The figures of a file of so many lines."""
    text = mlir_of_lines(lines)
    typing = in_the_middle(text, "mulf")
    # It logs every message.
    with opened([server], "module.mlir", text, typing, lambda _: None, is_quiet=True) as (session, figures):
        figures["keystroke to diagnostics, ms"] = statistics.median(
            [session.keystroke() for _ in range(2 * runs + 1)][1:]
        )
        place = {"line": typing.line - 1, "character": typing.character}
        figures["hover, ms"] = session.time_of("textDocument/hover", position=place)
        figures["peak memory, MB"] = peak_memory(session.client.process.pid)
    return figures
