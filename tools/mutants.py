"""`make mutants`: how many wrong pass results translation validation tells from right ones.

Takes results of passes on the real shaders of the corpus (ours and Mesa's), breaks each in several ways
(see `tools.mutations`), and lets the validation judge. A mutant that is the same program after all, shown
by rule and not by running it, does not count as missed.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, pairwise, zip_longest
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from nirls.ir.analysis.compare import difference
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_shaders
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.mutations import KINDS, Mutation, mutant, mutations

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
STAGES = ("vert", "tesc", "tese", "geom", "frag", "comp")
OUTCOMES = ("caught", "equivalent", "unchecked", "missed")


@dataclass(frozen=True, slots=True)
class Subject:
    """A pass result to break: what went in, what came out, and what the pass changed."""

    name: str
    before: tuple[Shader, ...]
    after: tuple[Shader, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A mutant and what became of it: one of OUTCOMES."""

    kind: str
    outcome: str
    where: str
    line: str
    detail: str


@dataclass(frozen=True, slots=True)
class Report:
    """All that was judged for some subjects, and the subjects that could not be used, with the reason."""

    judged: tuple[Judged, ...]
    unusable: tuple[str, ...]


def subjects(folder: Path) -> Iterator[Subject]:
    """The pass results of one pipeline of the corpus: Mesa's, and those of ours that change anything."""
    name = folder.parent.name
    stages = {stage: _read(folder / f"{stage}.io.nir") for stage in STAGES}
    present = [stage for stage in STAGES if stages[stage] is not None]
    yield from _mesa_discards(folder, stages["frag"])
    yield from _mesa_lowering(folder, stages)
    for first, second in pairwise(present):
        pair = (stages[first], stages[second])
        yield from _mesa_varyings(folder, first, second, pair)
        yield from _our_results(f"{name} {first}-{second}", pair, "pipeline", 0)
    for position, stage in enumerate(present):
        shader = stages[stage]
        assert shader is not None
        yield from _our_results(f"{name} {stage}", (shader,), "shader", position + len(name))


def _mesa_discards(folder: Path, before: Shader | None) -> Iterator[Subject]:
    for kind in ("conddiscard", "movediscard"):
        after = _read(folder / f"frag.{kind}.nir")
        if before is not None and after is not None:
            yield Subject(f"{folder.parent.name} frag (Mesa: {kind})", (before,), (after,))


def _mesa_lowering(folder: Path, lowered: Mapping[str, Shader | None]) -> Iterator[Subject]:
    """Lowering of I/O, of the stages that have something of their own: emits, barriers, patches."""
    for stage in ("tesc", "tese", "geom", "comp"):
        before, after = _read(folder / f"{stage}.ssa.nir"), lowered[stage]
        if before is not None and after is not None:
            yield Subject(f"{folder.parent.name} {stage} (Mesa: lowering of I/O)", (before,), (after,))


def _mesa_varyings(
    folder: Path, first: str, second: str, before: tuple[Shader | None, Shader | None]
) -> Iterator[Subject]:
    after = tuple(_read(folder / f"{first}-{second}.opt.{stage}.nir") for stage in (first, second))
    if None not in (*before, *after):
        yield Subject(
            f"{folder.parent.name} {first}-{second} (Mesa: opt_varyings)",
            tuple(shader for shader in before if shader is not None),
            tuple(shader for shader in after if shader is not None),
        )


def _our_results(name: str, before: Sequence[Shader | None], scope: str, first: int) -> Iterator[Subject]:
    """The result of the first pass that changes the shaders, beginning with pass number `first`."""
    shaders = tuple(shader for shader in before if shader is not None)
    passes = [declared for declared in registry.all_passes() if declared.scope == scope]
    for number in range(len(passes)):
        declared = passes[(first + number) % len(passes)]
        if scope == "shader" and not declared.applies_to(shaders[0].stage):
            continue
        after = tuple(clone_shader(shader) for shader in shaders)
        if declared().run(after):
            yield Subject(f"{name} ({declared.name})", shaders, after)
            return


def _read(path: Path) -> Shader | None:
    return parse_shaders(path.read_bytes())[0] if path.is_file() else None


