"""Which part of the IR stands on a line."""

from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.server.ide.cursor.places import Places, body_range

DUMP = b"""\
shader: MESA_SHADER_FRAGMENT
name: x
decl_var shader_in INTERP_MODE_NONE none vec4 color (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_function main () (entrypoint)

impl main {
    decl_reg 32 r0
    block b0:   // preds:
    1      %0 = load_const (true)
                // succs: b1 b2
    if %0 {
        block b1:   // preds: b0
        32 %1 = undefined
                // succs: b3
    } else {
        block b2:   // preds: b0
                // succs: b3
    }
    block b3:   // preds: b1 b2
    loop {
        block b4:   // preds: b3
        break
        // succs: b5
    }
    block b5:   // preds: b4
                // succs: b6
    block b6:
}
"""


def kind_at(dump: bytes, offset: int) -> str | None:
    found = Places(parse_dump(dump)).on_line_of(offset)
    return None if found is None else type(found[0]).__name__


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (b"shader: ", "HeaderField"),
        (b"name: x", "HeaderField"),
        (b"decl_var", "Variable"),
        (b"decl_function", "Function"),
        (b"impl main", "FunctionImpl"),
        (b"block b0", "Block"),
        (b"%0 = load_const", "LoadConstInstr"),
        (b"// succs: b1 b2", None),
        (b"if %0", "If"),
        (b"%1 = undefined", "UndefInstr"),
        (b"} else {", None),
        (b"loop {", "Loop"),
        (b"break", "JumpInstr"),
        (b"block b6", "Block"),
    ],
)
def test_each_line(mark: bytes, ends: bytes, expected: str | None) -> None:
    dump = DUMP.replace(b"\n", ends)
    start = dump.index(mark)
    end = dump.index(ends, start)
    for offset in (start, (start + end) // 2, end):
        assert kind_at(dump, offset) == expected
    line_start = dump.rfind(b"\n", 0, start) + 1
    assert kind_at(dump, line_start) == expected


@pytest.mark.parametrize("offset", [-1, 0, len(DUMP), 10**6])
def test_offsets_at_and_beyond_the_ends(offset: int) -> None:
    assert kind_at(DUMP, offset) in (None, "HeaderField")
    assert kind_at(b"", offset) is None


def test_instructions_know_their_function() -> None:
    shader = parse_dump(DUMP)
    places = Places(shader)
    (impl,) = shader.impls()
    found = places.on_line_of(DUMP.index(b"%1 = undefined"))
    assert found is not None
    assert found[1] is impl
    outside = places.on_line_of(DUMP.index(b"decl_var"))
    assert outside is not None
    assert outside[1] is None


def test_what_begins_between_two_offsets() -> None:
    places = Places(parse_dump(DUMP))
    start, end = DUMP.index(b"    1      %0"), DUMP.index(b"    if %0")
    assert [type(node).__name__ for node, _ in places.between(start, end)] == ["LoadConstInstr"]
    assert list(places.between(end, start)) == []
    assert list(places.between(10**6, 10**7)) == []
    everything = [node for node, _ in places.between(0, len(DUMP))]
    starts = [node.span.start for node in everything if node.span is not None]
    assert starts == sorted(starts)
    assert len(everything) == len(set(map(id, everything)))


def test_an_open_body_ends_with_the_dump() -> None:
    closed, opened = parse_dump(DUMP), parse_dump(DUMP.rstrip(b"\n}"))
    for shader in (closed, opened):
        (impl,) = shader.impls()
        assert body_range(shader, impl) == (DUMP.index(b"impl"), len(shader.source.rstrip(b"\n")))
