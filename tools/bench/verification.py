"""CPU time of verification: `nirls verify` on the logs of the corpus, and `opt --verify -p opt_varyings`."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.server.engine.verification.log import ReadLog, read_log
from nirls.server.engine.verification.unit import verify_unit
from nirls.verification.verify_shaders import verify_shaders

CHANGED = "changed transitions"
EVERY = "all transitions, with reading"
MOST = 40
"""Changed transitions measured of a log, evenly spread."""


RATIO = "opt --verify -p opt_varyings, times the same without --verify"
MOST_PIPELINES = 50


def verified_linking(corpus: Path, most: int = MOST_PIPELINES) -> tuple[int, dict[str, float]]:
    """Number of pipelines of vertex and fragment shader, evenly spread, and the ratio of CPU times.

    Both times include reading and printing.
    """
    names = ("vert.io.nir", "frag.io.nir")
    folders = [
        folder
        for folder in sorted((corpus / "pipelines").glob("*/modern"))
        if all((folder / name).is_file() for name in names)
    ]
    chosen = folders[:: max(1, len(folders) // most)][:most]
    linking = checking = 0.0
    for folder in chosen:
        start = time.process_time()
        shaders = [parse_dump((folder / name).read_bytes()) for name in names]
        linked = [clone_shader(shader) for shader in shaders]
        OptVaryings().run(linked)
        for shader in linked:
            print_shader(shader)
        middle = time.process_time()
        verify_shaders(shaders, linked)
        linking += middle - start
        checking += time.process_time() - middle
    return len(chosen), {RATIO: (linking + checking) / linking}


def verification_figures(
    corpus: Path, runs: int = 3, most: int = MOST
) -> tuple[tuple[int, ...], list[dict[str, float]]]:
    """Lines of each log, and its figures (medians)."""
    texts = sorted((path.read_bytes() for path in (corpus / "logs").glob("*.log")), key=len)
    return tuple(text.count(b"\n") for text in texts), [_figures(text, runs, most) for text in texts]


def _figures(text: bytes, runs: int, most: int) -> dict[str, float]:
    measured = []
    for _ in range(max(1, runs)):
        start = time.process_time()
        log = read_log(text)
        reading = time.process_time() - start
        number, seconds = _verified(log, most)
        changed = sum(transition.is_changed for transition in log.transitions)
        measured.append((number / seconds, len(log.transitions) / (reading + seconds * changed / number)))
    return {
        CHANGED: statistics.median(one for one, _ in measured),
        EVERY: statistics.median(one for _, one in measured),
    }


def _verified(log: ReadLog, most: int) -> tuple[int, float]:
    """Verify transitions; their number and the time."""
    changed = [transition for transition in log.transitions if transition.is_changed]
    chosen = changed[:: max(1, len(changed) // most)]
    start = time.process_time()
    for transition in chosen:
        verify_unit(log.unit(transition))
    return len(chosen), time.process_time() - start
