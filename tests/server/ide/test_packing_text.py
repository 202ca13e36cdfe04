from __future__ import annotations

from nirls.server.ide.packing_plan import packing_of_shaders
from nirls.server.ide.packing_text import packing_text
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use


def test_the_tables_of_a_pair() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0", component=1))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0", 1), use("%1"))
    lines = packing_text(packing_of_shaders([vertex, fragment], {})).splitlines()
    assert lines[1].split() == ["before", "x", "y", "z", "w"]
    assert lines[2].split()[:2] == ["VAR0", "."]
    assert any(line.startswith("after") for line in lines)
