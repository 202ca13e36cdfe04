"""From loads to the stores that feed them, by component."""

from __future__ import annotations

import pytest

from nirls.ir.io.access import io_access
from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.io.view import IoView
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.dead_io_plan import RemoveStore, plan
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.server.ide.cursor.entities import IndexEntity, IntrinsicEntity, OpcodeEntity, SlotEntity
from nirls.server.ide.packing.varying_flow import VaryingFlow, access_named, is_input, partner_accesses
from tests.passes.shader_text import ZERO, load, store
from tests.passes.shader_text import shader as linked_shader


def views(*shaders: Shader) -> list[IoView]:
    return [IoView(one) for one in shaders]


def flow_of(*shaders: Shader) -> VaryingFlow:
    return VaryingFlow(views(*shaders))


def slot_of(dump: Shader, name: str) -> SlotEntity:
    """The slot as somebody pointed at it in the access."""
    impl = dump.entrypoint
    assert impl is not None
    instr = next(one for one in impl.instrs() if getattr(one, "io_semantics", None) is not None)
    assert isinstance(instr, IntrinsicInstr)
    return SlotEntity(name, instr)


def test_reads_of_an_output_and_writes_of_an_input() -> None:
    vs = linked_shader("VERTEX", ZERO, store("VAR0", "%0"))
    tcs = linked_shader("TESS_CTRL", ZERO, load(2, "VAR0", name="load_per_vertex_input"))
    (read,) = partner_accesses(views(vs, tcs), 0, slot_of(vs, "VARYING_SLOT_VAR0"))
    assert (read.position, read.is_store) == (1, False)
    (written,) = partner_accesses(views(vs, tcs), 1, slot_of(tcs, "VARYING_SLOT_VAR0"))
    assert (written.position, written.is_store) == (0, True)


def test_attributes_in_a_control_shader_read_no_output() -> None:
    vs = linked_shader("VERTEX", ZERO, store("CLIP_VERTEX", "%0"))
    attribute = load(2, "VAR0").replace("VARYING_SLOT_VAR0", "VERT_ATTRIB_GENERIC1")
    tcs = linked_shader("TESS_CTRL", ZERO, attribute)
    assert partner_accesses(views(vs, tcs), 0, slot_of(vs, "VARYING_SLOT_CLIP_VERTEX")) == []


def test_sides() -> None:
    assert (
        is_input(slot_of(linked_shader("VERTEX", ZERO, store("VAR0", "%0")), "VARYING_SLOT_VAR0").node)
        is False
    )
    assert is_input(None) is None


LINE = {
    "store": "@store_output (%9, %0) (base=0, wrmask={mask}, component={component}, "
    "src_type=float{bits}, io location=VARYING_SLOT_{slot} slots={slots}{flags}, xfb(), xfb2())",
    "load": "{bits}  %1 = @load_input (%0) (base=0, component={component}, dest_type=float{bits}, "
    "io location=VARYING_SLOT_{slot} slots={slots}{flags})",
}


def shader(stage: str, *lines: str, bits: int = 32) -> Shader:
    body = "\n".join(f"    {line}" for line in lines)
    values = f"    {bits}  %0 = undefined\n    {bits}x4  %9 = undefined\n"
    head = f"shader: MESA_SHADER_{stage}\nimpl main {{\n    block b0:\n{values}"
    return parse_dump(f"{head}{body}\n}}\n".encode())


def line(kind: str, slot: str = "VAR0", **facts: object) -> str:
    given = {"mask": "x", "component": 0, "bits": 32, "slots": 1, "flags": "", **facts}
    return LINE[kind].format(slot=slot, **given)


def accesses(stage: Shader) -> list[IntrinsicInstr]:
    assert stage.entrypoint is not None
    return [
        instr
        for instr in stage.entrypoint.instrs()
        if isinstance(instr, IntrinsicInstr) and io_access(instr, stage.stage)
    ]


@pytest.mark.parametrize(
    ("store", "load", "meets"),
    [
        (line("store"), line("load"), True),
        (line("store"), line("load", component=1), False),
        (line("store", mask="xy", component=1), line("load", component=2), True),
        (line("store", mask="xy", component=1), line("load", component=3), False),
        (line("store"), line("load", "VAR1"), False),
        (line("store", slots=2), line("load", "VAR1"), True),
        (line("store", "VAR1"), line("load", slots=2), True),
    ],
)
def test_components_and_slots(store: str, load: str, meets: bool) -> None:
    flow = flow_of(shader("VERTEX", store), shader("FRAGMENT", load))
    (stored,), (loaded,) = accesses(flow.stages[0].shader), accesses(flow.stages[1].shader)
    assert [end.instr for end in flow.other_ends(1, loaded)] == ([stored] if meets else [])
    assert [end.instr for end in flow.other_ends(0, stored)] == ([loaded] if meets else [])


