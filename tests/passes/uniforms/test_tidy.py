from __future__ import annotations

from nirls.passes.uniforms.tidy import tidy
from tests.passes.shader_text import ONE, ZERO, printed_kinds, shader, use


def test_folds_copies_and_removes_to_the_end() -> None:
    lines = "32 %2 = fadd %1, %1", "32 %3 = mov %2", "32 %4 = fmul %3, %3", use("%3")
    parsed = shader("FRAGMENT", ZERO, ONE, *lines)
    assert tidy(parsed)
    assert printed_kinds(parsed) == ["load_const", "load_const", "store_ssbo"]
    assert not tidy(parsed)
