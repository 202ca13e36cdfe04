"""Inputs of mutations: real dumps, alone, as pipelines of two, and as pieces of logs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tools.corpus.archive import PROJECT, SHARED

LARGEST = 9_000
"""Bytes of a sample. What goes wrong depends on what a text says, not on how often it says it."""

_LINES_OF_A_LOG = 150
_STAGES = ("vert", "tesc", "tese", "geom", "frag")


def samples() -> list[bytes]:
    """The corpus where it is present, else the dumps that come with the tests."""
    roots = [root for root in (SHARED / "corpus", PROJECT / "tests" / "data") if root.is_dir()]
    return [text for text in _texts(roots[0]) if text] + (_texts(roots[1]) if len(roots) > 1 else [])


def _texts(root: Path) -> list[bytes]:
    paths = sorted(path for path in root.rglob("*") if path.suffix in (".nir", ".log") and path.is_file())
    found = []
    for path in paths:
        if path.suffix == ".log":
            found += _pieces(path)
        elif path.stat().st_size <= LARGEST:
            found.append(path.read_bytes())
    return found + _pipelines(paths)


def _pieces(path: Path) -> list[bytes]:
    lines = path.read_bytes().splitlines(keepends=True)
    starts = range(0, len(lines), 20 * _LINES_OF_A_LOG)
    return [b"".join(lines[start : start + _LINES_OF_A_LOG]) for start in starts]


def _pipelines(paths: Sequence[Path]) -> list[bytes]:
    """The stages of each folder's shaders in one text, where they are of a form that links."""
    found = []
    for path in paths:
        name, _, ending = path.name.partition(".")
        if name == "vert" and ending == "io.nir":
            stages = [path.with_name(f"{stage}.io.nir") for stage in _STAGES]
        elif ending == "vert.nir":
            stages = [path.with_name(f"{name}.{stage}.nir") for stage in _STAGES]
        else:
            continue
        text = b"\n".join(stage.read_bytes() for stage in stages if stage.is_file())
        if len(text) <= 2 * LARGEST:
            found.append(text)
    return found
