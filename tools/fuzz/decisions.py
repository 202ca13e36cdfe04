"""Whether opt_varyings decides the same for programs that differ only in how they are written."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.passes.varyings.opt_varyings import CLEAN_UP, OptVaryings
from nirls.verification.random_shaders.pipelines import random_pipeline
from nirls.verification.random_shaders.rewritings import add_dead_code, reorder, repeat_code
from tools.fuzz.tally import in_time

Rewriting = Callable[[Shader, random.Random], object]
SAME_PROGRAM: Mapping[str, Rewriting] = {
    "cleaned up": lambda shader, _: clean_up(shader, CLEAN_UP),
    "dead code": add_dead_code,
    "repeated code": repeat_code,
    "another order": reorder,
}
"""Changes of a shader before the pass that may not change what it decides."""


def fuzz_decisions(numbers: Iterable[int], seconds: float | None) -> bool:
    """Link random pipelines in several forms; print those where the pass decides something else.

    Returns whether there was one.
    """
    tried = 0
    counts: Counter[str] = Counter()
    for number in in_time(numbers, seconds):
        tried += 1
        for form, detail in other_decisions(number):
            counts[form] += 1
            print(f"opt_varyings on pipeline {number}, {form}: {detail}", flush=True)
    parts = [f"{count} with {form}" for form, count in sorted(counts.items())]
    print(f"decisions: {tried} tried, {', '.join(parts) or '0 other'}", flush=True)
    return bool(counts)


def other_decisions(number: int) -> list[tuple[str, str]]:
    """Return the forms of a random pipeline for which the pass decides otherwise, with the varyings sent."""
    pipeline = random_pipeline(number)
    linked = _linked(pipeline)
    expected = varyings(linked)
    found = []
    again = [clone_shader(shader) for shader in linked]
    if OptVaryings().run(again):
        found.append(("a second run", _difference(expected, varyings(again))))
    for form, rewrite in SAME_PROGRAM.items():
        written = [clone_shader(shader) for shader in pipeline]
        for position, shader in enumerate(written):
            rewrite(shader, random.Random(number * 10 + position))
        sent = varyings(_linked(written))
        if sent != expected:
            found.append((form, _difference(expected, sent)))
    return found


def varyings(shaders: Sequence[Shader]) -> Counter[Hashable]:
    """Return the accesses between the stages of a pipeline: pair, kind and storage."""
    found: Counter[Hashable] = Counter()
    for position, pair in enumerate(pairwise(shaders)):
        linkage = link(*pair)
        if isinstance(linkage, Linkage):
            found.update((position, access.kind.value, access.halves) for access in linkage.accesses())
    return found


def _linked(shaders: Sequence[Shader]) -> list[Shader]:
    copies = [clone_shader(shader) for shader in shaders]
    OptVaryings().run(copies)
    return copies


def _difference(one: Counter[Hashable], other: Counter[Hashable]) -> str:
    return f"{one.total()} accesses, then {other.total()}"
