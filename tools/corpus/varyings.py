"""Agreement of opt_varyings with Mesa's: the unit tests of nir_opt_varyings, and pairs of real pipelines.

Each pair is optimized, and both results are cleaned up (copy propagation, dead code, common
subexpressions). Then they are compared by what they do: every store and other effect with its slot,
component, flags and the expression that it stores, whatever the numbers and the order of the
instructions; and every input load. A result is

- equal: the same, and the same progress reported;
- better, counted as other: another one with fewer varyings, or as many and fewer instructions, in all or in
  the consumer (the aim of backward motion, also where Mesa leaves it to do), or fewer vec4 slots, or one
  where the evaluator tells Mesa's result from the original (which it does not tell from ours);
- worse: another one that is not better;
- wrong: one that does not validate, or that differs from the original when run.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    JumpInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import AluSrc, Def, Src
from nirls.ir.model.walks import operands_first
from nirls.ir.tables import intrinsic, opcode
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import errors_of
from nirls.passes.cleanup.clean_up import clean_up
from nirls.passes.cleanup.copy_prop import copy_prop
from nirls.passes.cleanup.opt_cse import opt_cse
from nirls.passes.cleanup.opt_dce import opt_dce
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.scalar_slots import LinkProgress
from nirls.passes.varyings.link_pair import link_pair
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.tally import CaseTally, Outcome, Task
from tools.corpus.varying_cases import intrinsics_of, read_case

_CLEAN_UP = (copy_prop, opt_dce, opt_cse)
_RUNS = VerificationOptions(runs=3, most_runs=5)
# Numbers that a driver gives anew after linking.
_NOT_COMPARED = frozenset(("base", "range"))
_STAGE_FILE = re.compile(r"^(\w+)-(\w+)\.varyings\.(\w+?)([01])\.nir$")


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stages before and after Mesa's pass; `progress` is what it reported."""

    name: str
    before: tuple[Shader, Shader]
    after: tuple[Shader, Shader]
    progress: tuple[bool, bool]
    options: LinkOptions


@dataclass(frozen=True, slots=True)
class Size:
    """Scalar varyings that the consumer loads, instructions of both and of it, vec4 slots that it loads."""

    scalars: int
    instructions: int
    consumer: int
    slots: int

    def is_better_than(self, other: Size) -> bool:
        """Whether fewer varyings cross, or as many with less work in all or after the interface."""
        whole = (self.scalars, self.instructions, self.slots)
        return whole < (other.scalars, other.instructions, other.slots) or (
            (self.scalars, self.slots) == (other.scalars, other.slots) and self.consumer < other.consumer
        )


def tasks(corpus: Path) -> Iterator[Task]:
    """One task for 50 unit tests, and one a pipeline."""
    cases = sorted((corpus / "varyings").glob("*.txt"))
    for first in range(0, len(cases), 50):
        yield partial(count_unit_tests, cases[first : first + 50])
    for folder in sorted((corpus / "pipelines").glob("*/modern")):
        yield partial(count_pipeline, folder)


def count_unit_tests(paths: Iterable[Path]) -> CaseTally:
    """The verdicts on unit tests, in a row for each family."""
    tally = CaseTally()
    for path in paths:
        tally.add(path.name.partition(".")[0], *outcome(unit_test(path)))
    return tally


def count_pipeline(folder: Path) -> CaseTally:
    """The verdicts on the pairs of stages of a real pipeline, in a row for each pair of stages."""
    tally = CaseTally()
    for pair in pipeline_pairs(folder):
        tally.add(pair.name.partition(" ")[2], *outcome(pair))
    return tally


def outcome(pair: Pair) -> tuple[Outcome, str]:
    """The verdict on a pair as the outcome of a count, with what differs."""
    verdict, note = judge(pair)
    outcomes: dict[str, Outcome] = {"equal": "right", "better": "other", "worse": "wrong", "wrong": "wrong"}
    return outcomes[verdict], f"{pair.name}: {verdict}: {note}" if note else ""


def unit_test(path: Path) -> Pair:
    """A unit test of Mesa's pass."""
    case = read_case(path.read_bytes())
    # The tests of code motion switch the propagation of uniforms off, by a cost limit of 0.
    limit = 0 if path.name.startswith("bicm_binary_alu.") else -1
    return Pair(path.stem, case.before, case.after, case.progress, LinkOptions(spirv=True, max_cost=limit))


def pipeline_pairs(folder: Path) -> Iterator[Pair]:
    """The pairs of stages of a pipeline that Mesa linked."""
    found: dict[tuple[str, str], dict[str, tuple[Path, bool]]] = {}
    for path in sorted(folder.glob("*.varyings.*.nir")):
        match = _STAGE_FILE.match(path.name)
        if match:
            found.setdefault((match[1], match[2]), {})[match[3]] = (path, match[4] == "1")
    name = folder.parent.name
    for (producer, consumer), after in found.items():
        yield Pair(
            f"{name} {producer}-{consumer}",
            (_parse(folder / f"{producer}.io.nir"), _parse(folder / f"{consumer}.io.nir")),
            (_parse(after[producer][0]), _parse(after[consumer][0])),
            (after[producer][1], after[consumer][1]),
            LinkOptions(spirv=name.endswith("_vk")),
        )


def _parse(path: Path) -> Shader:
    return parse_dump(path.read_bytes())


