"""Pass results on the shaders of a corpus: Mesa's, as it printed them, and ours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, RegDest, Register
from nirls.ir.tables.families import VECTORS
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import lower_registers
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.registers.convert_from_ssa import convert_from_ssa
from nirls.passes.registers.lower_regs_to_ssa import lower_regs_to_ssa
from nirls.passes.registers.lower_vec_and_coalesce import lower_vec_and_coalesce
from nirls.passes.uniforms.deciders import uniform_loads
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import UniformWord
from tools.corpus.mesa_passes import steps
from tools.corpus.varying_cases import read_case

STAGES = ("vert", "tesc", "tese", "geom", "frag", "comp")
TESSELLATION = ("restructure_tcs_flow", "opt_barriers", "inline_vs_in_tcs", "optimize_tcs")
# Stages that belong together, for the forms that linking gave: vertex, control and evaluation shader.
_LINKED = (
    ("vert-tesc.opt.vert", "vert-tesc.opt.tesc", "tese.io"),
    ("vert-tesc.varyings.vert?", "vert-tesc.varyings.tesc?", "tese.io"),
    ("vert.io", "tesc-tese.opt.tesc", "tesc-tese.opt.tese"),
    ("vert.io", "tesc-tese.varyings.tesc?", "tesc-tese.varyings.tese?"),
)


@dataclass(frozen=True, slots=True)
class PassResult:
    """The shaders before and after a pass. `source` says whose pass, `name` on which shaders."""

    source: str
    name: str
    before: tuple[Shader, ...]
    after: tuple[Shader, ...]
    known_memory: Mapping[tuple[str, int, int], int] = field(default_factory=dict)


def mesa_results(folder: Path) -> Iterator[PassResult]:
    """Results of Mesa's passes for a printed pipeline: linked pairs, and moved discards."""
    present = [stage for stage in STAGES if (folder / f"{stage}.io.nir").is_file()]
    for stages in pairwise(present):
        after = [folder / f"{'-'.join(stages)}.opt.{stage}.nir" for stage in stages]
        if all(path.is_file() for path in after):
            before = [folder / f"{stage}.io.nir" for stage in stages]
            name = f"{folder.parent.name} {'-'.join(stages)}"
            yield PassResult("Mesa: opt_varyings", name, _read(before), _read(after))
    for kind in ("conddiscard", "movediscard"):
        path = folder / f"frag.{kind}.nir"
        if path.is_file():
            name = f"{_name(folder)} {kind}"
            yield PassResult("Mesa: discards", name, _read([folder / "frag.io.nir"]), _read([path]))


def mesa_lowering(folder: Path) -> Iterator[PassResult]:
    """Mesa's lowering of I/O, of the stages that have something of their own: emits, barriers, patches."""
    for stage in ("tesc", "tese", "geom", "comp"):
        before, after = folder / f"{stage}.ssa.nir", folder / f"{stage}.io.nir"
        if before.is_file() and after.is_file():
            yield PassResult(
                "Mesa: I/O lowering", f"{_name(folder)} {stage}", _read([before]), _read([after])
            )


def mesa_log(path: Path) -> Iterator[PassResult]:
    """The shader before and after each pass of a debug log that changed it."""
    for step in steps(path.read_bytes()):
        if step.after is not None:
            name = f"{path.name}:{step.line} {step.pass_name}"
            yield PassResult("Mesa: log", name, (step.before,), (step.after,))


def our_results(folder: Path, forms: Sequence[str]) -> Iterator[PassResult]:
    """Every pass that changes a shader of a folder in one of the forms, or all its linked stages."""
    for form in forms:
        for path in sorted(folder.glob(f"*.{form}.nir")):
            yield from results_of(passes("shader"), _read([path]), f"{_name(folder)} {path.name}")
    linked = _read(path for stage in STAGES[:-1] if (path := folder / f"{stage}.io.nir").is_file())
    if len(linked) > 1:
        yield from results_of(passes("pipeline"), linked, _name(folder))


def passes(scope: str) -> list[type[Pass]]:
    """The registered passes on single shaders, or on pipelines."""
    return [declared for declared in registry.all_passes() if declared.scope == scope]


