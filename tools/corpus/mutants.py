"""Mutants of real shaders: how many wrong results verification tells from right ones, by kind.

Pass results on the shaders of the corpus (ours and Mesa's) and unchanged shaders are broken in many ways
(`mutations`), and verification judges them. A mutant counts as missed if it is called equivalent
and a longer search finds inputs on which it differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import islice, pairwise
from pathlib import Path

from nirls.ir.analysis.compare import difference
from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If, is_in_loop
from nirls.ir.model.instructions import AluInstr, Instr, IntrinsicInstr, LoadConstInstr, constant_of
from nirls.ir.model.math_control import EXACT
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.ir.tables import opcode
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import errors_of
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_constant_folding import opt_constant_folding
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.cleanup.opt_dead_cf import opt_dead_cf
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from nirls.server.engine.documents.document import Snapshot
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.drivers import read_logs
from tools.corpus.mutations import Mutation, mutant, mutations
from tools.corpus.pass_results import STAGES, PassResult, mesa_lowering, mesa_results, passes, results_of
from tools.corpus.tally import CaseTally, Outcome, Task

_THOROUGH = VerificationOptions(runs=8, most_runs=16, lanes=32, seed=7000, proves=False)
"""Inputs for the search for a witness: about 8 times as many as of an ordinary validation, and no proof."""

_COMMON = 8
_SHARE = 3
"""Kinds with more than `_COMMON` places in a pipeline are tried in one of so many pipelines."""

_DUMPS_OF_A_LOG = 6
_LONGEST_DUMP = 30_000


def tasks(corpus: Path) -> Iterator[Task]:
    """One task a pipeline, and one a log of a driver."""
    for folder in sorted((corpus / "pipelines").glob("*/modern")):
        yield partial(count_pipeline, folder)
    for name, data in read_logs(corpus / "drivers"):
        yield partial(count_log, name, data)


def count_pipeline(folder: Path, options: VerificationOptions | None = None, each: int = 1) -> CaseTally:
    """Break the pass results and the shaders of a pipeline in up to `each` ways of every kind."""
    return count(subjects(folder), options, each)


def count_log(name: str, data: bytes, options: VerificationOptions | None = None, each: int = 1) -> CaseTally:
    """Break some of the shaders of a log in up to `each` ways of every kind."""
    texts = {dump.piece.text for dump in Snapshot.of(data).dumps() if len(dump.piece.text) < _LONGEST_DUMP}
    chosen = sorted(texts, key=lambda text: _hash(name, str(len(text)), text.decode("utf-8", "replace")))
    shaders = [parse_dump(text) for text in chosen[:_DUMPS_OF_A_LOG]]
    whole = [shader for shader in shaders if shader.damage is None and shader.entrypoint is not None]
    return count([unchanged(shader, f"{name} {shader.stage}") for shader in whole], options, each)


def count(found: Iterable[PassResult], options: VerificationOptions | None, each: int) -> CaseTally:
    """Break subjects in up to `each` ways of every kind and let the validation judge them."""
    tally = CaseTally()
    usable: dict[int, bool] = {}
    chosen = list(found)
    for number, position, mutation in _chosen(chosen, each):
        subject = chosen[number]
        if number not in usable:
            verdict = verify_shaders(subject.before, subject.after, options)
            usable[number] = isinstance(verdict, Equivalent)
            if not usable[number]:
                note = str(verdict).splitlines()[0]
                tally.add("pass results not used", "other", f"{subject.source}, {subject.name}: {note}")
        if usable[number]:
            judged = judge(subject, position, mutation, options)
            if judged is not None:
                tally.add(mutation.kind, *judged)
    return tally


def subjects(folder: Path) -> Iterator[PassResult]:
    """The subjects of one pipeline: pass results of Mesa and of ours, and unchanged shaders.

    Of ours, there is one for each pair of stages and each stage. The float operations of some of the
    unchanged shaders are made exact.
    """
    yield from mesa_results(folder)
    yield from mesa_lowering(folder)
    name = folder.parent.name
    present = [(stage, path) for stage in STAGES if (path := folder / f"{stage}.io.nir").is_file()]
    shaders = {stage: parse_dump(path.read_bytes()) for stage, path in present}
    for pair in pairwise(shaders):
        linked = tuple(shaders[stage] for stage in pair)
        yield from islice(results_of(passes("pipeline"), linked, f"{name} {'-'.join(pair)}"), 1)
    declared = passes("shader")
    for position, (stage, shader) in enumerate(shaders.items()):
        # Begin with another pass for each shader.
        first = (position + len(name)) % len(declared)
        rotated = [*declared[first:], *declared[:first]]
        yield from islice(results_of(rotated, (shader,), f"{name} {stage}"), 1)
        yield unchanged(shader, f"{name} {stage}")
        yield unchanged(_made_exact(shader), f"{name} {stage}, exact")


def unchanged(shader: Shader, name: str) -> PassResult:
    """A shader as the result of a pass that does nothing."""
    return PassResult("unchanged", name, (shader,), (clone_shader(shader),))


def _made_exact(shader: Shader) -> Shader:
    copy = clone_shader(shader)
    for instr in copy.instrs():
        entry = opcode(instr.op) if isinstance(instr, AluInstr) else None
        if isinstance(instr, AluInstr) and entry is not None and "float" in entry.output_type:
            instr.flags |= {EXACT}
    return copy


def judge(
    subject: PassResult, position: int, mutation: Mutation, options: VerificationOptions | None = None
) -> tuple[Outcome, str] | None:
    """Break a shader of a pass result: the outcome, and a note. None if the result is not valid IR.

    A mutant that is called equivalent is wrong if a much longer search finds inputs on which it differs.
    Without such a witness, it counts as other, as do those that are equivalent by rule or unchecked.
    """
    broken, line = mutant(subject.after[position], mutation)
    if errors_of(broken) and not errors_of(subject.after[position]):
        return None
    after = (*subject.after[:position], broken, *subject.after[position + 1 :])
    verdict = verify_shaders(subject.before, after, options)
    place = f"{subject.source}, {subject.name}: {line}"
    if isinstance(verdict, Different):
        return "right", ""
    if isinstance(verdict, Unchecked):
        return "other", f"unchecked: {place}: {verdict}"
    if same_by_rule(subject.after, after):
        return "other", "equivalent by rule"
    witness = verify_shaders(subject.before, after, _THOROUGH)
    if isinstance(witness, Different):
        return "wrong", f"missed: {place}: {str(witness).splitlines()[0]}"
    return "other", f"no witness: {place}"


def same_by_rule(shaders: Sequence[Shader], others: Sequence[Shader]) -> bool:
    """Whether shaders are the same without what has no effect: dead code, dead varyings, copies, doubles."""
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
        clean_up(copy, _BARING)
    return copies


def _read_first_of_equal_constants(shader: Shader) -> None:
    """Let swizzles of constants name the first component that has the value."""
    for instr in shader.instrs():
        for src in instr.sources if isinstance(instr, AluInstr) else ():
            values = constant_of(src.def_)
            if values is not None:
                src.swizzle = tuple(values.index(values[number]) for number in src.swizzle)


def _end_once(shader: Shader) -> None:
    """Drop an end_primitive behind which nothing is emitted: the end of the shader does the same."""
    for impl in shader.impls():
        for instr in reversed(list(impl.instrs())):
            if not isinstance(instr, IntrinsicInstr) or not instr.name.startswith(_EMITS):
                continue
            if instr.name.startswith("emit") or is_in_loop(instr.block):
                break
            instr.remove()


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
    number, limit = (src.def_instr for src in instr.sources)
    if not isinstance(number, IntrinsicInstr) or number.name != "load_invocation_id":
        return None
    if not isinstance(limit, LoadConstInstr) or limit.values[0] >= 1 << 31:
        return None
    if count <= limit.values[0]:
        return instr.op in ("ilt", "ult")
    return None if limit.values[0] else instr.op in ("ige", "uge")


def _chosen(subjects: Sequence[PassResult], each: int) -> list[tuple[int, int, Mutation]]:
    """Choose mutations of every kind: number of the subject, number of the shader, mutation.

    They are the same ones in every run, and those of one subject come together.
    """
    by_kind: dict[str, list[tuple[int, int, Mutation]]] = {}
    for number, subject in enumerate(subjects):
        for position, shader in enumerate(subject.after):
            for mutation in mutations(shader):
                by_kind.setdefault(mutation.kind, []).append((number, position, mutation))
    order = [_hash(subject.source, subject.name) for subject in subjects]

    def rank(one: tuple[int, int, Mutation]) -> bytes:
        return _hash(order[one[0]].hex(), str(one[1:]))

    names = "".join(subject.name for subject in subjects)
    wanted = {
        kind
        for kind, found in by_kind.items()
        if len(found) <= _COMMON or _hash(kind, names)[0] % _SHARE == 0
    }
    chosen = [one for kind in by_kind if kind in wanted for one in sorted(by_kind[kind], key=rank)[:each]]
    return sorted(chosen, key=lambda one: one[:2])


def _hash(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=8).digest()
