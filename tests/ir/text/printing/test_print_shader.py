"""The text of a shader that passes may have changed."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import fresh, print_shader


def test_an_unchanged_dump_comes_out_byte_for_byte(corpus: Path) -> None:
    for pattern in ("pipelines/*/*/*.io.nir", "varyings/*.txt", "old/*.nir"):
        for path in sorted(corpus.glob(pattern))[::80]:
            for shader in parse_shaders(path.read_bytes()):
                assert print_shader(shader) == shader.source


def test_odd_text_is_kept_where_nothing_changed() -> None:
    text = (
        b"shader:  MESA_SHADER_FRAGMENT\r\n\r\nimpl main {\r\n"
        b"  block b0:\r\n\t32 %0  =   load_const (0x1)  // one\r\n"
        b"??\r\n  32 %1 = ineg   %0\r\n  32 %2 = ineg  %1 // two\r\n}\r\n"
    )
    shader = parse_dump(text)
    assert print_shader(shader) == text
    impl = shader.entrypoint
    assert impl is not None
    last = list(impl.instrs())[-1]
    assert isinstance(last, AluInstr)
    last.op = "inot"
    assert print_shader(shader).count(b"\r\n") == text.count(b"\r\n")
    assert b"= inot %1  // two\r\n" in print_shader(shader)
    assert b"ineg   %0\r\n" in print_shader(shader)


def test_a_shader_made_by_hand_is_printed_fresh(data: Path) -> None:
    shader = parse_dump((data / "edited.frag.nir").read_bytes())
    shader.source = b""
    assert print_shader(shader) == fresh(shader)
