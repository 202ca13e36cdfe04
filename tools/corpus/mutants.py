"""Mutants of pass results: how many wrong results translation validation tells from right ones.

Pass results on the shaders of the corpus (ours and Mesa's) are broken in several ways (`mutations`), and
translation validation judges them. A mutant that is shown by rule to be the same program does not count as
missed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice, pairwise, zip_longest
from pathlib import Path

from nirls.ir.analysis.compare import difference
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.corpus.mutations import Mutation, mutant, mutations
from tools.corpus.pass_results import STAGES, PassResult, mesa_lowering, mesa_results, passes, results_of
from tools.corpus.tally import Outcome, Tally, Task


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a pipeline."""
    for folder in sorted((corpus / "pipelines").glob("*/modern")):
        yield partial(count_pipeline, folder)


def count_pipeline(folder: Path, options: ValidationOptions | None = None, each: int = 3) -> Tally:
    """Break every pass result of a pipeline in up to `each` ways and let the validation judge them."""
    tally = Tally()
    for subject in subjects(folder):
        verdict = validate_pass(subject.before, subject.after, options)
        if not isinstance(verdict, Equivalent):
            note = str(verdict).splitlines()[0]
            tally.add("pass results not used", "other", f"{subject.source}, {subject.name}: {note}")
            continue
        for kind, outcome, note in judge(subject, each, options):
            tally.add(kind, outcome, note)
    return tally


def subjects(folder: Path) -> Iterator[PassResult]:
    """Pass results of one pipeline to break: Mesa's, and one of ours for each pair of stages and stage."""
    yield from mesa_results(folder)
    yield from mesa_lowering(folder)
    name = folder.parent.name
    present = [(stage, path) for stage in STAGES if (path := folder / f"{stage}.io.nir").is_file()]
    shaders = {stage: parse_dump(path.read_bytes()) for stage, path in present}
    for pair in pairwise(shaders):
        linked = tuple(shaders[stage] for stage in pair)
        yield from islice(results_of(passes("pipeline"), linked, f"{name} {'-'.join(pair)}"), 1)
    declared = passes("shader")
    for position, stage in enumerate(shaders):
        # Begin with another pass for each shader.
        first = (position + len(name)) % len(declared)
        rotated = [*declared[first:], *declared[:first]]
        yield from islice(results_of(rotated, (shaders[stage],), f"{name} {stage}"), 1)


def judge(
    subject: PassResult, count: int, options: ValidationOptions | None = None
) -> Iterator[tuple[str, Outcome, str]]:
    """Break one pass result in up to `count` ways: the kind of each mutation, the outcome, and a note.

    Mutants that IR validation refuses are not counted. One that is equivalent by rule or that cannot be
    checked counts as other, one that is missed as wrong.
    """
    for position, mutation in _chosen(subject, count):
        broken, line = mutant(subject.after[position], mutation)
        if _is_invalid(broken) and not _is_invalid(subject.after[position]):
            continue
        after = (*subject.after[:position], broken, *subject.after[position + 1 :])
        verdict = validate_pass(subject.before, after, options)
        place = f"{subject.source}, {subject.name}: {line}"
        if isinstance(verdict, Different):
            yield mutation.kind, "right", ""
        elif same_by_rule(subject.after, after):
            yield mutation.kind, "other", "equivalent by rule"
        elif isinstance(verdict, Equivalent):
            yield mutation.kind, "wrong", f"missed: {place}"
        else:
            yield mutation.kind, "other", f"unchecked: {place}: {verdict}"


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


def _chosen(subject: PassResult, count: int) -> list[tuple[int, Mutation]]:
    """Mutations of as many kinds as possible, the rare kinds first; the same ones in every run."""
    by_kind: dict[str, list[tuple[int, Mutation]]] = {}
    for position, shader in enumerate(subject.after):
        for mutation in mutations(shader):
            by_kind.setdefault(mutation.kind, []).append((position, mutation))
    rare_first = sorted(
        by_kind, key=lambda kind: (len(by_kind[kind]) > 8, _hash(subject.source, subject.name, kind))
    )
    for found in by_kind.values():
        found.sort(key=lambda one: _hash(subject.source, subject.name, str(one)))
    rounds = zip_longest(*(by_kind[kind] for kind in rare_first))
    return list(islice((one for round_ in rounds for one in round_ if one is not None), count))


def _hash(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=8).digest()


def _is_invalid(shader: Shader) -> bool:
    return any(problem.severity == "error" for problem in validate(shader))