def judge_pipeline(folder: Path, per_subject: int, options: ValidationOptions) -> Report:
    """Break every subject of a pipeline and let the validation judge the mutants."""
    judged: list[Judged] = []
    unusable: list[str] = []
    for subject in subjects(folder):
        verdict = validate_pass(subject.before, subject.after, options)
        if not isinstance(verdict, Equivalent):
            unusable.append(f"{subject.name}: {verdict}")
            continue
        judged += judge(subject, per_subject, options)
    return Report(tuple(judged), tuple(unusable))


def judge(subject: Subject, count: int, options: ValidationOptions) -> Iterator[Judged]:
    """Break one pass result in up to `count` ways; mutants that IR validation refuses are not counted."""
    for position, mutation in _chosen(subject, count):
        broken, line = mutant(subject.after[position], mutation)
        if _is_invalid(broken) and not _is_invalid(subject.after[position]):
            continue
        after = (*subject.after[:position], broken, *subject.after[position + 1 :])
        verdict = validate_pass(subject.before, after, options)
        if isinstance(verdict, Different):
            outcome = "caught"
        elif same_by_rule(subject.after, after):
            outcome = "equivalent"
        else:
            outcome = "missed" if isinstance(verdict, Equivalent) else "unchecked"
        yield Judged(mutation.kind, outcome, subject.name, line, str(verdict))


def same_by_rule(shaders: Sequence[Shader], others: Sequence[Shader]) -> bool:
    """Whether shaders are the same without what nobody sees: dead code, dead varyings, copies, doubles."""
    pairs = zip(_bare(shaders), _bare(others), strict=True)
    return all(difference(one, other, commutative=True) is None for one, other in pairs)


_EMITS = ("emit_vertex", "end_primitive")
_BARING = (opt_constant_folding, opt_dead_cf, copy_prop, opt_cse, opt_dce)


def _bare(shaders: Sequence[Shader]) -> list[Shader]:
    copies = [clone_shader(shader) for shader in shaders]
    if len(copies) > 1:
        OptVaryingsDeadIo().run(copies)
    for copy in copies:
        _decide_by_invocation(copy)
        _read_first_of_equal_constants(copy)
        _end_once(copy)
        while any(step(copy) for step in _BARING):
            pass
    return copies


def _read_first_of_equal_constants(shader: Shader) -> None:
    """Let swizzles of constants name the first component that has the value."""
    for impl in shader.impls():
        for instr in impl.instrs():
            for src in instr.sources if isinstance(instr, AluInstr) else ():
                maker = None if src.def_ is None else src.def_.instr
                if isinstance(maker, LoadConstInstr):
                    src.swizzle = tuple(maker.values.index(maker.values[number]) for number in src.swizzle)


def _end_once(shader: Shader) -> None:
    """Drop an end_primitive behind which nothing is emitted: the end of the shader does the same."""
    for impl in shader.impls():
        for instr in reversed(list(impl.instrs())):
            if not isinstance(instr, IntrinsicInstr) or not instr.name.startswith(_EMITS):
                continue
            if instr.name.startswith("emit") or _is_in_loop(instr):
                break
            instr.remove()


def _is_in_loop(instr: Instr) -> bool:
    parent = None if instr.block is None else instr.block.parent
    while isinstance(parent, If):
        parent = parent.parent
    return isinstance(parent, Loop)


def _decide_by_invocation(shader: Shader) -> None:
    """Decide comparisons of gl_InvocationID with numbers that it cannot have, in a control shader.

    It is less than the number of vertices in a patch, so the rest of the search trees that index an input
    by it is never run.
    """
    count = re.search(r"\d+", shader.header_value("tcs_vertices_out") or "")
    if shader.stage is not Stage.TESS_CTRL or count is None:
        return
    for impl in shader.impls():
        for node in impl.cf_nodes():
            instr = node.condition.ssa.instr if isinstance(node, If) else None
            truth = _truth_of_comparison(instr, int(count.group()))
            if truth is not None and isinstance(node, If):
                constant = Builder(impl, impl.start_block, impl.start_block.first).load_const([truth], 1)
                node.condition.set_def(constant)


