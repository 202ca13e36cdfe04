from __future__ import annotations

from nirls.server.ide.packing.packing_plan import packing_of_shaders
from nirls.server.ide.packing.packing_text import packing_text
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use
from tests.passes.varyings.payload_pairs import READ, put
from tests.passes.varyings.payload_pairs import pair as payload_pair


def test_the_tables_of_a_pair() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0", component=1))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0", 1), use("%1"))
    lines = packing_text(packing_of_shaders([vertex, fragment], {})).splitlines()
    assert lines[1].split() == ["before", "x", "y", "z", "w"]
    assert lines[2].split()[:2] == ["VAR0", "."]
    assert any(line.startswith("after") for line in lines)


def test_ledger_follows_the_tables() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0", component=1))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0", 1), use("%1"))
    text = packing_text(packing_of_shaders([vertex, fragment], {}))
    tables, _, ledger = text.partition("\n\n")
    assert "before" in tables
    assert ledger.splitlines()[0].split() == ["varying", "value", "fate", "place", "why"]
    assert "the constant 1 is used in the FS" in ledger


def test_payload_has_no_tables() -> None:
    lines = packing_text(packing_of_shaders(payload_pair((put("%1"),), READ), {})).splitlines()
    assert lines[0] == "TS to MS: 4 payload bytes, 0 after opt_varyings"
    assert lines[3].startswith("payload[0..3]  1      propagated")
    assert not any(line.startswith(("before", "after")) for line in lines)
