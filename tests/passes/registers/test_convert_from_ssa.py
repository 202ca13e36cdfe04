"""Out of SSA: phis become copies to registers."""

from __future__ import annotations

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Dialect
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.passes.registers.convert_from_ssa import convert_from_ssa
from nirls.passes.registers.lower_regs_to_ssa import lower_regs_to_ssa
from tests.passes.expectation import parse_body

from .conversions import SWAP, changed, phis


def test_values_that_change_places_in_a_loop() -> None:
    shader = parse_body(SWAP)
    result = changed(convert_from_ssa, shader)
    assert not phis(result)
    back = clone_shader(result)
    assert lower_regs_to_ssa(back)
    assert difference(back, shader) is None


def test_a_phi_that_a_phi_reads_at_the_end_of_a_block_of_phis() -> None:
    body = SWAP.replace("b4: %5\n", "b4: %9\n").replace(
        "    32 %8 = iadd %6, %1\n", "    32 %9 = phi b3: %5\n"
    )
    body = body.replace("1 %7 = ige %6, %2", "32 %8 = iadd %6, %1\n    1 %7 = ige %8, %2")
    changed(convert_from_ssa, parse_body(body))


def test_registers_are_those_of_the_dialect() -> None:
    classic = parse_dump(convert(parse_body(SWAP), Dialect.CLASSIC))
    assert not classic.unreadable
    result = changed(convert_from_ssa, classic)
    (impl,) = result.impls()
    assert len(impl.registers) == 3
    back = changed(lower_regs_to_ssa, parse_dump(apply_edits(classic.source, text_edits(classic, result))))
    assert len(phis(back)) == 3


def test_without_phis_there_is_nothing_to_do() -> None:
    assert not convert_from_ssa(parse_body("block b0:\n32 %0 = load_const (0x00000000)\nblock b1:"))
