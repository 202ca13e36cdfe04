"""Mesa's columns, by changes of white space alone."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from nirls.ir.text.edits import apply_edits
from nirls.ir.text.parse import parse_dump
from nirls.server.ide.formatting import formatting_edits

MODERN = b"""\
shader: MESA_SHADER_FRAGMENT
name:    two  words
decl_var shader_out INTERP_MODE_NONE none vec4 color (FRAG_RESULT_DATA0.xyzw, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:    // preds:
    32      %7 = load_const (0x3f800000 = 1.000000)
    32x4   %12 = vec4 %7 (0x3f800000), %7 (0x3f800000), %7 (0x3f800000), %7 (0x3f800000)  // mine,  all mine
    1       %8 = feq %7 (1.000000), %7 (1.000000)
                 @store_output (%12, %12) (base=0, wrmask=xyzw, component=0)
                 // succs: b1 b2
    if %8 {
        block b1:// preds: b0
        @terminate
        // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2, succs: b4
    block b4:
}
"""
MESSY = b"""\
shader: MESA_SHADER_FRAGMENT
name:    two  words
decl_var   shader_out INTERP_MODE_NONE  none vec4 color (FRAG_RESULT_DATA0.xyzw,0, 0)
decl_function main () (entrypoint)
  \t
 impl main {
block b0:  // preds:
    32      %7 =   load_const (0x3f800000 = 1.000000)
    32x4   %12 = vec4 %7 (0x3f800000),%7 (0x3f800000), %7 (0x3f800000),  %7 (0x3f800000)  // mine,  all mine
        1 %8 = feq   %7 (1.000000), %7 (1.000000)
    @store_output  (%12, %12) ( base=0, wrmask=xyzw,component=0)
\t\t// succs: b1 b2
   if %8   {
    block b1: // preds: b0
  @terminate
 // succs: b3
    }   else {
block b2: // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2,   succs: b4
    block b4:
  }
"""


def formatted(text: bytes, first: int = 0, last: int | None = None) -> bytes:
    return apply_edits(text, formatting_edits(parse_dump(text), first, last))


def characters(text: bytes) -> bytes:
    return re.sub(rb"\s", b"", text)


def test_columns() -> None:
    assert formatted(MESSY) == MODERN
    assert formatting_edits(parse_dump(MODERN)) == []


def test_only_the_lines_asked_for() -> None:
    lines = MESSY.splitlines(keepends=True)
    wanted = MODERN.splitlines(keepends=True)
    assert formatted(MESSY, 9, 10).splitlines(keepends=True) == [*lines[:9], *wanted[9:11], *lines[11:]]
    assert formatted(MESSY, 1000, 2000) == MESSY


def test_windows_lines() -> None:
    assert formatted(MESSY.replace(b"\n", b"\r\n")) == MODERN.replace(b"\n", b"\r\n")


def test_edits_are_of_white_space() -> None:
    for edit in formatting_edits(parse_dump(MESSY)):
        assert not MESSY[edit.start : edit.end].strip()
        assert not edit.new_text.strip()


@pytest.mark.parametrize(
    "line",
    [
        b"  32   %9 = load_const (0x3F800000)",  # spelled otherwise than Mesa does
        b"  32   %9 = what is this",
        b"  // a   remark",
        b"32 %9 = fadd %7, %7;  32 %10 = fadd %7, %7",
        "  32   %9 = fneg %7  // größe   𝄞".encode(),
    ],
)
def test_what_is_not_as_mesa_prints_keeps_its_words(line: bytes) -> None:
    text = MODERN.replace(b"    1       %8", line + b"\n    1       %8")
    result = formatted(text)
    assert characters(result) == characters(text)
    assert formatted(result) == result


def test_older_dialects() -> None:
    text = b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
  decl_reg vec4   32 r0
  block block_0:
  /*  preds: */
  vec1 32 ssa_0 = load_const   (0x3f800000 /* 1.000000 */)
  r0.x = fadd ssa_0,  -r0.y
  /* succs:  block_1 */
  block block_1:
}
"""
    assert (
        formatted(text)
        == b"""\
shader: MESA_SHADER_VERTEX
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 /* 1.000000 */)
\tr0.x = fadd ssa_0, -r0.y
\t/* succs: block_1 */
\tblock block_1:
}
"""
    )


@pytest.mark.parametrize(
    "text", [b"", b"shader: MESA_SHADER_VERTEX", b"shader: X\nimpl main {\n\n  if %0 {\n"]
)
def test_hardly_anything(text: bytes) -> None:
    assert characters(formatted(text)) == characters(text)


def test_what_mesa_printed_stays(corpus: Path) -> None:
    randomly = random.Random(7)
    for path in sorted(corpus.glob("pipelines/*/*/*.nir"))[::59]:
        text = path.read_bytes()
        assert formatting_edits(parse_dump(text)) == [], path
        body = text.index(b"\nimpl")
        messy = text[:body] + b"\n".join(
            b" " * randomly.randrange(9) + line.strip() for line in text[body:].split(b"\n")
        )
        result = formatted(messy)
        assert characters(result) == characters(text), path
        # Most lines come back as they were; comments on lines of their own stay where they are put.
        kept = sum(a == b for a, b in zip(result.split(b"\n"), text.split(b"\n"), strict=True))
        assert kept > 0.98 * text.count(b"\n"), path
