"""The structure of a dump, told from the beginnings of its lines."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from nirls.ir.text.structure import (
    OPERATION,
    SCOPE_LINE,
    STRUCTURE_LINE,
    DumpLineKind,
    body_start,
    header_end,
    header_fields,
    intrinsic_names,
    line_kind,
    shader_line,
)

PROJECT = Path(__file__).resolve().parents[3]

DUMP = b"""// nirls: pipeline a
shader: MESA_SHADER_VERTEX
name: x: y
source_blake3: {0x1}
inputs_read: 0,2
struct S {
  vec4 a;
}
decl_function main () (entrypoint)

impl main {
    con block b0:  // preds:
    div 32x4  %1.pos = load_const (0x0)
    if %1 { // flatten
        block b1:
        break
    } else {
    }
    div loop {
    }
    block b3:
name: no header
}
"""
OLDER = b"impl f {\n\tblock block_0:\n\tvec4 32 con ssa_2.v = mov ssa_1\n\tvec1 ssa_3 = fmov ssa_2\n}\n"


def groups(pattern: object, text: bytes) -> list[str]:
    found = []
    for match in pattern.finditer(text):  # type: ignore[attr-defined]
        named = [name for name, value in match.groupdict().items() if value is not None]
        found.append(named[0])
    return found


def test_fields_of_the_header() -> None:
    assert header_fields(DUMP) == {
        "shader": "MESA_SHADER_VERTEX",
        "name": "x: y",
        "source_blake3": "{0x1}",
        "inputs_read": "0,2",
    }
    assert DUMP[header_end(DUMP) :].startswith(b"struct S")
    assert header_fields(OLDER) == {}
    assert header_fields(b"") == {}


def test_shader_line() -> None:
    assert shader_line(OLDER) is None
    start, end = shader_line(DUMP) or (0, 0)
    assert DUMP[start:end] == b"shader: MESA_SHADER_VERTEX"


def test_lines_of_the_structure() -> None:
    lines = ["impl", "block", "if", "block", "middle", "close", "loop", "close", "block", "close"]
    assert groups(STRUCTURE_LINE, DUMP) == [
        "close",
        *lines,
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            DUMP[DUMP.index(b"impl") :],
            ["block", "bits", "if", "block", "jump", "middle", "close", "loop", "close", "block", "close"],
        ),
        (OLDER, ["block", "older_width", "older_width", "close"]),
    ],
)
def test_lines_of_a_scope(text: bytes, expected: list[str]) -> None:
    assert groups(SCOPE_LINE, text) == expected


def test_where_functions_start() -> None:
    assert DUMP[body_start(DUMP) :].startswith(b"decl_function")
    assert OLDER[body_start(OLDER) :].startswith(b"impl f")
    assert body_start(b"shader: MESA_SHADER_VERTEX\n") == len(b"shader: MESA_SHADER_VERTEX\n")


def test_names_of_intrinsics_of_all_dialects() -> None:
    text = b"@store_output (%1) (base=0)\n32 %2 = @load_foo_amd\nintrinsic load_input (ssa_0) ()"
    assert intrinsic_names(text) == {b"store_output", b"load_foo_amd", b"load_input"}


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (b"32 %1 = fadd %2, %3", DumpLineKind.INSTRUCTION),
        (b"block b0:", DumpLineKind.BLOCK),
        (b"impl main {", DumpLineKind.IMPL),
        (b"decl_reg vec4 32 r0", DumpLineKind.DECLARATION),
        (b"if %1 {", DumpLineKind.OTHER),
        (b"", DumpLineKind.OTHER),
    ],
)
def test_kinds_of_lines(line: bytes, kind: DumpLineKind) -> None:
    assert line_kind(line) is kind


@pytest.mark.parametrize(
    ("line", "word"),
    [
        (b"    32  %1 = fadd! %2, %3", b"fadd"),
        (b"        @store_output (%1) (base=0)", b"@store_output"),
        (b"vec4 32 ssa_1 = intrinsic load_input (ssa_0) ()", b"load_input"),
        (b"32x4 %4 = (float32)tex %1 (coord)", b"tex"),
    ],
)
def test_the_word_of_an_operation(line: bytes, word: bytes) -> None:
    match = OPERATION.match(line)
    assert match is not None
    assert match["word"] == word


STRUCTURAL = re.compile(
    r"shader:|\bimpl\b|\bblock(?: |\[ |\\b|\\s)|decl_|location=|component=|wrmask=|\bbase=|intrinsic[ \[(\\]"
    r"|(?<!\+)@[\\\[(]|(?:load|store)_\S*put|preds|succs|nirls:"
)
SYNTAX_OF_PATTERNS = re.compile(r"\\[bwdsSZ]|\(\?|\[\^|\[ \\t\]")
OTHER_HOMES = {
    "ir/text": "reading text is what it is for",
    "ir/rewriting/patterns.py": "the notation of rules: `a@32`",
    "server/ide/history/backend_stats.py": "statistics of compilers, some of which begin with `shader:`",
    "server/ide/completion": "lines that are being typed, up to the cursor",
}


@cache
def patterns_of_structure() -> list[tuple[str, str]]:
    """The file and the text of each pattern that knows how the structure of dumps is printed."""
    return list(_patterns_of_structure())


def _patterns_of_structure() -> Iterator[tuple[str, str]]:
    for folder in ("api", "ir", "verification", "passes", "server"):
        for path in sorted((PROJECT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
                    text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
                    if STRUCTURAL.search(text) and SYNTAX_OF_PATTERNS.search(text):
                        yield path.relative_to(PROJECT).as_posix(), text


def test_only_the_text_package_has_patterns_of_structure() -> None:
    others = [found for found in patterns_of_structure() if not found[0].startswith(tuple(OTHER_HOMES))]
    assert others == []


def test_each_pattern_stands_once() -> None:
    patterns = [pattern for file, pattern in patterns_of_structure() if file.startswith("ir/text")]
    assert [pattern for pattern in set(patterns) if patterns.count(pattern) > 1] == []
