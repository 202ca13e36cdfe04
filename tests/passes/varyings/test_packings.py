"""The packing of pipelines, and the ledger of a payload."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.io.urb_maps import urb_maps
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.decisions import Fate, Journal
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, link_payload
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.ledger import Ledger
from nirls.passes.varyings.packing.table import CellGroup, PackingTable, PairPacking
from nirls.passes.varyings.packings import PayloadBefore, packing_table, packings, payload_before
from nirls.passes.varyings.payload.link import optimize_payload
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, vertex
from tests.passes.varyings.payload_pairs import BOTH, GUARD, READ, get, put, under
from tests.passes.varyings.payload_pairs import pair as payload_pair
from tests.passes.varyings.payload_pairs import use as payload_use


def only_pair(producer: Shader, consumer: Shader) -> PairPacking:
    (pair,) = packings([producer, consumer], OptVaryings())
    return pair


def test_after_says_what_came_from_where() -> None:
    producer = vertex(store("VAR3", "%10"), store("VAR5", "%11"), store("VAR7", "%12"))
    consumer = fragment(
        load(4, "VAR3"),
        load(5, "VAR5"),
        "32    %7 = @load_frag_coord_z",
        "32    %6 = fmax %4, %7",
        "32    %8 = fmax %5, %7",
        use("%6"),
        use("%8"),
    )
    pair = only_pair(producer, consumer)
    assert [(cell.name, cell.came_from, cell.label) for cell in pair.after.cells] == [
        ("VAR0.x", "VAR3.x", "%10"),
        ("VAR0.y", "VAR5.x", "%11"),
    ]
    assert pair.moved == 0
    assert pair.summary == "VS to FS: 3 scalars in 3 vec4 slots, 2 in 1 after opt_varyings"
    assert [cell.name for cell in pair.before.cells] == ["VAR3.x", "VAR5.x", "VAR7.x"]


def test_moved_expression_says_so() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"), "32    %6 = fmax %4, %5", use("%6"))
    pair = only_pair(producer, consumer)
    (cell,) = pair.after.cells
    assert "moved here" in cell.label
    assert (pair.moved, pair.saved_scalars, pair.saved_slots) == (1, 1, 1)
    assert pair.summary.endswith("1 in 1 after opt_varyings, which moves 1 instruction")


def test_vectors_are_followed_too() -> None:
    vector = (
        "           @store_output (%20, %0 (0x0)) (base=0, range=0, wrmask=xy, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR4 slots=1, xfb(), xfb2())"
    )
    producer = vertex("32x2  %20 = vec2 %10, %11", vector)
    consumer = fragment(interpolated(4, "VAR4"), "32    %5 = fsin %4", use("%5"))
    (cell,) = only_pair(producer, consumer).after.cells
    assert (cell.name, cell.came_from) == ("VAR0.x", "VAR4.x")


def test_shaders_stay_as_they_are() -> None:
    producer, consumer = vertex(store("VAR3", "%10")), fragment(load(4, "VAR3"), use("%4"))
    packings([producer, consumer], OptVaryings())
    table = packing_table(producer, consumer, OptVaryings())
    assert isinstance(table, PackingTable)
    assert [(cell.name, cell.group) for cell in table.cells] == [("VAR3.x", CellGroup.FLAT)]


def test_what_cannot_be_shown_says_why() -> None:
    variables = shader(
        "VERTEX",
        "32    %0 = deref_var &o (shader_out float)",
        header=("decl_var shader_out INTERP_MODE_NONE none float o (VARYING_SLOT_VAR0.x, 0, 0)",),
    )
    pair = only_pair(variables, fragment(load(4, "VAR0")))
    assert "variables" in pair.obstacle
    assert pair.obstacle in pair.summary
    assert isinstance(packing_table(variables, fragment(), OptVaryings()), Unlinkable)


@pytest.mark.sweep
def test_every_scalar_of_the_corpus_has_its_cell(corpus: Path) -> None:
    for name in ("hand_tess_pn_triangles", "hand_geom_billboard", "hand_interp_quals"):
        folder = corpus / "pipelines" / name / "modern"
        files = [folder / f"{stage}.io.nir" for stage in ("vert", "tesc", "tese", "geom", "frag")]
        shaders = [parse_dump(path.read_bytes()) for path in files if path.exists()]
        found = packings(shaders, OptVaryings())
        assert len(found) == len(shaders) - 1
        for pair in found:
            assert pair.before.scalars >= pair.after.scalars > 0
            assert not {CellGroup.DEAD, CellGroup.OTHER} & set(pair.after.groups())


@pytest.mark.parametrize("stages", [("VERTEX", "COMPUTE"), ("FRAGMENT", "VERTEX")])
def test_stages_without_varyings(stages: tuple[str, str]) -> None:
    (pair,) = packings([shader(stages[0], ZERO), shader(stages[1], ZERO)], OptVaryings())
    assert pair.obstacle


def test_payload_of_a_task_shader_has_no_slots() -> None:
    mesh = shader("MESH", ZERO)
    payload, varyings = packings([shader("TASK", ZERO), mesh, fragment(load(4, "VAR0"))], OptVaryings())
    assert payload.summary == "TS to MS: 0 payload bytes, 0 after opt_varyings"
    assert payload.before.cells == payload.after.cells == ()
    assert varyings.obstacle == ""
    assert [cell.group for cell in varyings.before.cells] == [CellGroup.UNDEFINED]


def backend(stage: str, header: str, *lines: str) -> Shader:
    body = "".join(f"    {line}\n" for line in lines)
    return parse_dump(f"shader: {stage}\n{header}impl main {{\n    block b0:\n{body}}}\n".encode())


ATTRIBUTES = (
    "32    %0 = load_const (0x00000000)",
    "32x4  %1 = @ald_nv (%0, %0) (base=128, range_base=128, range=16, flags=0, access=reorderable)",
    "@ast_nv (%1, %0, %0) (base=112, range_base=112, range=16, flags=1)",
    "@ast_nv (%0, %0, %0) (base=128, range_base=128, range=4, flags=1)",
    "@ast_nv (%0, %0, %0) (base=144, range_base=144, range=4, flags=1)",
    "@ast_nv (%0, %0, %0) (base=160, range_base=160, range=4, flags=1)",
)
NV_FRAGMENT = (
    "32    %0 = load_const (0x00000000)",
    "32    %1 = @ipa_nv (%0, %0) (base=128, flags=0)",
    "32    %2 = @ipa_nv (%0, %0) (base=144, flags=10)",
    "32    %3 = @ipa_nv (%0, %0) (base=1020, flags=10)",
    "@fs_out_nv (%1) (base=0)",
)


@pytest.mark.parametrize(("read", "unread_slot"), [("32-33", CellGroup.DEAD), ("32-34", CellGroup.OTHER)])
def test_slots_of_backend_io(read: str, unread_slot: CellGroup) -> None:
    """A store is dead only if the known loads are all that the header lists."""
    producer = backend("MESA_SHADER_VERTEX", "outputs_written: 0,32-34\n", *ATTRIBUTES)
    header = f"inputs_read: {read}\n"
    pair = only_pair(producer, backend("MESA_SHADER_FRAGMENT", header, *NV_FRAGMENT))
    assert "backend I/O" in pair.obstacle
    assert not pair.after.cells
    assert {cell.name: cell.group for cell in pair.before.cells} == {
        **{f"POS.{letter}": CellGroup.FIXED_HARDWARE for letter in "xyzw"},
        "FACE.x": CellGroup.FIXED_HARDWARE,
        "VAR0.x": CellGroup.INTERPOLATED,
        "VAR1.x": CellGroup.FLAT,
        "VAR2.x": unread_slot,
    }
    scalars = pair.before.scalars
    assert pair.summary.startswith(f"VS to FS: {scalars} scalar")


def test_slots_of_a_separate_shader() -> None:
    producer = vertex(store("VAR0", "%10"), store("VAR1", "%11"))
    separate = parse_dump(producer.source.replace(b"\n", b"\nseparate_shader: true\n", 1))
    pair = only_pair(separate, fragment(load(4, "VAR0"), use("%4")))
    assert "separate shader" in pair.obstacle
    assert {cell.name for cell in pair.before.cells} == {"VAR0.x", "VAR1.x"}
    assert not pair.after.cells


def test_urb_by_the_maps_below_the_dumps() -> None:
    table = b"""PUE map (4 slots, 2/patch, 2/vertex, fixed)
  [00] A
  [01] A
  [02] VARYING_SLOT_POS
  [03] VARYING_SLOT_VAR0
