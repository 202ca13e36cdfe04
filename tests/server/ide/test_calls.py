"""Who calls whom."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.server.engine.documents.dump_state import DumpState
from nirls.server.ide.calls import function_meant, function_named, incoming, outgoing, place_of
from nirls.server.ide.cursor.entities import entity_at
from nirls.server.ide.cursor.places import Places

Marked = Callable[[bytes], tuple[DumpState, int]]

DUMP = b"""\
shader: MESA_SHADER_FRAGMENT
decl_function outside ()

decl_function leaf (32 x)

impl leaf {
    block b0:
    block b1:
}

decl_function main () (entrypoint)

impl main {
    block b0:
    32  %0 = undefined
    call leaf %0
    call outside
    call leaf %0
    call nobody
    block b1:
}
"""


def test_both_ways(marked: Marked) -> None:
    state, _ = marked(DUMP + b"$0")
    leaf, main = (function_named(state.shader, name) for name in ("leaf", "main"))
    assert leaf is not None
    assert main is not None
    (calls,) = incoming(state.shader, leaf)
    assert calls.function.name == "main"
    assert [DUMP[start:end] for start, end in calls.ranges] == [b"call leaf %0"] * 2
    assert [(one.function.name, len(one.ranges)) for one in outgoing(state.shader, main)] == [
        ("leaf", 2),
        ("outside", 1),
    ]
    assert incoming(state.shader, main) == outgoing(state.shader, leaf) == []


def test_places(marked: Marked) -> None:
    state, _ = marked(DUMP + b"$0")
    texts = []
    for name in ("leaf", "outside"):
        function = function_named(state.shader, name)
        assert function is not None
        place = place_of(state.shader, function)
        assert place is not None
        texts.append(DUMP[place.start : place.end])
    assert texts[0].startswith(b"impl leaf {")
    assert texts[0].endswith(b"}")
    assert texts[1] == b"decl_function outside ()"


@pytest.mark.parametrize(
    ("mark", "name"),
    [(b"leaf %0", "leaf"), (b"call outside", "outside"), (b"main {", "main"), (b"leaf (", "leaf")],
)
def test_what_the_cursor_means(marked: Marked, mark: bytes, name: str) -> None:
    at = DUMP.index(mark) + 1
    state, offset = marked(DUMP[:at] + b"$0" + DUMP[at:])
    found = entity_at(state.shader, state.of_shader(Places), offset)
    assert found is not None
    function = function_meant(*found)
    assert function is not None
    assert function.name == name


def test_an_unknown_function_is_none(marked: Marked) -> None:
    state, _ = marked(DUMP + b"$0")
    assert function_named(state.shader, "nobody") is None
