"""How much of NIR the evaluator runs: opcodes and intrinsics of the tables, and the shaders of the corpus."""

from __future__ import annotations

import os
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.errors import Unsupported
from nirls.ir.evaluate.machine import run_shader
from nirls.ir.evaluate.supported import supported_alu_opcodes, supported_intrinsics
from nirls.ir.tables import intrinsics, opcodes
from nirls.ir.text.parse import parse_dump

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
_FORMS = ("raw", "ssa", "io")
_VENDORS = (
    "_amd",
    "_intel",
    "_nv",
    "_ir3",
    "_pan",
    "_agx",
    "_v3d",
    "_r600",
    "_dxil",
    "_brcm",
    "_pco",
    "_mali",
)


def outcome(path: Path) -> str:
    """`run`, or the name of what keeps a shader from running."""
    try:
        result = run_shader(parse_dump(path.read_bytes()), Environment(seed=1), lanes=16)
    except Unsupported as reason:
        return f"unsupported: {reason}"
    return next(iter(result.given_up), "run")


def table(corpus: Path) -> Table:
    """The counts, with a row for each thing that keeps shaders of the corpus from running."""
    result = Table(title="evaluator")
    for title in ("what", "can run", "of"):
        result.add_column(title, justify="left" if title == "what" else "right")
    names = list(opcodes())
    able = supported_alu_opcodes()
    result.add_row(
        "ALU opcodes, retired ones included", str(sum(name in able for name in names)), str(len(names))
    )
    able = supported_intrinsics()
    for title, of_vendors in (("intrinsics without the vendors'", False), ("the vendors' intrinsics", True)):
        names = [name for name in intrinsics() if name.endswith(_VENDORS) is of_vendors]
        result.add_row(title, str(sum(name in able for name in names)), str(len(names)))
    if corpus.is_dir():
        paths = sorted(path for form in _FORMS for path in corpus.glob(f"pipelines/*/*/*.{form}.nir"))
        with ProcessPoolExecutor() as pool:
            outcomes = Counter(pool.map(outcome, paths, chunksize=8))
        result.add_row("shaders of the corpus (raw, ssa, io)", str(outcomes.pop("run", 0)), str(len(paths)))
        for reason, count in outcomes.most_common():
            result.add_row(f"  {reason}", str(count), "")
    return result


def main() -> int:
    """Print the counts."""
    Console().print(table(SHARED / "corpus"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