def _truth_of_comparison(instr: Instr | None, count: int) -> bool | None:
    """Whether `invocation < constant` (or >=) holds for all of that many invocations; None if not known."""
    if not isinstance(instr, AluInstr) or instr.op not in ("ilt", "ige", "ult", "uge"):
        return None
    number, limit = (src.def_.instr if src.def_ is not None else None for src in instr.sources)
    if not isinstance(number, IntrinsicInstr) or number.name != "load_invocation_id":
        return None
    if not isinstance(limit, LoadConstInstr) or limit.values[0] >= 1 << 31:
        return None
    if count <= limit.values[0]:
        return instr.op in ("ilt", "ult")
    return None if limit.values[0] else instr.op in ("ige", "uge")


def _chosen(subject: Subject, count: int) -> list[tuple[int, Mutation]]:
    """Mutations of as many kinds as possible, the rare kinds first; the same ones in every run."""
    by_kind: dict[str, list[tuple[int, Mutation]]] = {}
    for position, shader in enumerate(subject.after):
        for mutation in mutations(shader):
            by_kind.setdefault(mutation.kind, []).append((position, mutation))
    rare_first = sorted(by_kind, key=lambda kind: (len(by_kind[kind]) > 8, _hash(subject.name, kind)))
    for found in by_kind.values():
        found.sort(key=lambda one: _hash(subject.name, str(one)))
    rounds = zip_longest(*(by_kind[kind] for kind in rare_first))
    return list(islice((one for round_ in rounds for one in round_ if one is not None), count))


def _hash(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=8).digest()


def _is_invalid(shader: Shader) -> bool:
    return any(problem.severity == "error" for problem in validate(shader))


def judge_corpus(
    corpus: Path, per_subject: int, options: ValidationOptions, *, every: int = 1
) -> Iterator[Report]:
    """The reports of every pipeline (or every so many) of the corpus, as they come."""
    folders = sorted(path for path in (corpus / "pipelines").glob("*/modern") if path.is_dir())[::every]
    with ProcessPoolExecutor() as pool:
        work = [pool.submit(judge_pipeline, folder, per_subject, options) for folder in folders]
        for one in work:
            yield one.result()


def table(judged: Iterable[Judged]) -> Table:
    """The counts for each kind of mutation."""
    counts = Counter((one.kind, one.outcome) for one in judged)
    result = Table(title="mutants of pass results")
    for title in ("kind", "mutants", *OUTCOMES):
        result.add_column(title, justify="left" if title == "kind" else "right")
    for kind in KINDS:
        row = [counts[kind, outcome] for outcome in OUTCOMES]
        if any(row):
            result.add_row(kind, str(sum(row)), *(str(number) for number in row))
    totals = [sum(counts[kind, outcome] for kind in KINDS) for outcome in OUTCOMES]
    result.add_row("all", str(sum(totals)), *(str(number) for number in totals), style="bold")
    return result


def main() -> int:
    """Print the counts and every mutant that was missed; returns 1 if any was."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--per-subject", type=int, default=3, help="mutants of each pass result")
    arguments.add_argument("--every", type=int, default=1, help="take only every so many pipelines")
    arguments.add_argument("corpus", nargs="?", type=Path, default=SHARED / "corpus")
    given = arguments.parse_args()
    console = Console()
    if not given.corpus.is_dir():
        console.print(f"There is no corpus at {given.corpus}: nothing to break.")
        return 0
    started = time.perf_counter()
    judged: list[Judged] = []
    unusable: list[str] = []
    options = ValidationOptions()
    reports = judge_corpus(given.corpus, given.per_subject, options, every=given.every)
    for report in track(reports, "breaking", console=console, transient=True):
        judged += report.judged
        unusable += report.unusable
    console.print(table(judged))
    for one in judged:
        if one.outcome in ("missed", "unchecked"):
            console.print(
                f"{one.outcome}: {one.kind} in {one.where}: {one.line}", highlight=False, markup=False
            )
            console.print(f"    {one.detail.splitlines()[0]}", highlight=False, markup=False)
    for text in unusable:
        console.print(f"not used: {text.splitlines()[0]}", highlight=False, markup=False)
    console.print(f"{time.perf_counter() - started:.0f} s", highlight=False)
    return int(any(one.outcome == "missed" for one in judged))


if __name__ == "__main__":
    sys.exit(main())