@pytest.mark.parametrize(("flags", "meets"), [("", False), (" high_16bits", True)])
def test_halves_of_a_component(flags: str, meets: bool) -> None:
    store = line("store", bits=16, flags=" high_16bits")
    load = line("load", bits=16, flags=flags)
    flow = flow_of(shader("VERTEX", store, bits=16), shader("FRAGMENT", load))
    (loaded,) = accesses(flow.stages[1].shader)
    assert bool(flow.other_ends(1, loaded)) is meets


def test_a_control_shader_reads_its_own_outputs() -> None:
    slot = "component=0, io location=VARYING_SLOT_VAR0 slots=1)"
    load = f"32  %2 = @load_per_vertex_output (%0, %0) (base=0, {slot}"
    store = f"@store_per_vertex_output (%0, %0, %0) (base=0, wrmask=x, {slot}"
    evaluation = shader(
        "TESS_EVAL", line("load").replace("load_input (%0)", "load_per_vertex_input (%0, %0)")
    )
    flow = flow_of(shader("TESS_CTRL", store, load), evaluation)
    stored, loaded = accesses(flow.stages[0].shader)
    assert [(end.position, end.is_store) for end in flow.other_ends(0, stored)] == [(0, False), (1, False)]
    assert [(end.position, end.is_store) for end in flow.other_ends(0, loaded)] == [(0, True)]


def test_through_variables() -> None:
    vertex = parse_dump(b"""\
shader: MESA_SHADER_VERTEX
decl_var shader_out INTERP_MODE_NONE none vec4[2] c (VARYING_SLOT_VAR3.xyzw, 0, 0)
impl main {
    block b0:
    32  %0 = undefined
    32  %1 = deref_var &c (shader_out vec4[2])
    32  %2 = deref_array &(*%1)[%0] (shader_out vec4)
    @store_deref (%2, %0) (wrmask=x, access=none)
}
""")
    flow = flow_of(vertex, shader("FRAGMENT", line("load", "VAR3")))
    (loaded,) = accesses(flow.stages[1].shader)
    (end,) = flow.other_ends(1, loaded)
    assert vertex.source[slice(*end.span[:2])].startswith(b"@store_deref")


def test_alone_there_is_nobody() -> None:
    flow = flow_of(shader("FRAGMENT", line("load")))
    assert flow.other_ends(0, accesses(flow.stages[0].shader)[0]) == []


def test_what_the_cursor_means() -> None:
    fragment = shader("FRAGMENT", line("load"))
    (load,), view = accesses(fragment), IoView(fragment)
    for entity in (
        IntrinsicEntity("load_input", load),
        SlotEntity("VARYING_SLOT_VAR0", load),
        IndexEntity("location", load),
    ):
        assert access_named(entity, view) is load
    assert access_named(IndexEntity("32", load), view) is load
    assert access_named(IndexEntity("component", load), view) is None
    assert access_named(OpcodeEntity("fadd", load), view) is None


def test_attributes_in_a_control_shader_meet_no_output() -> None:
    vertex = shader("VERTEX", line("store", "CLIP_VERTEX"))
    control = shader("TESS_CTRL", line("load").replace("VARYING_SLOT_VAR0", "VERT_ATTRIB_GENERIC1"))
    flow = flow_of(vertex, control)
    assert flow.other_ends(0, accesses(vertex)[0]) == []
    assert flow.other_ends(1, accesses(control)[0]) == []


def test_back_colors_are_read_as_front_colors() -> None:
    vertex = shader("VERTEX", line("store", "BFC0"))
    flow = flow_of(vertex, shader("FRAGMENT", line("load", "COL0")))
    assert len(flow.other_ends(1, accesses(flow.stages[1].shader)[0])) == 1
    assert len(flow.other_ends(0, accesses(vertex)[0])) == 1


def test_attribute_memory_of_nvidia_goes_by_address() -> None:
    vertex = parse_dump(b"""\
shader: MESA_SHADER_VERTEX
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    @ast_nv (%0, %0, %0) (base=148, range_base=148, range=4, flags=1)
}
""")
    fragment = parse_dump(b"""\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = @ipa_nv (%0, %0) (base=148, flags=0)
    32    %2 = @ipa_nv (%0, %0) (base=152, flags=0)
}
""")
    flow = flow_of(vertex, fragment)
    met, other = accesses(fragment)
    assert len(flow.other_ends(1, met)) == 1
    assert flow.other_ends(1, other) == []


def indirect(slot: str, slots: int) -> str:
    """A load of an indexed range."""
    return line("load", slot, slots=slots)