def judge(pair: Pair) -> tuple[str, str]:
    """The verdict on one pair, and what differs."""
    mine = [clone_shader(shader) for shader in pair.before]
    progress = link_pair(mine[0], mine[1], pair.options)
    if not isinstance(progress, LinkProgress):
        return "worse", f"not linked: {progress.message}"
    problems = [problem for shader in mine for problem in errors_of(shader)]
    if problems:
        return "wrong", str(problems[0])
    theirs = [clone_shader(shader) for shader in pair.after]
    for shader in (*mine, *theirs):
        clean_up(shader, _CLEAN_UP)
    reported = (progress.producer, progress.consumer)
    differing = _differing(mine, theirs)
    if not differing:
        if reported == pair.progress:
            return "equal", ""
        return "worse", f"progress {reported}, not {pair.progress}"
    ours_checked = verify_shaders(pair.before, mine, _RUNS)
    if isinstance(ours_checked, Different):
        return "wrong", str(ours_checked)
    if isinstance(verify_shaders(pair.before, pair.after, _RUNS), Different):
        return "better", f"Mesa's result is not the same program: {differing[0]}"
    sizes, their_sizes = _size(mine), _size(theirs)
    verdict = "better" if sizes.is_better_than(their_sizes) else "worse"
    return verdict, f"{sizes} against {their_sizes}: {differing[0]}"


def _size(shaders: Sequence[Shader]) -> Size:
    consumer = shaders[1]
    scalars: set[tuple[int, int, bool]] = set()
    for instr in intrinsics_of(consumer):
        semantics = instr.io_semantics
        if semantics is not None and "input" in instr.name:
            place = (semantics.location, instr.int_index("component"), semantics.has("high_16bits"))
            scalars.add(place)
    counts = [sum(1 for _ in shader.instrs()) for shader in shaders]
    return Size(len(scalars), sum(counts), counts[1], len({place[0] for place in scalars}))


def _differing(mine: Sequence[Shader], theirs: Sequence[Shader]) -> list[str]:
    messages = []
    for side, own, other in zip(("producer", "consumer"), mine, theirs, strict=True):
        ours, expected = effects(own), effects(other)
        messages += [f"{side}: Mesa has no {_short(key)}" for key in ours - expected]
        messages += [f"{side}: we have no {_short(key)}" for key in expected - ours]
    return messages


def _short(key: Hashable) -> str:
    text = str(key)
    return text if len(text) < 400 else text[:400] + "..."


def effects(shader: Shader) -> Counter[Hashable]:
    """Count the effects of a shader with the expressions that they read, and its conditions."""
    found: Counter[Hashable] = Counter()
    for impl in shader.impls():
        expressions = _Expressions()
        for node in impl.cf_nodes():
            if isinstance(node, If):
                found[("if", expressions.of(node.condition))] += 1
        for instr in impl.instrs():
            if _has_effect(instr):
                found[expressions.key(instr)] += 1
    return found


def _has_effect(instr: Instr) -> bool:
    if isinstance(instr, IntrinsicInstr):
        entry = intrinsic(instr.name)
        return entry is None or not entry.can_eliminate or "input" in instr.name
    return isinstance(instr, JumpInstr)


def _operands(value: Def) -> list[Def]:
    """Return the values that a value is computed from; none for a phi."""
    maker = value.instr
    sources = () if maker is None or isinstance(maker, PhiInstr) else maker.all_srcs()
    return [src.def_ for src in sources if src.def_ is not None]


class _Expressions:
    """Keys of values: equal for values that are computed the same way from the same things."""

    def __init__(self) -> None:
        self.keys: dict[Def, int] = {}

    def of(self, src: Src) -> Hashable:
        return None if src.def_ is None else self.value(src.def_)

    def value(self, value: Def) -> Hashable:
        for current in operands_first(value, _operands, self.keys):
            maker = current.instr
            self.keys[current] = hash(("none", current.index) if maker is None else self.key(maker))
        return self.keys[value]

    def key(self, instr: Instr) -> Hashable:
        size = None if instr.def_ is None else (instr.def_.bit_size, instr.def_.num_components)
        match instr:
            case LoadConstInstr():
                return ("const", size, instr.values)
            case UndefInstr():
                return ("undef", size)
            case AluInstr():
                reads: list[Hashable] = [self._read(src) for src in instr.sources]
                entry = opcode(instr.op)
                if entry is not None and entry.is_commutative:
                    reads[:2] = sorted(reads[:2], key=repr)
                return (instr.op, size, instr.flags, tuple(reads))
            case IntrinsicInstr():
                indices = tuple(
                    (name, value) for name, value in instr.indices.items() if name not in _NOT_COMPARED
                )
                return (instr.name, size, indices, tuple(self.of(src) for src in instr.sources))
            case DerefInstr():
                name = instr.var.name if instr.var is not None else instr.var_name
                place: Hashable = instr.constant_index
                if place is None and instr.index is not None:
                    place = self.of(instr.index)
                parent = None if instr.parent is None else self.of(instr.parent)
                return (instr.deref_kind, name, instr.field, parent, place)
            case PhiInstr():
                block = instr.block
                number = list(block.phis()).index(instr) if block is not None else 0
                return ("phi", None if block is None else block.index, number, len(instr.sources))
            case TexInstr():
                tex_reads = tuple((src.kind, self.of(src)) for src in instr.sources)
                return (instr.op, instr.dest_type, tex_reads, instr.component, instr.flags)
        return (type(instr).__name__, tuple(self.of(src) for src in instr.all_srcs()))

    def _read(self, src: AluSrc) -> Hashable:
        return (self.of(src), src.swizzle, src.negate, src.abs)
