"""The packing around a slot as Markdown."""

from __future__ import annotations

from nirls.ir.io.view import IoView
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import intrinsics
from nirls.passes.varyings.interface.payload_accesses import LOAD, STORE
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packings import packings
from nirls.server.ide.cursor.entities import SlotEntity
from nirls.server.ide.packing.hover import ledger_around, packing_around
from tests.passes.shader_text import ZERO, load, shader, store, use
from tests.passes.varyings.pairs import fragment, vertex
from tests.passes.varyings.payload_pairs import BOTH, put
from tests.passes.varyings.payload_pairs import pair as payload_pair


def slot_of(parsed: Shader, name: str, number: int = 0) -> SlotEntity:
    """The slot of the access of that name."""
    found = [
        instr
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and instr.name == name and instr.io_semantics
    ]
    return SlotEntity("VARYING_SLOT_VAR4", found[number])


def around(producer: Shader, consumer: Shader, *, at_store: bool = True) -> str:
    pairs = packings([producer, consumer], OptVaryings())
    if at_store:
        return packing_around(pairs, 0, slot_of(producer, "store_output"))
    return packing_around(pairs, 1, slot_of(consumer, "load_input"))


def test_store_and_load_show_the_same_interface() -> None:
    producer = vertex(store("VAR4", "%10"), store("VAR5", "%11"))
    consumer = fragment(load(4, "VAR4"), load(5, "VAR5"), use("%4"), use("%5"))
    text = around(producer, consumer)
    assert text == around(producer, consumer, at_store=False)
    assert "**VS to FS: 2 scalars in 2 vec4 slots, 2 in 1 after opt_varyings**" in text
    assert "| VAR4 | **\u25b6 `%10` flat** |  |  |  |" in text
    assert "| VAR0 | **\u25b6 `%10` flat** | `%11` flat |  |  |" in text


def test_slot_that_is_gone() -> None:
    text = around(vertex(store("VAR4", "%10")), fragment(load(4, "VAR5")))
    assert "**\u25b6 `%10` dead**" in text
    assert "- `opt_varyings would remove VAR4.x: never read by the FS`" in text


def test_names_of_a_dump_cannot_break_the_table() -> None:
    name = "a|b`c\\<script>" + "x" * 100
    producer = shader(
        "VERTEX",
        ZERO,
        "32    %10 = @load_vertex_id",
        store("VAR4", "%10"),
        header=(f"decl_var shader_out INTERP_MODE_NONE none float {name} (VARYING_SLOT_VAR4.x, 0, 0)",),
    )
    text = around(producer, fragment(load(4, "VAR4"), use("%4")))
    row = next(line for line in text.split("\n") if line.startswith("| VAR4"))
    assert row.count("|") - row.count("\\|") == 6
    assert row.count("`") == 2
    assert len(row) < 80


def test_only_the_rows_around_the_slot() -> None:
    stores = [store(f"VAR{number}", "%10") for number in range(20)]
    loads = [load(4 + number, f"VAR{number}") for number in range(20)]
    producer, consumer = vertex(*stores), fragment(*loads)
    text = packing_around(
        packings([producer, consumer], OptVaryings(deduplicate=False)),
        0,
        slot_of(producer, "store_output", 4),
    )
    before = text.split("| after")[0]
    assert sum(line.startswith("| VAR") for line in before.split("\n")) == 6
    assert "| VAR4 | **" in before
    assert "14 more slots." in before


def test_nothing_to_show() -> None:
    producer, consumer = vertex(store("VAR4", "%10")), fragment(load(4, "VAR4"))
    pairs = packings([producer, consumer], OptVaryings())
    of_store = slot_of(producer, "store_output")
    assert packing_around(pairs, 1, of_store) == ""
    assert packing_around([], 0, of_store) == ""
    assert packing_around(pairs, 0, SlotEntity("VERT_ATTRIB_POS", of_store.node)) == ""


def test_slots_of_a_separate_shader_are_shown_as_they_are() -> None:
    producer = vertex(store("VAR4", "%10"))
    consumer = fragment(load(4, "VAR4"), use("%4"))
    separate = parse_dump(producer.source.replace(b"\n", b"\nseparate_shader: true\n", 1))
    text = around(separate, consumer)
    assert "| slots | x |" in text
    assert "**\u25b6 `%10` flat**" in text
    assert "after |" not in text


def test_access_shows_its_lines_of_the_ledger() -> None:
    producer = vertex(store("VAR4", "%10"), store("VAR4", "%11", 1))
    consumer = fragment(load(4, "VAR4"), use("%4"))
    pairs = packings([producer, consumer], OptVaryings())
    (first, second) = (slot_of(producer, "store_output", number).node for number in range(2))
    assert isinstance(first, IntrinsicInstr)
    assert isinstance(second, IntrinsicInstr)
    assert ledger_around(pairs, 0, first, IoView(producer)).startswith(
        "- `opt_varyings would pack VAR4.x to VAR0.x: not moved into the VS: "
    )
    told = ledger_around(pairs, 0, second, IoView(producer))
    assert told == "- `opt_varyings would remove VAR4.y: never read by the FS`"
    read = slot_of(consumer, "load_input").node
    assert isinstance(read, IntrinsicInstr)
    assert ledger_around(pairs, 1, read, IoView(consumer)) == ledger_around(pairs, 0, first, IoView(producer))
    assert ledger_around(pairs, 0, read, IoView(consumer)) == "", "no stage before the first"


def test_access_of_a_payload_shows_its_lines_of_the_ledger() -> None:
    task, mesh = payload_pair((put("%1"), put("%7", 4)), BOTH)
    pairs = packings([task, mesh], OptVaryings())
    for position, made, name in ((0, task, STORE), (1, mesh, LOAD)):
        first, second = (one for one in intrinsics(made) if one.name == name)
        assert ledger_around(pairs, position, first, IoView(made)) == (
            "- `opt_varyings would propagate payload[0..3]: the constant 1 is used in the MS`"
        )
        assert ledger_around(pairs, position, second, IoView(made)).startswith(
            "- `opt_varyings keeps payload[4..7]: not propagated: "
        )


def test_fate_that_a_finding_tells_is_left_out() -> None:
    producer, consumer = vertex(store("VAR4", "%10")), fragment(load(4, "VAR5"))
    pairs = packings([producer, consumer], OptVaryings())
    entity = slot_of(producer, "store_output")
    assert isinstance(entity.node, IntrinsicInstr)
    assert "would remove" in packing_around(pairs, 0, entity, {"VAR4.y"})
    assert "would remove" not in packing_around(pairs, 0, entity, {"VAR4.x"})
    assert ledger_around(pairs, 0, entity.node, IoView(producer), {"VAR4.x"}) == ""


def test_reason_of_a_kept_scalar_stays_beside_a_finding() -> None:
    producer = vertex(store("POS", "%10"))
    pairs = packings([producer, fragment(load(4, "POS"), use("%4"))], OptVaryings())
    entity = slot_of(producer, "store_output")
    assert "opt_varyings keeps POS.x" in packing_around(pairs, 0, entity, {"POS.x"})
