"""What the divergence of a single value hangs on."""

from __future__ import annotations

import pytest

from nirls.ir.analysis.divergence_dependence import Dependence, Dependences
from nirls.ir.analysis.divergence_options import DivergenceOptions
from nirls.ir.model.instructions import Instr
from tests.passes.expectation import parse_body

DECLARATIONS = """
decl_var uniform INTERP_MODE_NONE none float[4] u (0, 0, 0)
decl_var shader_in INTERP_MODE_FLAT none float i (VARYING_SLOT_VAR0.x, 0, 0)
"""


def dependence(line: str, **facts: bool) -> tuple[Instr, Dependence]:
    """Of the last value of a fragment shader; %0 and %1 are two that can be read."""
    shader = parse_body(
        f"block b0:\n32 %0 = load_const (0x00000001)\n32x2 %1 = vec2 %0, %0\n{line}\nblock b1:",
        declarations=DECLARATIONS,
        valid=False,
    )
    (impl,) = shader.impls()
    instr = impl.start_block.last
    assert instr is not None
    return instr, Dependences(impl, shader.stage, DivergenceOptions(**facts)).of(instr)


def test_arithmetic_hangs_on_all_sources() -> None:
    instr, found = dependence("32 %2 = fadd %0, %1.y")
    assert found == Dependence("", instr.srcs())


def test_constants_and_uniform_variables_hang_on_nothing() -> None:
    for line in ("32 %2 = load_const (0x00000000)", "32 %2 = deref_var &u (uniform float[4])"):
        _, found = dependence(line)
        assert not found.because
        assert not found.sources


def test_an_input_diverges_unless_a_subgroup_has_one_primitive() -> None:
    line = "32 %2 = deref_var &i (shader_in float)"
    assert "shader_in" in dependence(line)[1].because
    assert not dependence(line, single_prim_per_subgroup=True)[1].because


def test_what_is_called_and_casts_are_not_looked_into() -> None:
    assert "call" in dependence("call f %0")[1].because
    assert "cast" in dependence("32 %2 = deref_cast (float *)%0 (ssbo float)")[1].because


@pytest.mark.parametrize(("flag", "counted"), [("", 1), (", texture non-uniform", 2)])
def test_a_texture_counts_only_where_it_may_differ(flag: str, counted: int) -> None:
    _, found = dependence(f"32x4 %2 = (float32)tex %1 (coord), %0 (texture_offset), 0 (texture){flag}")
    assert not found.because
    assert len(found.sources) == counted


def test_a_buffer_counts_only_where_it_may_differ() -> None:
    text = "32 %2 = @load_ubo (%0, %0) (access={}, align_mul=4, align_offset=0, range_base=0, range=4)"
    plain, marked = (dependence(text.format(access))[1] for access in ("none", "non-uniform"))
    assert len(plain.sources) < len(marked.sources)
