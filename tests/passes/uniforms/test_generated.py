"""Random programs with values of their uniforms inlined."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.registers.lower_regs_to_ssa import lower_regs_to_ssa
from nirls.passes.uniforms.inline_uniforms import InlineUniforms, inline_uniforms
from nirls.passes.uniforms.places import UniformWord
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid
from tests.passes.registers.programs import EXAMPLES, Statement, old_shader, programs

WORDS = st.one_of(
    st.sampled_from(
        (0, 1, 0x80000000, 0x3F800000, 0xBF800000, 0x3F000000, 0x7FC00000, 0x7F800000, 0xFFFFFFFF)
    ),
    st.integers(0, 0xFFFFFFFF),
)


@settings(max_examples=EXAMPLES, deadline=None)
@given(programs, st.dictionaries(st.sampled_from((0, 4, 8, 12)), WORDS, min_size=1))
@pytest.mark.sweep
def test_generated_programs_stay_the_same(program: list[Statement], values: dict[int, int]) -> None:
    shader = old_shader(program)
    assert lower_regs_to_ssa(shader)
    words = {UniformWord("0", offset): bits for offset, bits in values.items()}
    result = clone_shader(shader)
    assert inline_uniforms(result, words)
    assert_valid(result)
    values = ",".join(f"{place}={bits:#x}" for place, bits in words.items())
    assumed = InlineUniforms(set=values).assumptions([shader])
    options = VerificationOptions(runs=3, most_runs=3, lanes=16, least_lanes=1, assumptions=assumed)
    verdict = verify_shaders(shader, result, options)
    assert not isinstance(verdict, Different), verdict


@settings(max_examples=20, deadline=None)
@given(programs, st.dictionaries(st.sampled_from((0, 4, 8, 12)), WORDS, min_size=1))
def test_the_text_says_the_same(program: list[Statement], values: dict[int, int]) -> None:
    generated = old_shader(program)
    ssa = clone_shader(generated)
    assert lower_regs_to_ssa(ssa)
    shader = parse_dump(apply_edits(generated.source, text_edits(generated, ssa)))
    result = clone_shader(shader)
    assert inline_uniforms(result, {UniformWord("0", offset): bits for offset, bits in values.items()})
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert not edited.unreadable
    assert difference(edited, result) is None
