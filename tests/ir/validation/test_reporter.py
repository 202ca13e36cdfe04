from __future__ import annotations

from nirls.ir.finding import Place
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def, Register
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation.reporter import NOWHERE, Reporter

TEXT = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %1 = undefined
    32    %11 = fadd %1, %1
          // succs: b1
    block b1:
}
"""


def test_names_follow_the_dialect() -> None:
    modern = Reporter(Shader(Stage.VERTEX))
    classic = Reporter(Shader(Stage.VERTEX, Dialect.CLASSIC))
    value = Def(3, 1, 32)
    assert (modern.name_of(value), classic.name_of(value)) == ("%3", "ssa_3")
    assert (modern.block_name(2), classic.block_name(2)) == ("b2", "block_2")
    assert classic.name_of(Register(4, 1, 32)) == "r4"


def test_place_of_a_source_is_its_own_occurrence() -> None:
    shader = parse_dump(TEXT)
    reporter = Reporter(shader)
    fadd = next(instr for impl in shader.impls() for instr in impl.instrs() if isinstance(instr, AluInstr))
    first, second = (reporter.place_of_source(fadd, position) for position in (0, 1))
    assert first is not None
    assert second is not None
    assert TEXT[first.start : first.end] == TEXT[second.start : second.end] == b"%1"
    assert first.start < second.start
    dest = reporter.place_of_dest(fadd)
    assert dest is not None
    assert TEXT[dest.start : dest.end] == b"%11"


def test_instruction_without_text_has_no_place() -> None:
    reporter = Reporter(Shader(Stage.VERTEX))
    instr = AluInstr("fneg", [AluSrc(Def(0, 1, 32))])
    assert reporter.place_of_source(instr, 0) is None
    reporter.report("bad-swizzle", "message", None)
    assert reporter.problems[0].place == Place.of(NOWHERE)
