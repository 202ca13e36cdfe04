"""What constants are seen to be used as, compared with a direct reading of Mesa's rule."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.control_flow import FunctionImpl
from nirls.ir.model.instructions import (
    AluInstr,
    IntrinsicInstr,
    LoadConstInstr,
    PhiInstr,
    TexInstr,
    UndefInstr,
)
from nirls.ir.model.values import Def
from nirls.ir.tables.entries import base_type
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing.constants import FLOAT, INTEGER
from nirls.ir.text.printing.source_types import (
    alu_types,
    intrinsic_dest_type,
    intrinsic_src_type,
    tex_src_type,
)
from nirls.ir.text.printing.type_inference import ConstantTypes

BITS = {"float": FLOAT, "int": INTEGER, "uint": INTEGER, "bool": INTEGER, "": 0}


def by_iteration(impl: FunctionImpl) -> dict[Def, int]:
    """The rule as it is stated: go over all instructions until nothing new is learnt."""
    types: dict[Def, int] = {}

    def learn(value: Def | None, bits: int) -> bool:
        if value is None or types.get(value, 0) | bits == types.get(value, 0):
            return False
        types[value] = types.get(value, 0) | bits
        return True

    def copy(source: Def | None, dest: Def | None) -> bool:
        if source is None or dest is None:
            return False
        progress = learn(source, types.get(dest, 0))
        if not isinstance(source.instr, LoadConstInstr | UndefInstr):
            progress |= learn(dest, types.get(source, 0))
        return progress

    progress = True
    while progress:
        progress = False
        for instr in impl.instrs():
            match instr:
                case AluInstr(op="mov" | "vec2" | "vec3" | "vec4") | PhiInstr():
                    for src in instr.srcs():
                        progress |= copy(src.def_, instr.def_)
                case AluInstr(op="bcsel" | "b32csel"):
                    progress |= learn(instr.sources[0].def_, INTEGER)
                    for src in instr.sources[1:]:
                        progress |= copy(src.def_, instr.def_)
                case AluInstr():
                    known = alu_types(instr.op)
                    if known is not None:
                        for slot, base in zip(instr.sources, known[0], strict=True):
                            progress |= learn(slot.def_, BITS[base])
                        progress |= learn(instr.def_, BITS[known[1]])
                case IntrinsicInstr():
                    progress |= learn(instr.def_, BITS[intrinsic_dest_type(instr)])
                    for position, src in enumerate(instr.sources):
                        progress |= learn(src.def_, BITS[intrinsic_src_type(instr, position)])
                case TexInstr():
                    progress |= learn(instr.def_, BITS[base_type(instr.dest_type)])
                    for tex_src in instr.sources:
                        progress |= learn(tex_src.def_, BITS[tex_src_type(instr, tex_src.kind)])
    return types


@pytest.mark.parametrize("stage", ["vert", "frag"])
def test_the_answer_is_that_of_the_iteration(corpus: Path, stage: str) -> None:
    compared = 0
    for path in sorted(corpus.glob(f"pipelines/*/modern/{stage}.ssa.nir"))[::4]:
        for shader in parse_shaders(path.read_bytes()):
            for impl in shader.impls():
                expected, types = by_iteration(impl), ConstantTypes()
                for value in impl.defs():
                    if isinstance(value.instr, LoadConstInstr):
                        assert types.of(value) == expected.get(value, 0)
                        compared += 1
    assert compared > 40


def function_of(*lines: str) -> FunctionImpl:
    body = "\n".join([f"    {line}" for line in lines])
    text = f"shader: MESA_SHADER_FRAGMENT\n\nimpl main {{\n    block b0:  // preds:\n{body}\n}}\n"
    impl = parse_dump(text.encode()).entrypoint
    assert impl is not None
    return impl


def first(impl: FunctionImpl) -> Def:
    return next(impl.defs())


def test_a_type_comes_back_through_copies() -> None:
    impl = function_of(
        "32 %0 = load_const (0x1)", "32x2 %1 = vec2 %0, %0", "32 %2 = mov %1.x", "32 %3 = fneg %2"
    )
    assert ConstantTypes().of(first(impl)) == FLOAT


def test_constants_do_not_give_each_other_their_types() -> None:
    impl = function_of(
        "32 %0 = load_const (0x1)",
        "32 %1 = load_const (0x2)",
        "32 %2 = fneg %1",
        "32x2 %3 = vec2 %0, %1",
    )
    assert ConstantTypes().of(first(impl)) == 0


def test_a_constant_may_be_used_as_both() -> None:
    impl = function_of("32 %0 = load_const (0x1)", "32 %1 = fneg %0", "32 %2 = ineg %0")
    assert ConstantTypes().of(first(impl)) == FLOAT | INTEGER


def test_the_condition_of_a_selection_is_an_integer() -> None:
    impl = function_of("1 %0 = load_const (true)", "32 %1 = undefined", "32 %2 = bcsel %0, %1, %1")
    assert ConstantTypes().of(first(impl)) == INTEGER
