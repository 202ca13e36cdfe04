from __future__ import annotations

from pathlib import Path

from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.passes.registers.lower_vec_and_coalesce import lower_vec_and_coalesce
from nirls.passes.translation_validation import Equivalent, validate_pass
from tests.passes.expectation import assert_valid, parse_body
from tools.corpus.uniforms import agreement, vectors_in_registers


def test_nothing_in_the_corpus_becomes_another_program(corpus: Path) -> None:
    counts = agreement(corpus, step=120)
    assert counts["inline_uniforms"].changed
    assert counts["lower_vec_and_coalesce"].changed
    for count in counts.values():
        assert count.is_complete, count.wrong


def test_vectors_in_registers_are_the_same_program() -> None:
    modern = parse_body(
        """
        block b0:
        32    %0 = load_const (0x00000000)
        32    %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)
        32    %2 = fneg %1
        32x2  %3 = vec2 %2, %1
        @store_ssbo (%3, %0, %0) (wrmask=xy, access=none, align_mul=4, align_offset=0)
        block b1:
        """
    )
    for shader in (modern, parse_dump(convert(modern, Dialect.CLASSIC))):
        result = vectors_in_registers(shader)
        assert_valid(result)
        assert isinstance(validate_pass(shader, result), Equivalent)
        assert lower_vec_and_coalesce(result)
