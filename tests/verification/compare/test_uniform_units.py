"""`load_uniform` in the units of several drivers."""

from __future__ import annotations

import pytest

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.verification.compare.uniform_units import unit_of, with_offsets_in_bytes
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Equivalent, Unchecked
from tests.passes.shader_text import ONE, ZERO, shader, store


@pytest.mark.parametrize(
    ("type_name", "step", "size", "verdict"),
    [
        ("vec4", 1, 2, Equivalent),  # counted in vec4s, as i915 does
        ("vec4", 4, 8, Equivalent),  # in words, as lima does
        ("vec4", 16, 32, Equivalent),
        ("vec4", 8, 32, Unchecked),  # in bytes, where the two elements overlap
        ("vec4", 0, 2, Unchecked),
    ],
)
def test_uniforms_are_counted_in_the_unit_that_the_size_of_their_variable_tells(
    type_name: str, step: int, size: int, verdict: type
) -> None:
    declared = [f"decl_var uniform INTERP_MODE_NONE none {type_name}[2] u (~0, 0, 0)"]
    derefs = [
        line
        for place in range(2)
        for line in (
            f"32 %{place}2 = deref_var &u (uniform {type_name}[2])",
            f"32 %{place}3 = deref_array &(*%{place}2)[{place}] (uniform {type_name})",
            f"32x4 %{place}4 = @load_deref (%{place}3) (access=none)",
        )
    ]
    loads = [
        line
        for place in range(2)
        for line in (
            f"32 %{place}2 = load_const ({place * step:#010x})",
            f"32x4 %{place}4 = @load_uniform (%{place}2) (base=0, range={size}, dest_type=float32)",
        )
    ]
    sum_ = ("32 %30 = fadd! %04.y, %14.x", store("VAR0", "%30"))
    before, after = (
        RunnableSnapshot(shader("VERTEX", ZERO, ONE, *lines, *sum_, header=declared))
        for lines in (derefs, loads)
    )
    assert isinstance(compare_snapshots(before, after, "nir_lower_io").verdict, verdict)


@pytest.mark.parametrize(
    ("type_name", "size", "unit"),
    [
        ("mat2", 2, 16),
        ("mat2", 4, 4),
        ("mat2", 32, 1),
        ("float[5]", 5, 4),  # or vec4s: no two elements overlap in either
        ("dvec3", 2, 16),
        ("dvec3", 6, 4),
        ("S", 2, 1),
    ],
)
def test_unit(type_name: str, size: int, unit: int) -> None:
    before = shader(
        "VERTEX",
        "32 %1 = deref_var &u (uniform float)",
        "32 %2 = @load_deref (%1) (access=none)",
        header=[f"decl_var uniform INTERP_MODE_NONE none {type_name} u (~0, 0, 0)"],
    )
    after = shader("VERTEX", ZERO, f"32 %2 = @load_uniform (%0) (base=3, range={size}, dest_type=float32)")
    (load,) = (instr for instr in after.instrs() if isinstance(instr, IntrinsicInstr))
    loaded = next(instr.def_ for instr in before.instrs() if isinstance(instr, IntrinsicInstr))
    assert loaded is not None
    assert unit_of([(loaded, load)]) == unit
    (moved,) = (
        instr for instr in with_offsets_in_bytes(after, unit).instrs() if isinstance(instr, IntrinsicInstr)
    )
    assert moved.indices["base"] == 3 * unit
