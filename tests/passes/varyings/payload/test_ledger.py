"""Ledger of a payload: its bytes before a run, and what became of each part."""

from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.decisions import Fate, Journal
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import PayloadLinkage, link_payload
from nirls.passes.varyings.packing.ledger import Ledger
from nirls.passes.varyings.payload.ledger import PayloadBefore, payload_before
from nirls.passes.varyings.payload.link import optimize_payload
from tests.passes.shader_text import ZERO, shader
from tests.passes.varyings.payload_pairs import BOTH, GUARD, READ, get, pair, put, under, use

OPTIONS = LinkOptions()


def before_of(task: tuple[str, ...], mesh: tuple[str, ...]) -> PayloadBefore:
    found = payload_before(*pair(task, mesh), OPTIONS)
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
    task, mesh = pair((put("%1"),), READ)
    broken = parse_dump(task.source.replace(b"%6 = mov %5.x", b"%6 = ?"))
    found = payload_before(broken, mesh, OPTIONS)
    assert isinstance(found, Unlinkable)
    assert found.code == "incomplete"


def test_ledger_has_a_line_for_each_part_and_the_sizes_of_both_states() -> None:
    task, mesh = pair((put("%1"), *under(GUARD, put("%7", 4))), (*BOTH, get(22, 8), use("%22")))
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
    task, mesh = pair((put("%1"),), READ)
    before = before_of((put("%1"),), READ)
    broken = parse_dump(task.source.replace(b"%6 = mov %5.x", b"%6 = ?"))
    assert before.linked(broken, mesh, Journal()) == ((4, 4), Ledger())
