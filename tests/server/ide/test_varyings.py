"""The other ends of a slot."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.server.ide.entities import Slot
from nirls.server.ide.varyings import is_input, partner_accesses
from tests.passes.shader_text import ZERO, load, shader, store


def slot_of(dump: Shader, name: str) -> Slot:
    """The slot as somebody pointed at it in the access."""
    impl = dump.entrypoint
    assert impl is not None
    instr = next(one for one in impl.instrs() if getattr(one, "io_semantics", None) is not None)
    assert isinstance(instr, IntrinsicInstr)
    return Slot(name, instr)


def test_reads_of_an_output_and_writes_of_an_input() -> None:
    vs = shader("VERTEX", ZERO, store("VAR0", "%0"))
    tcs = shader("TESS_CTRL", ZERO, load(2, "VAR0", name="load_per_vertex_input"))
    (read,) = partner_accesses([vs, tcs], 0, slot_of(vs, "VARYING_SLOT_VAR0"))
    assert (read.position, read.is_store) == (1, False)
    (written,) = partner_accesses([vs, tcs], 1, slot_of(tcs, "VARYING_SLOT_VAR0"))
    assert (written.position, written.is_store) == (0, True)


def test_attributes_in_a_control_shader_read_no_output() -> None:
    vs = shader("VERTEX", ZERO, store("CLIP_VERTEX", "%0"))
    attribute = load(2, "VAR0").replace("VARYING_SLOT_VAR0", "VERT_ATTRIB_GENERIC1")
    tcs = shader("TESS_CTRL", ZERO, attribute)
    assert partner_accesses([vs, tcs], 0, slot_of(vs, "VARYING_SLOT_CLIP_VERTEX")) == []


def test_sides() -> None:
    assert is_input(slot_of(shader("VERTEX", ZERO, store("VAR0", "%0")), "VARYING_SLOT_VAR0").node) is False
    assert is_input(None) is None
