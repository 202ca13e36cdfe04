"""The steps on a dump, in this process: parse, print, validate, divergence, dead varyings and their edits."""

from __future__ import annotations

from nirls.ir.analysis.divergence import divergence, vertex_divergence
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.bench.timing import milliseconds
from tools.synthetic import fragment_dump, vertex_dump


def step_times(size: int, runs: int) -> dict[str, float]:
    """Milliseconds of each step on a pair of stages of `size` instructions, or on one of the two."""
    texts = [vertex_dump(size).encode(), fragment_dump(size).encode()]
    vertex, fragment = pair = [parse_dump(text) for text in texts]
    changed = [clone_shader(shader) for shader in pair]
    OptVaryingsDeadIo().run(changed)

    def pass_on_copies() -> list[Shader]:
        return OptVaryingsDeadIo().run([clone_shader(shader) for shader in pair])

    return {
        "parse": milliseconds(lambda: parse_dump(texts[0]), runs),
        "print anew": milliseconds(lambda: fresh(vertex), runs),
        "clone": milliseconds(lambda: clone_shader(vertex), runs),
        "validate": milliseconds(lambda: validate(vertex), runs),
        "divergence": milliseconds(lambda: divergence(fragment), runs),
        "vertex divergence": milliseconds(lambda: vertex_divergence(vertex), runs),
        "find dead varyings": milliseconds(lambda: list(OptVaryingsDeadIo().find(pair)), runs),
        "copy and remove dead varyings": milliseconds(pass_on_copies, runs),
        "edits of the result": milliseconds(lambda: text_edits(vertex, changed[0]), runs),
    }
