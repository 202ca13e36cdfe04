"""Programs: constants, templates, calls."""

from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.program import ProgramCompiler
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.errors import Unsupported
from tests.verification.evaluate.shader_text import shader_of, store, stored

BODY = f"""    block b0:   // preds:
    32     %0 = load_const (0x00000007)
    32     %1 = iadd %0, %0
{store("1", "0")}
                // succs: b99"""


def test_fresh_values_know_constants_and_nothing_else() -> None:
    shader = shader_of(BODY)
    entry = shader.entrypoint
    assert entry is not None
    program = ProgramCompiler(shader).program(entry.function)
    values = program.fresh_values(4)
    assert [value.poison is None for value in values] == [True, False]
    values[1] = values[0]
    assert program.fresh_values(4)[1].poison is not None, "the template is not what a run changes"
    assert program.fresh_values(2)[0].bits.shape == (1, 2)


def test_a_function_is_compiled_once() -> None:
    shader = shader_of(BODY)
    entry = shader.entrypoint
    assert entry is not None
    compiler = ProgramCompiler(shader)
    assert compiler.program(entry.function) is compiler.program(entry.function)


def test_a_call_passes_parameters_and_comes_back() -> None:
    text = f"""shader: MESA_SHADER_VERTEX
decl_function twice (2 params)
decl_function main () (entrypoint)

impl twice {{
    block b0:   // preds:
    32     %0 = @load_param (param_idx=0)
    32     %1 = @load_param (param_idx=1)
    32     %2 = deref_cast (uint *)%0 (function_temp uint)  (ptr_stride=0, align_mul=0, align_offset=0)
    32     %3 = iadd %1, %1
                @store_deref (%2, %3) (wrmask=x, access=none)
                // succs: b1
    block b1:
}}

impl main {{
    decl_var  INTERP_MODE_NONE none uint r
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    32     %2 = deref_var &r (function_temp uint)
                call twice %2, %1
    32     %3 = @load_deref (%2) (access=none)
{store("3", "0")}
                // succs: b1
    block b1:
}}
"""
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    assert stored(Machine(shader).run(Environment(1), lanes=4)) == [0, 2, 4, 6]


def test_forms_with_less_sources_are_refused() -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
        "    32     %1 = @load_ubo (%0) (base=0)\n                // succs: b99"
    )
    with pytest.raises(Unsupported, match="load_ubo with 1 sources"):
        Machine(shader).run(Environment(1), lanes=2)
