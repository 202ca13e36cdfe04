"""Small logs of passes that editors show."""

from __future__ import annotations

from pathlib import Path

from tests.conftest import PROJECT
from tests.passes.shader_text import ONE, ZERO, shader_text, use

_COPY = (ZERO, ONE, "32    %2 = mov %1")
_FIRST = shader_text("VERTEX", *_COPY, use("%2"), use("%2"), header=["name: probe"])
_COPIED = shader_text("VERTEX", *_COPY, use("%1"), header=["name: probe"])


def log_of_passes(folder: Path) -> Path:
    """A log of one shader: the copy of a value is no longer read after `nir_copy_prop`."""
    path = folder / "passes.nir"
    path.write_text(f"nir_lower_returns\n{_FIRST}nir_opt_cse\nnir_copy_prop\n{_COPIED}nir_opt_undef\n")
    return path


LINE_OF_COPY_PROP = 1 + _FIRST.count("\n") + 2 + 1
"""Where the snapshot after `nir_copy_prop` starts, counted from 1."""

FAULT = PROJECT / "docs" / "examples" / "folding_fault.log"
"""Four snapshots of which `nir_opt_constant_folding` made a wrong one."""
