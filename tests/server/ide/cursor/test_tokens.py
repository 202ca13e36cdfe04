"""Semantic tokens: what is coloured how, and LSP's relative numbers."""

from __future__ import annotations

import gc
from itertools import pairwise

import pytest

from nirls.ir.text.parse import parse_tree
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.documents.positions import Encoding, LineIndex
from nirls.server.ide.cursor.tokens import MODIFIERS, TYPES, encode, tokens
from tests.ir.text.test_pasted import SHAPES

TEXT = """\
shader: MESA_SHADER_FRAGMENT
decl_var shader_in INTERP_MODE_SMOOTH none vec4 größe (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_function main () (entrypoint)

impl main {
    con block b0:   // preds:
    con 32     %0 = load_const (0x00000001)
    div 32x4   %1 = @load_deref (%0 (0x1)) (access=none)
    32     %2 = fadd! %1.x, %0  // süm
    block b1:
}
""".encode()


def shown(text: bytes, start: int = 0, end: int | None = None) -> list[tuple[str, str]]:
    return [
        (text[token.start : token.end].decode(), TYPES[token.kind])
        for token in tokens(parse_tree(text), start, end)
    ]


def test_what_is_coloured_how() -> None:
    found = shown(TEXT)
    for expected in [
        ("shader", "property"),
        ("MESA_SHADER_FRAGMENT", "enumMember"),
        ("decl_var", "keyword"),
        ("INTERP_MODE_SMOOTH", "enumMember"),
        ("vec4", "type"),
        ("größe", "variable"),
        ("con", "modifier"),
        ("block", "keyword"),
        ("b0", "label"),
        ("32x4", "type"),
        ("%1", "variable"),
        ("0x00000001", "number"),
        ("@load_deref", "method"),
        ("access", "property"),
        ("fadd", "function"),
        ("// süm", "comment"),
    ]:
        assert expected in found


def test_tokens_are_in_order_and_apart() -> None:
    found = tokens(parse_tree(TEXT))
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_a_range_gives_the_tokens_within_it() -> None:
    start, end = TEXT.index(b"    div"), TEXT.index(b"    32     %2")
    within = [token for token in tokens(parse_tree(TEXT), start, end) if start <= token.start < end]
    assert within == [token for token in tokens(parse_tree(TEXT)) if start <= token.start < end]
    assert len(within) < len(list(tokens(parse_tree(TEXT))))


@pytest.mark.sweep
def test_tokens_of_a_large_dump_start_no_garbage_collection() -> None:
    """The server collects after many new objects that live on, and tokens that are encoded do not."""
    body = b"    32     %3 = fadd! %1.x, %0\n" * 2_000
    text = TEXT.replace(b"    block b1:", body + b"    block b1:")
    tree, lines = parse_tree(text), LineIndex(text)
    collected: list[str] = []

    def note(phase: str, _: object) -> None:
        collected.append(phase)

    thresholds = gc.get_threshold()
    gc.collect()
    gc.set_threshold(5_000, 10, 10)
    gc.callbacks.append(note)
    try:
        data = encode(tokens(tree), lines, Encoding.UTF16)
    finally:
        gc.callbacks.remove(note)
        gc.set_threshold(*thresholds)
    assert len(data) > 5 * 10_000
    assert not collected


def test_definitions_are_marked() -> None:
    definition = 1 << MODIFIERS.index("definition")
    places = [TEXT[t.start : t.end] for t in tokens(parse_tree(TEXT)) if t.modifiers & definition]
    assert places == ["größe".encode(), b"main", b"b0", b"%0", b"%1", b"%2", b"b1"]


def test_the_numbers_lead_back_to_the_tokens() -> None:
    lines = LineIndex(TEXT)
    found = list(tokens(parse_tree(TEXT)))
    for encoding in Encoding:
        data = encode(found, lines, encoding)
        line = column = 0
        places = []
        for delta_line, delta_column, length, _, _ in zip(*[iter(data)] * 5, strict=True):
            column = delta_column if delta_line else column + delta_column
            line += delta_line
            start = lines.offset(line, column, encoding)
            places.append((start, lines.offset(line, column + length, encoding)))
        assert places == [(token.start, token.end) for token in found]


@pytest.mark.parametrize("name", SHAPES)
def test_pasted_tokens_are_where_the_document_has_them(name: str) -> None:
    """A line that a mailer has wrapped is one line of the dump, and several of the document."""
    for dump in Snapshot.of(SHAPES[name][0].encode()).dumps():
        lines = dump.piece.lines
        found = list(tokens(parse_tree(dump.piece.text)))
        data = encode(found, lines, Encoding.UTF16)
        line = column = 0
        places = []
        for delta_line, delta_column, length, _, _ in zip(*[iter(data)] * 5, strict=True):
            column = delta_column if delta_line else column + delta_column
            line += delta_line
            start = lines.raw.offset(line, column, Encoding.UTF16)
            end = lines.raw.offset(line, column + length, Encoding.UTF16)
            assert end <= lines.raw.line_end(line)
            assert len(lines.raw.text[start:end].decode().encode("utf-16-le")) == 2 * length
            places.append((line, column))
        assert places == [lines.position(token.start, Encoding.UTF16) for token in found]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("MESA_SHADER_FRAGMENT", "enumMember"),
        ("true", "enumMember"),
        ("0x00000000'00000020", "number"),
        ("1, 1, 1", "number"),
        ("{0x88888888, 0x77777777}", "number"),
        ("GLSL3", "string"),
        ("2d shader with a name", "string"),
        ("1" * 5000 + "!", "string"),
    ],
)
def test_header_values_have_the_kind_of_their_text(value: str, kind: str) -> None:
    text = f"shader: MESA_SHADER_VERTEX\nname: {value}\ndecl_function main (0 params)\n".encode()
    start = text.index(b"name: ") + len("name: ")
    assert [TYPES[one.kind] for one in tokens(parse_tree(text)) if one.start == start] == [kind]
