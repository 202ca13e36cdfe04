"""Verification of pass results, Mesa's and ours, in a row for each pass.

Results that are known to be wrong in Mesa 25.0, and those that could not be judged, count as other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.clone import clone_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import new_errors
from nirls.passes.tessellation.culled_work.restructure_tcs_flow import CullingOptions, restructure
from nirls.passes.tessellation.culled_work.split import Restructured
from nirls.passes.tessellation.culled_work.split_plan import GiveUp
from nirls.passes.tessellation.inline_vs.inline_vs_in_tcs import Inlined, inline_vs_in_tcs, stages_of
from nirls.passes.uniforms.deciders import find_deciding
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.pass_results import (
    PassResult,
    mesa_log,
    mesa_results,
    our_results,
    patches,
    prepared_results,
    tessellation_results,
)
from tools.corpus.tally import CaseTally, Outcome, Task

WRONG_IN_MESA = frozenset(
    (
        # A value made of the counter of a loop around emit_vertex is the same in all invocations, but not at
        # all vertices of a primitive; Mesa takes it for convergent and makes the input flat.
        "hand_geom_billboard geom-frag",
        "hand_geom_billboard_vk geom-frag",
        # Mesa's own validator refuses this result.
        "hand_tess_tri_dist tesc-tese",
    )
)
DEFAULT = VerificationOptions()
_FEW_RUNS = VerificationOptions(runs=3, most_runs=5, lanes=32)


def tasks(corpus: Path) -> Iterator[Task]:
    """The results of every pipeline, log and dump."""
    for folder in sorted((corpus / "pipelines").glob("*/*")):
        yield partial(_count, partial(mesa_results, folder), DEFAULT)
        yield partial(_count, partial(our_results, folder, ("raw", "ssa", "io")), DEFAULT)
    folders = (path.parent for path in sorted(corpus.glob("pipelines/*/*/tesc.io.nir")))
    for place in (*folders, *sorted(corpus.glob("varyings/*TESS_CTRL*.txt"))):
        yield partial(_count, partial(tessellation_results, place), _FEW_RUNS)
        yield partial(count_left_alone, place)
    for path in sorted((corpus / "logs").glob("*.log")):
        yield partial(_count, partial(mesa_log, path), DEFAULT)
    for path in (*sorted(corpus.glob("pipelines/*/*/*.nir")), *sorted(corpus.glob("old/*.nir"))):
        if not path.name.endswith((".div.nir", ".vdiv.nir")):
            yield partial(_count, partial(prepared_results, path), _FEW_RUNS)
        if path.name.endswith(".io.nir"):
            yield partial(count_deciding, path)


def _count(results: partial[Iterator[PassResult]], options: VerificationOptions) -> CaseTally:
    return count(results(), options)


def count(results: Iterable[PassResult], options: VerificationOptions = DEFAULT) -> CaseTally:
    """Judge pass results, in a row for each source."""
    tally = CaseTally()
    for result in results:
        outcome, note = judge(result, options)
        tally.add(result.source, outcome, f"{result.name}: {note}" if note else "")
    return tally


def judge(result: PassResult, options: VerificationOptions = DEFAULT) -> tuple[Outcome, str]:
    """`right` for an equivalent result, `other` for one that cannot be judged or is known to be wrong."""
    wrong: Outcome = "other" if result.name in WRONG_IN_MESA else "wrong"
    errors = new_errors(result.before, result.after)
    if errors:
        return wrong, f"invalid: {errors[0].message}"
    options = replace(options, assumptions=Assumptions(result.known_memory))
    verdict = verify_shaders(result.before, result.after, options)
    if isinstance(verdict, Different):
        return wrong, str(verdict).splitlines()[0]
    return ("right", "") if isinstance(verdict, Equivalent) else ("other", str(verdict).splitlines()[0])


def count_left_alone(place: Path) -> CaseTally:
    """Count the reasons why passes leave the patches of a folder or unit test alone."""
    tally = CaseTally()
    for name, patch in patches(place):
        vs, tcs, tes = stages_of(patch)
        assert tcs is not None
        divided = restructure(clone_shader(tcs), CullingOptions().culling(patch))
        if not isinstance(divided, Restructured):
            reason = divided.reason if isinstance(divided, GiveUp) else "nothing to skip"
            tally.add("nirls: restructure_tcs_flow leaves alone", "other", f"{name}: {reason}")
        if vs is not None:
            done = inline_vs_in_tcs(
                clone_shader(vs), clone_shader(tcs), None if tes is None else clone_shader(tes)
            )
            if not isinstance(done, Inlined):
                tally.add("nirls: inline_vs_in_tcs leaves alone", "other", f"{name}: {done.reason}")
    return tally


def count_deciding(path: Path) -> CaseTally:
    """Count the uniform words that decide control flow, worth inlining, in a shader with lowered I/O."""
    tally = CaseTally()
    shader = parse_dump(path.read_bytes())
    found = find_deciding(shader, frozenset(("all",)), 4)
    tally.add("uniforms worth inlining", "right", times=len(found.places))
    return tally