"""
    producer = parse_dump(b"""\
shader: MESA_SHADER_TESS_CTRL
outputs_written: 0,32
impl main {
    block b0:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x0000001f)
    32    %2 = @load_urb_output_handle_intel
    32x8  %3 = undefined
    32x8  %4 = vec8 %0, %0, %0, %0, %2, %0, %0, %0
    @store_urb_vec4_intel (%4, %2, %0, %1) (base=2)
}
""")
    consumer = parse_dump(b"""\
shader: MESA_SHADER_TESS_EVAL
inputs_read: 0
impl main {
    block b0:
    32    %0 = load_const (0x00000028)
    32x2  %1 = @load_attribute_payload_intel (%0)
    32    %2 = fadd %1.x, %1.y
}
""")
    maps = [urb_maps(b"TCS Output " + table), urb_maps(b"TES Input " + table)]
    (pair,) = packings([producer, consumer], OptVaryings(), maps)
    assert [(cell.name, cell.value, cell.group) for cell in pair.before.cells] == [
        ("POS.x", "%4.x", CellGroup.DEAD),
        ("POS.y", "%4.y", CellGroup.DEAD),
        ("POS.z", "%4.z", CellGroup.PER_VERTEX),
        ("POS.w", "%4.w", CellGroup.PER_VERTEX),
        ("VAR0.x", "%4.e", CellGroup.DEAD),
    ]
    (without,) = packings([producer, consumer], OptVaryings())
    assert not without.before.cells


OPTIONS = LinkOptions()


def before_of(task: tuple[str, ...], mesh: tuple[str, ...]) -> PayloadBefore:
    found = payload_before(*payload_pair(task, mesh), OPTIONS)
    assert isinstance(found, PayloadBefore)
    return found


def test_payload_before_has_its_stored_values_by_byte() -> None:
    found = before_of(("32x2 %20 = vec2 %1, %6", put("%20", mask="xy"), put("%2", 12)), (get(20, 16),))
    assert found.size == 12
    assert found.values == {0: "1", 4: "push[0]", 12: "2"}
    assert found.partition == (range(4), range(4, 8), range(12, 16), range(16, 20))


def test_bytes_with_several_values_have_no_name() -> None:
    assert before_of((put("%1"), put("%2"), put("%1", 4), put("%1", 4)), ()).values == {0: "", 4: "1"}


def test_stages_without_a_payload_have_none() -> None:
    assert payload_before(shader("VERTEX", ZERO), shader("FRAGMENT", ZERO), OPTIONS) is None


def test_payload_that_cannot_be_analyzed_has_its_obstacle() -> None:
    task, mesh = payload_pair((put("%1"),), READ)
    broken = parse_dump(task.source.replace(b"%6 = mov %5.x", b"%6 = ?"))
    found = payload_before(broken, mesh, OPTIONS)
    assert isinstance(found, Unlinkable)
    assert found.code == "incomplete"


def test_ledger_has_a_line_for_each_part_and_the_sizes_of_both_states() -> None:
    task, mesh = payload_pair(
        (put("%1"), *under(GUARD, put("%7", 4))), (*BOTH, get(22, 8), payload_use("%22"))
    )
    before = payload_before(task, mesh, OPTIONS)
    linkage = link_payload(task, mesh)
    assert isinstance(before, PayloadBefore)
    assert isinstance(linkage, PayloadLinkage)
    journal = Journal()
    journal.begin(linkage)
    optimize_payload(linkage, OPTIONS, journal)
    sizes, ledger = before.linked(task, mesh, journal)
    assert sizes == (8, 4)
    assert [(line.number, line.fate, line.place) for line in ledger.lines] == [
        (0, Fate.PROPAGATED, ""),
        (4, Fate.KEPT, "payload[4..7]"),
        (8, Fate.UNWRITTEN, ""),
    ]
    assert [line.value for line in ledger.lines] == ["1", before.values[4], ""]


def test_ledger_is_empty_if_the_result_cannot_be_analyzed() -> None:
    task, mesh = payload_pair((put("%1"),), READ)
    before = before_of((put("%1"),), READ)
    broken = parse_dump(task.source.replace(b"%6 = mov %5.x", b"%6 = ?"))
    assert before.linked(broken, mesh, Journal()) == ((4, 4), Ledger())


def test_a_stored_register_has_its_name() -> None:
    producer = parse_dump(
        b"shader: MESA_SHADER_VERTEX\ndecl_function main (0 params)\n\nimpl main {\n"
        b"\tdecl_reg vec2 32 r3\n\tblock block_0:\n\t/* preds: */\n"
        b"\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)\n"
        b"\tr3.x = mov ssa_0\n\tr3.y = mov ssa_0\n"
        b"\tintrinsic store_output (r3, ssa_0) (base=0, wrmask=xy /*3*/, component=0, src_type=float32,"
        b" io location=32 slots=1 /*160*/, xfb() /*0*/, xfb2() /*0*/)\n"
        b"\t/* succs: block_1 */\n\tblock block_1:\n}\n"
    )
    pair = only_pair(producer, fragment(load(4, "VAR0"), use("%4")))
    assert [cell.label for cell in pair.before.cells] == ["r3.x", "r3.y"]