@pytest.mark.parametrize(
    ("stored", "loaded"),
    [
        ([line("store", "VAR1")], [indirect("VAR0", 4)]),
        ([line("store", "VAR1"), line("store", "VAR4")], [indirect("VAR0", 4)]),
        ([line("store", "VAR1", slots=2), line("store", "VAR0")], [line("load", "VAR2")]),
        ([line("store", "COL0"), line("store", "BFC0")], [line("load", "COL0")]),
        ([line("store", "BFC1")], [line("load", "COL1"), line("load", "COL0")]),
        ([line("store", mask="xy", component=1)], [line("load", component=2), line("load")]),
    ],
)
def test_opt_varyings_finds_the_same_partners(stored: list[str], loaded: list[str]) -> None:
    loads = (line.replace("%1 =", f"%{number} =") for number, line in enumerate(loaded, 1))
    producer, consumer = shader("VERTEX", *stored), shader("FRAGMENT", *loads)
    linkage = link(producer, consumer)
    assert isinstance(linkage, Linkage)
    flow = flow_of(producer, consumer)
    partners = {
        (store.instr, load.instr)
        for store in linkage.stores
        for load in linkage.input_loads
        if not linkage.halves(store).isdisjoint(linkage.halves(load))
    }
    assert partners
    assert partners == {(end.instr, load) for load in accesses(consumer) for end in flow.other_ends(1, load)}
    assert partners == {
        (store, end.instr) for store in accesses(producer) for end in flow.other_ends(0, store)
    }
    kept = {store for store, _ in partners}
    dead = [action.access.instr for action in plan(linkage) if isinstance(action, RemoveStore)]
    assert kept.isdisjoint(dead)


def test_accesses_of_the_same_storage_share_their_ends() -> None:
    vertex = shader("VERTEX", line("store"), line("store", "VAR1"), line("store"))
    fragment = shader("FRAGMENT", line("load"), line("load", "VAR1"), line("load"))
    flow = flow_of(vertex, fragment)
    first, other, last = (flow.ends_by_stage(1, load) for load in accesses(fragment))
    assert [len(ends) for ends in (*first, *other)] == [2, 1]
    assert first[0] is last[0]


URB_MAPS = urb_maps(b"""
TCS Output PUE map (5 slots, 2/patch, 3/vertex, fixed)
  [00] VARYING_SLOT_TESS_LEVEL_OUTER
  [01] VARYING_SLOT_TESS_LEVEL_INNER
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0
  [04] VARYING_SLOT_VAR1
TES Input PUE map (5 slots, 2/patch, 3/vertex, fixed)
  [00] VARYING_SLOT_TESS_LEVEL_OUTER
  [01] VARYING_SLOT_TESS_LEVEL_INNER
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0
  [04] VARYING_SLOT_VAR1
""")
CONTROL = b"""\
shader: MESA_SHADER_TESS_CTRL
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x000000ff)
    32    %2 = @load_urb_output_handle_intel
    32x8  %3 = undefined
    @store_urb_vec4_intel (%3, %2, %0, %1) (base=2)
    32x4  %4 = @load_urb_vec4_intel (%2, %0) (base=3, access=none, mem_modes=shader_out)
}
"""
EVALUATION = b"""\
shader: MESA_SHADER_TESS_EVAL
impl main {
    block b0:
    32    %0 = load_const (0x00000050)
    32    %1 = load_const (0x00000040)
    32x4  %2 = @load_attribute_payload_intel (%0)
    32x4  %3 = @load_attribute_payload_intel (%1)
}
"""


def test_urb_entries_go_by_the_maps_below_the_dumps() -> None:
    stages = [IoView(parse_dump(CONTROL), URB_MAPS), IoView(parse_dump(EVALUATION), URB_MAPS)]
    stored, own = (one for one in stages[0].shader.entrypoint.instrs() if "vec4" in getattr(one, "name", ""))  # type: ignore[union-attr]
    met, other = (
        one for one in stages[1].shader.entrypoint.instrs() if "payload" in getattr(one, "name", "")
    )  # type: ignore[union-attr]
    assert all(isinstance(one, IntrinsicInstr) for one in (stored, own, met, other))
    flow = VaryingFlow(stages)
    # The store writes POS and VAR0 of vertex 0; the TES reads POS of vertex 1, and VAR1.
    assert [end.instr for end in flow.other_ends(1, met)] == [stored]
    assert flow.other_ends(1, other) == []
    assert [end.instr for end in flow.other_ends(0, stored)] == [own, met]
    assert [end.instr for end in flow.other_ends(0, own)] == [stored]
    assert access_named(IntrinsicEntity("load_attribute_payload_intel", met), stages[1]) is met
    without_maps = flow_of(*(one.shader for one in stages))
    assert without_maps.other_ends(0, stored) == []
    assert access_named(IntrinsicEntity("load_attribute_payload_intel", met), without_maps.stages[1]) is None
