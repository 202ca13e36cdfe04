from __future__ import annotations

import pickle

from nirls.server.ide.graphs import drawn as module
from nirls.server.ide.graphs.drawn import draw
from nirls.server.ide.graphs.kinds import GraphSubject
from tests.passes.shader_text import ONE, ZERO, shader_text

TEXT = shader_text("VERTEX", ZERO, ONE, "32    %2 = fneg %1").encode()


def test_a_picture_can_be_sent() -> None:
    drawn = draw("values", GraphSubject((TEXT,)), wants_svg=False)
    assert pickle.loads(pickle.dumps(drawn)) == drawn
    assert drawn.dot.startswith("digraph")
    assert [name for name, _ in drawn.places] == ["value_0", "value_1", "value_2"]
    assert drawn.svg is None


def test_why_there_is_none() -> None:
    assert (
        draw("varyings", GraphSubject((TEXT,)), wants_svg=False).why_not
        == "the shader is linked with no other stage"
    )


def test_with_a_layout_there_is_dot_too() -> None:
    assert draw("cfg", GraphSubject((TEXT,)), wants_svg=module.can_lay_out()).dot
