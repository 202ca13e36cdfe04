"""Accesses that change their place: slot, component, half, transform feedback, offset."""

from __future__ import annotations

import pytest

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.io_semantics import XfbOutputs
from nirls.passes.varyings.interface.scalar_slots import HALVES
from nirls.passes.varyings.motion.place import move_access
from nirls.passes.varyings.motion.stores import is_captured
from tests.passes.shader_text import store
from tests.passes.varyings.pairs import vertex

VAR0 = 32


def the_store(line: str) -> tuple[IntrinsicInstr, Builder]:
    parsed = vertex("32    %13 = load_const (0x00000001)", line)
    impl = parsed.entrypoint
    assert impl is not None
    (found,) = (
        instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == "store_output"
    )
    return found, Builder(impl, impl.start_block)


@pytest.mark.parametrize(("before", "after"), [(0, 1), (0, 3), (3, 0), (2, 3), (1, 2)])
def test_capture_moves_along(before: int, after: int) -> None:
    low, high = (
        ("component={} buffer=1 offset=8", "") if before < 2 else ("", "component={} buffer=1 offset=8")
    )
    line = store("VAR3", "%10", before, extra="|" + low.format(before))
    line = line.replace("xfb2()", f"xfb2({high.format(before)})")
    access, builder = the_store(line)
    assert is_captured(access)
    assert move_access(access, VAR0, VAR0 * HALVES + 2 * after, builder)
    assert is_captured(access)
    expected = XfbOutputs(((after, 1, 1, 8),))
    assert access.indices["io_xfb" if after < 2 else "io_xfb2"] == expected
    assert access.indices["io_xfb2" if after < 2 else "io_xfb"] == XfbOutputs()


@pytest.mark.parametrize(("before", "after", "shown"), [(2, 3, 1), (2, 0, 0), (3, 1, 1)])
def test_capture_that_counts_from_its_first_component_keeps_counting_so(
    before: int, after: int, shown: int
) -> None:
    line = store("VAR3", "%10", before, extra="|")
    access, builder = the_store(line.replace("xfb2()", f"xfb2(component={before - 2} buffer=1 offset=8)"))
    assert is_captured(access)
    move_access(access, VAR0, VAR0 * HALVES + 2 * after, builder)
    assert access.indices["io_xfb" if after < 2 else "io_xfb2"] == XfbOutputs(((shown, 1, 1, 8),))


def test_capture_of_another_component_stays() -> None:
    access, builder = the_store(store("VAR3", "%10", 1, extra="|component=0 buffer=1 offset=8"))
    move_access(access, VAR0, VAR0 * HALVES + 4, builder)
    assert access.indices["io_xfb"] == XfbOutputs(((0, 1, 1, 8),))
    assert access.indices["io_xfb2"] == XfbOutputs()


def test_high_half_is_a_flag() -> None:
    access, builder = the_store(store("VAR3", "%10"))
    move_access(access, VAR0, VAR0 * HALVES + 3, builder)
    semantics = access.io_semantics
    assert semantics is not None
    assert (semantics.location, access.int_index("component")) == (VAR0, 1)
    assert semantics.has("high_16bits")
    move_access(access, VAR0, VAR0 * HALVES + 2, builder)
    assert access.io_semantics is not None
    assert not access.io_semantics.has("high_16bits")


def test_constant_offset_becomes_part_of_the_location() -> None:
    access, builder = the_store(store("VAR3", "%10").replace("%0 (0x0)", "%13 (0x1)"))
    assert move_access(access, VAR0, VAR0 * HALVES, builder)
    assert access.sources[-1].ssa.index != 13


def test_nothing_to_do() -> None:
    access, builder = the_store(store("VAR3", "%10", 2))
    assert not move_access(access, VAR0 + 3, (VAR0 + 3) * HALVES + 4, builder)


def test_offset_in_a_register_stays() -> None:
    access, builder = the_store(store("VAR3", "%10"))
    access.sources[-1].def_ = None
    assert move_access(access, VAR0, VAR0 * HALVES, builder)
