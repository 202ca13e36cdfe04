"""What is selected next around a cursor."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.cursor.places import Places
from nirls.server.ide.selection import MOST_LEVELS, selections

if TYPE_CHECKING:
    from tests.server.ide.conftest import Marked

DUMP = b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:   // preds:
    32     %0 = load_const (0x00000001)
                // succs: b1
    block b1:
}
"""


def selected(marked: Marked, text: bytes) -> list[bytes]:
    state, offset = marked(text)
    found = selections(state.text, state.of_text(outline), state.of_shader(Places), offset)
    assert all(start <= offset <= end for start, end in found)
    for inner, outer in pairwise(found):
        assert outer[0] <= inner[0] <= inner[1] <= outer[1]
        assert inner != outer
    return [state.text[start:end] for start, end in found]


def test_from_the_word_to_the_dump(marked: Marked) -> None:
    found = selected(marked, DUMP.replace(b"load_const", b"load_$0const"))
    assert found[0] == b"load_const"
    assert found[1] == b"32     %0 = load_const (0x00000001)"
    assert found[2].lstrip().startswith(b"block b0:")
    assert any(one.startswith(b"impl main") for one in found)
    assert found[-1] == DUMP.rstrip()


@pytest.mark.parametrize("text", [b"$0", b"\n$0\n", b"shader: $0", b"  $0  ", DUMP + b"$0"])
def test_there_is_always_something(marked: Marked, text: bytes) -> None:
    assert selected(marked, text)


def test_deep_nesting_has_an_end(marked: Marked) -> None:
    depth = 500
    opened = b"".join(b"    if %%0 {\n    block b%d:\n" % number for number in range(2, depth))
    closed = b"    } else {\n    block b9999:\n    }\n" * depth
    text = DUMP.replace(b"                // succs: b1\n", opened + b"    32 %7 = $0undefined\n" + closed)
    found = selected(marked, text)
    assert 10 < len(found) <= MOST_LEVELS + 3
    assert found[-1].startswith(b"shader:")