def results_of(declared: Sequence[type[Pass]], before: tuple[Shader, ...], name: str) -> Iterator[PassResult]:
    """The results of the passes that change the shaders."""
    for one in declared:
        if not one.applies_to(before):
            continue
        after = tuple(clone_shader(shader) for shader in before)
        if one().run(after):
            yield PassResult(f"nirls: {one.name}", name, before, after)


def tessellation_results(place: Path) -> Iterator[PassResult]:
    """Results of the tessellation passes for the patches of a folder or unit test."""
    chosen = [one for one in map(registry.find, TESSELLATION) if one is not None]
    for name, patch in patches(place):
        for shader in patch:
            if shader.stage is Stage.TESS_CTRL:
                yield from results_of([one for one in chosen if one.scope == "shader"], (shader,), name)
        yield from results_of([one for one in chosen if one.scope == "pipeline"], patch, name)


def patches(place: Path) -> Iterator[tuple[str, tuple[Shader, ...]]]:
    """The named patches of a folder, in every form and as linking gave them, or that of a unit test."""
    if place.is_file():
        yield place.stem, read_case(place.read_bytes()).before
        return
    forms = [tuple(f"{stage}.{form}" for stage in STAGES[:3]) for form in ("raw", "ssa", "io", "div")]
    for names in (*forms, *_LINKED):
        patch = _read(path for name in names for path in sorted(place.glob(f"{name}.nir"))[:1])
        if any(shader.stage is Stage.TESS_CTRL for shader in patch):
            yield f"{_name(place)} {names[1]}", patch


def prepared_results(path: Path) -> Iterator[PassResult]:
    """Passes that change few shaders as they are: known uniforms inlined, registers and back, vectors."""
    (shader,) = _read([path])
    name = f"{_name(path.parent)} {path.name}"
    # Every third word that is loaded, as 0, 1 or 2.
    loaded = dict.fromkeys(load.place(0) for load in uniform_loads(shader) if load.value.bit_size == 32)
    words: dict[UniformWord, int] = {place: number % 3 for number, place in enumerate(list(loaded)[::3])}
    result = clone_shader(shader)
    if words and inline_uniforms(result, words):
        text = ",".join(f"{place}={bits}" for place, bits in words.items())
        known = InlineUniforms(set=text).known_memory([shader])
        yield PassResult("nirls: inline_uniforms", name, (shader,), (result,), known)
    registers = clone_shader(shader)
    convert_from_ssa(registers)
    yield from _run(registers, lower_regs_to_ssa, name)
    yield from _run(vectors_in_registers(shader), lower_vec_and_coalesce, name)


def _run(shader: Shader, one_pass: Callable[[Shader], bool], name: str) -> Iterator[PassResult]:
    result = clone_shader(shader)
    if one_pass(result):
        yield PassResult(f"nirls: {one_pass.__name__}", name, (shader,), (result,))


def vectors_in_registers(shader: Shader) -> Shader:
    """A copy in which every vector goes to a register, as where Mesa runs the coalescing pass."""
    copy = clone_shader(shader)
    for impl in copy.impls():
        builder = Builder(impl, impl.start_block)
        vectors = [
            i for i in impl.instrs() if isinstance(i, AluInstr) and i.op in VECTORS and i.def_ is not None
        ]
        for number, vec in enumerate(vectors):
            value, block = vec.def_, vec.block
            assert value is not None
            assert block is not None
            width, mask = value.num_components, (1 << value.num_components) - 1
            reg = Register(1000 + number, width, value.bit_size)
            impl.registers.append(reg)
            builder.block, builder.before = block, vec.next
            moved = builder.alu("mov", [AluSrc(reg, tuple(range(width)))], width, value.bit_size)
            value.replace_all_uses_with(moved)
            vec.def_ = None
            vec.reg_dest = RegDest(reg, mask, instr=vec)
        if shader.dialect is Dialect.MODERN:
            lower_registers(impl)
    return copy


def _read(paths: Iterable[Path]) -> tuple[Shader, ...]:
    return tuple(parse_dump(path.read_bytes()) for path in paths)


def _name(folder: Path) -> str:
    return f"{folder.parent.name} {folder.name}"
