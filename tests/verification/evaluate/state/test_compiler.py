"""Compiled reads and writes: slots of defs, registers, and facts about the shader."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

from nirls.ir.model.instructions import AluInstr, DerefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Src
from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.state.compiler import Compiler, register_cells
from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import shader_of
from tests.verification.evaluate.state.test_state import number, state

BODY = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = ineg %0
    32     %2 = ineg %1
                // succs: b99"""
OLD = """shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    decl_reg vec2 32 r0
    decl_reg vec1 32 r1[4]
    block block_0:
    /* preds: */
    vec1 32 ssa_0 = load_const (0x00000001 = 0.000000)
    r0.y = mov ssa_0
    r1[1 + ssa_0] = mov ssa_0
    vec1 32 ssa_1 = mov r1[1 + ssa_0]
    vec1 32 ssa_2 = mov r0.y
    /* succs: block_1 */
    block block_1:
}
"""


class OneFunction(Compiler):
    """A compiler of the only function of a shader, with a slot for each def."""

    def __init__(self, shader: Shader, kept: Iterable[int] = ()) -> None:
        super().__init__(shader)
        (self.impl,) = shader.impls()
        self._slots = {value: place for place, value in enumerate(self.impl.defs())}
        self._kept = {value for value in self._slots if value.index in kept}

    @property
    def alu(self) -> list[AluInstr]:
        return [instr for instr in self.impl.instrs() if isinstance(instr, AluInstr)]

    def empty_state(self) -> State:
        found = state()
        found.frame.values = [number(100 + place) for place in range(len(self._slots))]
        return found


def lanes(value: Value) -> list[int]:
    """The bits of a scalar."""
    (row,) = value.bits.tolist()
    return list(row)


def test_read_and_write_of_a_def_use_its_slot() -> None:
    compiler = OneFunction(shader_of(BODY))
    first, second = compiler.alu
    running = compiler.empty_state()
    compiler.write(first)(running, number(7))
    assert [lanes(value)[0] for value in running.frame.values] == [100, 7, 102]
    assert lanes(compiler.read(second.sources[0])(running)) == [7] * 4
    assert second.def_ is not None
    assert compiler.slot(second.def_) == 2
    compiler.write_dest(second.def_)(running, number(8))
    assert lanes(running.frame.values[2]) == [8] * 4


@pytest.mark.parametrize(("kept", "expected"), [((), [7, 7, 7, 7]), ((1,), [7, 101, 7, 101])])
def test_lanes_that_left_a_loop_keep_the_value_of_a_kept_def(
    kept: tuple[int, ...], expected: list[int]
) -> None:
    compiler = OneFunction(shader_of(BODY), kept)
    written = compiler.alu[0].def_
    assert written is not None
    assert compiler.is_kept(written) is bool(kept)
    running = compiler.empty_state()
    running.masks.set_active(np.array([True, False, True, False]))
    compiler.write_def(written)(running, number(7))
    assert lanes(running.frame.values[1]) == expected


def old() -> OneFunction:
    shader = parse_dump(OLD.encode())
    assert not shader.unreadable, shader.unreadable
    return OneFunction(shader)


def test_masked_write_of_a_register_is_read_back_by_running_lanes() -> None:
    compiler = old()
    to_register, _, _, from_register = compiler.alu
    running = compiler.empty_state()
    running.masks.set_active(np.array([True, True, False, False]))
    compiler.write(to_register)(running, number(7))
    found = compiler.read(from_register.sources[0])(running)
    assert found.bits[1, :2].tolist() == [7, 7]
    assert found.poison is not None
    assert found.poison.tolist() == [[True] * 4, [False, False, True, True]]


def test_register_index_has_a_base_and_an_offset_of_each_lane() -> None:
    compiler = old()
    _, to_array, from_array, _ = compiler.alu
    running = compiler.empty_state()
    assert to_array.reg_dest is not None
    running.frame.values[0] = Value(np.array([[0, 1, 0, 1]], np.uint32), 32)
    compiler.write_dest(to_array.reg_dest)(running, number(7))
    cells = register_cells(running, to_array.reg_dest.reg)
    assert cells.poison[:, 0].tolist() == [
        [True] * 4,
        [False, True, False, True],
        [True, False, True, False],
        [True] * 4,
    ]
    found = compiler.read(from_array.sources[0])(running)
    assert found.poison is None
    assert lanes(found) == [7] * 4


def test_registers_of_a_call_are_its_own() -> None:
    compiler = old()
    reg = compiler.impl.registers[0]
    running = compiler.empty_state()
    outer = register_cells(running, reg)
    assert register_cells(running, reg) is outer
    running.frame.locals = {}
    assert register_cells(running, reg) is not outer


def test_what_cannot_be_read_or_written_is_unsupported() -> None:
    compiler = OneFunction(shader_of(BODY))
    with pytest.raises(Unsupported, match="an empty source"):
        compiler.read(Src())
    instr = compiler.alu[0]
    instr.def_ = None
    with pytest.raises(Unsupported, match="without destination"):
        compiler.write(instr)


def test_undeclared_variables_of_one_name_and_mode_are_one() -> None:
    body = """
    block b0:   // preds:
    32     %0 = deref_var &a (shader_temp float)
    32     %1 = deref_var &a (shader_temp float)
    32     %2 = deref_var &a (function_temp float)
                // succs: b99"""
    shader = shader_of(body)
    first, again, other = (instr for instr in shader.instrs() if isinstance(instr, DerefInstr))
    compiler = OneFunction(shader)
    found = compiler.undeclared(first)
    assert (found.name, found.mode, found.type_name) == ("a", "shader_temp", "float")
    assert compiler.undeclared(again) is found
    assert compiler.undeclared(other) is not found


def test_possible_blocks_are_those_of_the_header() -> None:
    shader = shader_of(BODY, head="num_ssbos: 3\n")
    compiler = OneFunction(shader)
    assert compiler.possible_blocks("ssbo") == range(3)
    assert compiler.possible_blocks("ubo") is None
    shader.header.clear()
    assert compiler.possible_blocks("ssbo") == range(3), "they are found once"
