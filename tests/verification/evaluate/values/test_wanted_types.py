"""Uses tell what a loaded number is."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.evaluate.steps.io_places import io_place
from nirls.verification.evaluate.values.wanted_types import wanted_base
from tests.verification.evaluate.shader_text import shader_of, store


@pytest.mark.parametrize(
    ("use", "base"),
    [
        ("    32     %2 = fadd %1, %1", "float"),
        ("    32     %2 = ishl %0, %1", "uint"),
        ("    32     %2 = imax %1, %0", "int"),
        ("    1      %2 = ine %1, %0 (0x0)", "bool"),
        ("    32x2   %2 = vec2 %1, %1\n    32x2   %3 = umax %2, %2", "uint"),
        ("    32     %2 = mov %1\n    32     %3 = mov %2\n    32     %4 = i2f32 %3", "int"),
        (store("1", "0").replace("float32", "uint32"), "uint"),
        ("    32     %2 = @load_ssbo (%0, %1) (access=none, align_mul=4, align_offset=0)", "int"),
        (
            "    32     %2 = deref_var &a (function_temp float[3])\n"
            "    32     %3 = deref_array &(*%2)[%1] (function_temp float)",
            "int",
        ),
        ("    32     %2 = iadd %1, %0\n    32     %3 = fadd %1, %1", "mixed"),
        ("    32     %2 = fadd %1, %1\n    32     %3 = mov %1\n    32     %4 = imax %3, %0", "mixed"),
        ("    32     %2 = fadd %1, %1\n" + store("1", "0").replace("float32", "uint32"), "float"),
        ("", "float"),
    ],
)
def test_by_use(use: str, base: str) -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
        f"    32     %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, "
        f"range_base=0, range=4)\n{use}\n                // succs: b99"
    )
    entry = shader.entrypoint
    assert entry is not None
    load = next(instr for instr in entry.instrs() if getattr(instr, "name", "") == "load_ubo")
    assert load.def_ is not None
    assert wanted_base(load.def_) == base


@pytest.mark.parametrize(
    ("declared", "op", "base"),
    [
        ("uint32", "fadd", "mixed"),
        ("float32", "iadd", "mixed"),
        ("int32", "iadd", "int"),
        ("bool32", "iadd", "bool"),
    ],
)
def test_by_declaration_and_use(declared: str, op: str, base: str) -> None:
    shader = shader_of(
        "    block b0:   // preds:\n    32     %0 = load_const (0x00000000)\n"
        f"    32     %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type={declared}, "
        f"io location=VERT_ATTRIB_POS slots=1)\n    32     %2 = {op} %1, %1\n                // succs: b99"
    )
    load = next(instr for instr in shader.instrs() if getattr(instr, "name", "") == "load_input")
    assert isinstance(load, IntrinsicInstr)
    assert io_place(load).base == base
