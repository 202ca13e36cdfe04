"""What the tessellation passes do to the patches of the corpus, each result run against what went in.

The patches are the vertex, control and evaluation shaders of `pipelines/NAME/DIALECT` in every form that is
there, and the pairs with a control shader of `varyings`. For each pass: results that are the same program,
that could not be told, that differ or are invalid, and those left alone with the reasons.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.passes.barriers.opt_barriers import opt_barriers
from nirls.passes.tessellation.give_up import GiveUp
from nirls.passes.tessellation.inline_vs_in_tcs import Inlined, inline_vs_in_tcs, stages_of
from nirls.passes.tessellation.optimize_tcs import OptimizeTcs
from nirls.passes.tessellation.restructure_tcs_flow import CullingOptions, restructure
from nirls.passes.tessellation.split import Restructured
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from nirls.passes.translation_validation.new_errors import new_errors
from tools.varying_cases import read_case

PROJECT = Path(__file__).resolve().parent.parent
CORPUS = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared")) / "corpus"
PASSES = ("restructure_tcs_flow", "opt_barriers", "inline_vs_in_tcs", "optimize_tcs")
_FORMS = ("raw", "ssa", "io", "div")
# Which files go together, for the forms that linking gave: vertex, control and evaluation shader.
_LINKED = (
    ("vert-tesc.opt.vert", "vert-tesc.opt.tesc", "tese.io"),
    ("vert-tesc.varyings.vert?", "vert-tesc.varyings.tesc?", "tese.io"),
    ("vert.io", "tesc-tese.opt.tesc", "tesc-tese.opt.tese"),
    ("vert.io", "tesc-tese.varyings.tesc?", "tesc-tese.varyings.tese?"),
)
_RUNS = ValidationOptions(runs=3, most_runs=5)
_SHOWN_REASONS = 8


@dataclass(slots=True)
class Outcomes:
    """Counts of one pass: `same`, `unchecked`, `different`, `invalid` and `left alone`, with notes."""

    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    @property
    def is_right(self) -> bool:
        """Whether no result is wrong."""
        return not self.counts["different"] + self.counts["invalid"]


def outcomes(corpus: Path) -> dict[str, Outcomes]:
    """The counts for each pass over a corpus folder."""
    found = {name: Outcomes() for name in PASSES}
    for title, before in patches(corpus):
        for name in PASSES:
            _count(found[name], name, title, before)
    return found


def patches(corpus: Path) -> Iterator[tuple[str, list[Shader]]]:
    """Every patch with its name: the shaders of it that are there, at least the control shader."""
    for folder in sorted({path.parent for path in corpus.glob("pipelines/*/*/*tesc*.nir")}):
        forms = [tuple(f"{stage}.{form}" for stage in ("vert", "tesc", "tese")) for form in _FORMS]
        for names in (*forms, *_LINKED):
            shaders = [shader for name in names for shader in _read(folder, name)]
            if any(shader.stage is Stage.TESS_CTRL for shader in shaders):
                yield f"{folder.parent.name}/{folder.name} {names[1]}", shaders
    for path in sorted(corpus.glob("varyings/*")):
        text = path.read_bytes()
        if b"MESA_SHADER_TESS_CTRL" in text:
            yield path.name, list(read_case(text).before)


def _read(folder: Path, name: str) -> list[Shader]:
    return [parse_dump(path.read_bytes()) for path in sorted(folder.glob(f"{name}.nir"))[:1]]


def _count(found: Outcomes, name: str, title: str, before: list[Shader]) -> None:
    after = [clone_shader(shader) for shader in before]
    reason = _apply(name, after)
    if reason is not None:
        found.counts["left alone"] += 1
        found.reasons[reason] += 1
        return
    errors = new_errors(before, after)
    if errors:
        found.counts["invalid"] += 1
        found.notes.append(f"{title}: {errors[0]}")
        return
    verdict = validate_pass(before, after, _RUNS)
    if isinstance(verdict, Different):
        found.counts["different"] += 1
        found.notes.append(f"{title}: {str(verdict).splitlines()[0]}")
    elif isinstance(verdict, Equivalent):
        found.counts["same"] += 1
    else:
        found.counts["unchecked"] += 1
        found.notes.append(f"{title}: {verdict}")


def _apply(name: str, shaders: list[Shader]) -> str | None:
    """Run a pass in place; why it left the shaders alone, None if it did not."""
    vs, tcs, tes = stages_of(shaders)
    assert tcs is not None
    if name == "opt_barriers":
        return None if opt_barriers(tcs) else "no barrier is needless"
    if name == "inline_vs_in_tcs":
        if vs is None:
            return "there is no vertex shader"
        done = inline_vs_in_tcs(vs, tcs, tes)
        return None if isinstance(done, Inlined) else done.reason
    if name == "restructure_tcs_flow":
        divided = restructure(tcs, CullingOptions().culling(shaders))
        if isinstance(divided, Restructured):
            return None
        return divided.reason if isinstance(divided, GiveUp) else "nothing to skip"
    summary, changed = OptimizeTcs().optimize(shaders)
    return None if changed else summary.why_not_restructured


def main() -> int:
    """Print the counts; 1 if a result is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="?", default=CORPUS)
    found = outcomes(parser.parse_args().corpus)
    for name, one in found.items():
        words = ("same", "unchecked", "different", "invalid", "left alone")
        print(f"{name:22}" + "  ".join(f"{word} {one.counts[word]}" for word in words))
        for reason, count in one.reasons.most_common(_SHOWN_REASONS):
            print(f"    left alone {count}: {reason}")
        for note in one.notes:
            print(f"    {note}")
    return int(not all(one.is_right for one in found.values()))


if __name__ == "__main__":
    sys.exit(main())
