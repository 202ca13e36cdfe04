"""Renumbered prints."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import normalize

DATA = Path(__file__).resolve().parents[3] / "data"


def test_values_are_numbered_in_order_and_columns_fit() -> None:
    text = normalize(parse_dump((DATA / "edited.frag.nir").read_bytes())).decode()
    assert "    32    %5 = fmul %4, %2\n" in text
    assert "    32    %4 = fadd %1, %3 (1.000000)  // mine\n" in text


def test_the_shader_itself_stays_as_it_is() -> None:
    shader = parse_dump((DATA / "edited.frag.nir").read_bytes())
    impl = shader.entrypoint
    assert impl is not None
    normalize(shader)
    assert [value.index for value in impl.defs()] == [0, 1, 2, 3, 4, 9]


def test_jumps_to_numbered_blocks_follow_the_blocks() -> None:
    text = b"""\
shader: MESA_SHADER_COMPUTE
impl main {
    block b3:// preds:
    goto b7
    // succs: b7
    block b7:  // preds: b3, succs: b9
    block b9:
}
"""
    assert b"    goto b1\n" in normalize(parse_dump(text))


def test_normal_text_is_normal(corpus: Path) -> None:
    for pattern in ("pipelines/*/*/*.ssa.nir", "old/*.nir", "varyings/*.txt"):
        for path in sorted(corpus.glob(pattern))[::60]:
            for shader in parse_shaders(path.read_bytes()):
                once = normalize(shader)
                assert normalize(parse_dump(once)) == once
