from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

from nirls.ir.analysis.compare import difference, same_shader
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import renumber
from nirls.ir.text.parse import parse_dump
from tests.passes.expectation import parse_body

LOOP = """
block b0:
1     %0 = @load_front_face
32    %1 = load_const (0x00000000)
loop {
    block b1:
    32 %2 = phi b0: %1, b4: %4
    if %0 {
        block b2:
        break
    } else {
        block b3:
    }
    block b4:
    32 %3 = fadd %2, %1
    32 %4 = fmul %3, %2
}
block b5:
block b6:
"""


def test_numbers_do_not_matter() -> None:
    renumbered = re.sub(r"\bb(?=\d)", "b1", LOOP.replace("%", "%7"))
    assert "b14: %74" in renumbered
    assert same_shader(parse_body(LOOP), parse_body(renumbered))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("fadd %2, %1", "fadd %1, %2"),
        ("fadd %2, %1", "fadd %2, %2"),
        ("fadd %2, %1", "fadd! %2, %1"),
        ("fadd %2, %1", "fsub %2, %1"),
        ("0x00000000", "0x00000001"),
        ("b4: %4", "b4: %3"),
        ("break", "continue"),
        ("@load_front_face", "@load_helper_invocation"),
        ("    32 %4 = fmul %3, %2\n", "    32 %4 = fmul %3, %2\n    32 %5 = fmul %3, %2\n"),
        ("if %0 {", "1 %9 = inot %0\nif %9 {"),
    ],
)
def test_everything_else_matters(old: str, new: str) -> None:
    assert old in LOOP
    other = parse_body(LOOP.replace(old, new), valid=False)
    assert difference(parse_body(LOOP), other) is not None
    assert difference(other, parse_body(LOOP)) is not None


def test_commutative_operands() -> None:
    one, other = parse_body(LOOP), parse_body(LOOP.replace("fadd %2, %1", "fadd %1, %2"))
    assert not same_shader(one, other)
    assert difference(one, other, commutative=True) is None
    swapped = parse_body(LOOP.replace("fadd %2, %1", "fsub %2, %1"))
    swapped_too = parse_body(LOOP.replace("fadd %2, %1", "fsub %1, %2"))
    assert difference(swapped, swapped_too, commutative=True) is not None


def test_phi_sources_in_any_order() -> None:
    other = parse_body(LOOP.replace("b0: %1, b4: %4", "b4: %4, b0: %1"))
    assert same_shader(parse_body(LOOP), other)


def test_dialect_of_registers() -> None:
    text = """shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
	decl_reg vec4 32 r0
	decl_reg vec4 32 r1
	block block_0:
	/* preds: */
	r0.xy = mov r1
	r1 = mov abs(r0.xxyy)
	/* succs: block_1 */
	block block_1:
}
"""
    shader = parse_dump(text.encode())
    assert not shader.unreadable
    assert same_shader(shader, clone_shader(shader))
    for old, new in (
        ("r0.xy =", "r0.xz ="),
        ("abs(r0.xxyy)", "-r0.xxyy"),
        ("mov r1", "mov r0"),
        ("xxyy", "xxyz"),
    ):
        assert not same_shader(shader, parse_dump(text.replace(old, new).encode())), (old, new)


@pytest.mark.sweep
def test_corpus_shaders_are_the_same_as_their_renumbered_copies(corpus: Path) -> None:
    paths = sorted(corpus.glob("pipelines/*/*/frag.io.nir"))[::6]
    assert paths
    shaders = [parse_dump(path.read_bytes()) for path in paths]
    for shader in shaders:
        copy = clone_shader(shader)
        renumber(copy)
        assert difference(shader, copy) is None
    for one, other in pairwise(shaders):
        assert not same_shader(one, other)
