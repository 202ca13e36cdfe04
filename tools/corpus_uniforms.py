"""How the passes on uniforms, buffers, registers and temporaries do on the corpus, each result run.

Counts for each pass of the shaders that it changed: how many are the same program, how many could not be
judged, and which are not the same or not valid.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nirls.ir.model.builder import Builder
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import AluSrc, RegDest, Register
from nirls.ir.text.parse import parse_dump
from nirls.passes.buffers.lower_dynamic_bo_access import lower_dynamic_bo_access
from nirls.passes.cleanup.copies import VECTORS
from nirls.passes.registers.convert_from_ssa import convert_from_ssa
from nirls.passes.registers.lower_regs_to_ssa import lower_regs_to_ssa
from nirls.passes.registers.lower_vec_and_coalesce import lower_vec_and_coalesce
from nirls.passes.translation_validation import (
    Different,
    Equivalent,
    ValidationOptions,
    new_errors,
    validate_pass,
)
from nirls.passes.uniforms.deciders import find_deciding, uniform_loads
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import Place
from nirls.passes.variables.lower_vars_to_ssa import lower_vars_to_ssa

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
KnownMemory = dict[tuple[str, int, int], int]


@dataclass(slots=True)
class Agreement:
    """Counts for one pass."""

    changed: int = 0
    equivalent: int = 0
    unchecked: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def is_complete(self) -> bool:
        """Whether no result is wrong."""
        return not self.wrong

    def add(self, before: Shader, after: Shader, where: str, known: KnownMemory | None = None) -> None:
        """Judge one result."""
        self.changed += 1
        errors = new_errors([before], [after])
        if errors:
            self.wrong.append(f"{where}: not valid: {errors[0].message}")
            return
        options = ValidationOptions(runs=2, most_runs=2, lanes=32, known_memory=known or {})
        verdict = validate_pass(before, after, options)
        if isinstance(verdict, Different):
            self.wrong.append(f"{where}: {verdict}")
        elif isinstance(verdict, Equivalent):
            self.equivalent += 1
        else:
            self.unchecked += 1

    def __str__(self) -> str:
        return (
            f"{self.changed} changed: {self.equivalent} equivalent, {self.unchecked} unchecked,"
            f" {len(self.wrong)} wrong"
        )


def agreement(corpus: Path, step: int = 1) -> dict[str, Agreement]:
    """Counts for each pass over every `step`th dump of `pipelines`, and the dumps of `old`."""
    counts: dict[str, Agreement] = {}
    for path, shader in _dumps(corpus, step):
        where = str(path.relative_to(corpus))
        _inline(shader, where, counts.setdefault("inline_uniforms", Agreement()))
        _run(
            shader, lower_dynamic_bo_access, where, counts.setdefault("lower_dynamic_bo_access", Agreement())
        )
        _run(shader, lower_vars_to_ssa, where, counts.setdefault("lower_vars_to_ssa", Agreement()))
        registers = _run(shader, convert_from_ssa, where, counts.setdefault("convert_from_ssa", Agreement()))
        _run(registers, lower_regs_to_ssa, where, counts.setdefault("lower_regs_to_ssa", Agreement()))
        vectors = counts.setdefault("lower_vec_and_coalesce", Agreement())
        _run(vectors_in_registers(shader), lower_vec_and_coalesce, where, vectors)
    return counts


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
            builder.block, builder.before = impl.start_block, impl.start_block.first
            if shader.dialect is Dialect.MODERN:
                sizes = {
                    "num_components": width,
                    "bit_size": value.bit_size,
                    "num_array_elems": 0,
                    "divergent": 1,
                }
                handle = builder.intrinsic("decl_reg", [], sizes, 1, 32).def_
                assert handle is not None
                readers = list(value.uses)
                builder.block, builder.before = block, vec.next
                builder.intrinsic(
                    "store_reg", [value, handle], {"base": 0, "write_mask": mask, "legacy_fsat": 0}
                )
                modifiers = {"base": 0, "legacy_fabs": 0, "legacy_fneg": 0}
                read = builder.intrinsic("load_reg", [handle], modifiers, width, value.bit_size).def_
                assert read is not None
                for src in readers:
                    src.set_def(read)
                continue
            reg = Register(1000 + number, width, value.bit_size)
            impl.registers.append(reg)
            builder.block, builder.before = block, vec.next
            moved = builder.alu("mov", [AluSrc(reg, tuple(range(width)))], width, value.bit_size)
            value.replace_all_uses_with(moved)
            vec.def_ = None
            vec.reg_dest = RegDest(reg, mask, instr=vec)
    return copy


def deciding_uniforms(corpus: Path) -> int:
    """How many uniform words of all buffers are worth inlining in the lowered shaders."""
    return sum(
        len(find_deciding(shader, frozenset(("all",)), 4).places)
        for path, shader in _dumps(corpus, 1)
        if path.name.endswith(".io.nir")
    )


def _dumps(corpus: Path, step: int) -> Iterator[tuple[Path, Shader]]:
    paths = sorted(corpus.glob("pipelines/*/*/*.nir"))[::step] + sorted(corpus.glob("old/*.nir"))
    for path in paths:
        if not path.name.endswith((".div.nir", ".vdiv.nir")):
            yield path, parse_dump(path.read_bytes())


def _run(shader: Shader, one_pass: Callable[[Shader], bool], where: str, count: Agreement) -> Shader:
    result = clone_shader(shader)
    if one_pass(result):
        count.add(shader, result, where)
    return result


def _inline(shader: Shader, where: str, count: Agreement) -> None:
    """Every third word that is loaded, as 0, 1 or 2."""
    loaded = dict.fromkeys(load.place(0) for load in uniform_loads(shader) if load.value.bit_size == 32)
    words: dict[Place, int] = {place: number % 3 for number, place in enumerate(list(loaded)[::3])}
    result = clone_shader(shader)
    if words and inline_uniforms(result, words):
        text = ",".join(f"{place}={bits}" for place, bits in words.items())
        count.add(shader, result, where, dict(InlineUniforms(set=text).known_memory([shader])))


def main() -> int:
    """Print the counts; 1 if any result is wrong."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--step", type=int, default=1, help="look at every so many-th dump only")
    arguments.add_argument("folder", nargs="?", type=Path, default=SHARED / "corpus")
    options = arguments.parse_args()
    if not options.folder.is_dir():
        print(f"There is no corpus at {options.folder}: nothing to count.")
        return 0
    print(f"uniforms worth inlining: {deciding_uniforms(options.folder)}")
    counts = agreement(options.folder, options.step)
    for name, count in counts.items():
        print(f"{name}: {count}")
        for place in count.wrong:
            print(f"    {place}")
    return int(not all(count.is_complete for count in counts.values()))


if __name__ == "__main__":
    raise SystemExit(main())
