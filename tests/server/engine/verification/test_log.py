"""Logs prepared for verification: their dumps, and the unit of each transition."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.ir.finding import Finding, Place
from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.verification.log import ReadLog, finding_of, log_of, read_log
from nirls.server.engine.verification.unit import (
    PipelineTexts,
    TransitionUnit,
    TransitionVerdict,
    verify_unit,
)
from nirls.verification.snapshots import Losses
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import (
    CONSUMER,
    NEW_CONSUMER,
    NEW_PRODUCER,
    PRODUCER,
    vertex,
)

HEADING = "NIR (SSA form) for vertex shader:\n"
LAST = "NIR (final form) for vertex shader:\n"


def test_text_and_line_of_each_dump() -> None:
    log = read_log(f"nir_a\n{PRODUCER}text\n\n{NEW_PRODUCER}".encode())
    assert [log.text(number).decode() for number in (0, 1)] == [PRODUCER, NEW_PRODUCER]
    assert [log.line(number) for number in (0, 1)] == [1, 1 + PRODUCER.count("\n") + 2]


def test_log_without_dumps_has_no_transitions() -> None:
    log = read_log(b"nir_a\nnir_b\n")
    assert (log.shaders, log.transitions) == ((), ())


def test_unit_has_the_texts_of_its_snapshots_and_of_linked_ones() -> None:
    log = read_log(
        f"nir_lower_io\n{PRODUCER}nir_lower_io\n{CONSUMER}"
        f"nir_opt_cse\n{NEW_CONSUMER}nir_opt_dce\n{NEW_PRODUCER}".encode()
    )
    old, new = (PRODUCER.encode(), CONSUMER.encode()), (NEW_PRODUCER.encode(), NEW_CONSUMER.encode())
    consumer, producer = map(log.unit, log.transitions)
    assert (consumer.before, consumer.after, consumer.pass_name) == (old[1], new[1], "nir_opt_cse")
    assert (producer.before, producer.after, producer.pass_name) == (old[0], new[0], "nir_opt_dce")
    assert consumer.linked[0] == producer.linked[0] == PipelineTexts(old, new)


@pytest.mark.parametrize(
    ("between", "losses"), [("nir_opt_dce\n", Losses.WRONG), ("some text\n", Losses.UNCLEAR)]
)
def test_loss_of_outputs_is_wrong_only_for_a_named_pass(between: str, losses: Losses) -> None:
    log = read_log(f"nir_a\n{PRODUCER}{between}{NEW_PRODUCER}".encode())
    assert [log.unit(one).losses for one in log.transitions] == [losses]


def test_loss_of_outputs_is_right_for_a_variant() -> None:
    first, base, one = (PRODUCER.replace("impl main {", f"impl main {{  // {n}") for n in range(3))
    log = read_log("--\n".join((first, base, one, base, NEW_PRODUCER)).encode())
    assert [log.unit(one).losses for one in log.transitions][-1] is Losses.RIGHT


def test_the_first_heading_again_is_another_compilation() -> None:
    log = read_log(f"{HEADING}{PRODUCER}{LAST}{PRODUCER}{HEADING}{NEW_PRODUCER}".encode())
    assert [one.compile_number for one in log.shaders] == [1, 2]
    assert [one.is_changed for one in log.transitions] == [False]


def test_log_of_a_document_is_that_of_its_bytes() -> None:
    data = f"nir_a\n{PRODUCER}nir_opt_dce\n{NEW_PRODUCER}".encode()
    snapshot = Snapshot.of(data)
    log, other = log_of(snapshot, lambda piece: DumpDigest(piece.text)), read_log(data)
    assert log.snapshot is snapshot
    assert log.transitions == other.transitions
    assert log.unit(log.transitions[0]) == TransitionUnit(
        PRODUCER.encode(), NEW_PRODUCER.encode(), "nir_opt_dce", other.unit(other.transitions[0]).linked
    )


FIRST = vertex("32 %3 = fadd %2, %1", store("POS", "%3"))
WRONG = vertex("32 %4 = mov %0", "32 %3 = fadd %2, %2", store("POS", "%3"))
LOG = read_log(f"nir_a\n{FIRST}nir_b\n{WRONG}".encode())


def verdict_on(log: ReadLog) -> TransitionVerdict:
    found = verify_unit(log.unit(log.transitions[0]))
    assert found.verdict == "different"
    return found


def text_at(log: ReadLog, place: Place, dumps: tuple[int, int]) -> str:
    """The text of a place whose dump is one of the two given numbers."""
    return log.text(dumps.index(place.dump))[place.start : place.end].decode().strip()


def test_difference_is_at_the_later_snapshot() -> None:
    found = finding_of(LOG, LOG.transitions[0], verdict_on(LOG), (7, 9))
    assert found.code == "different-snapshot"
    assert found.place == Place(9, 0, len("shader:"))
    assert found.message.startswith("nir_b changed what the shader computes: VARYING_SLOT_POS.x: ")
    assert found.data == {"dump": 1}


def test_first_instruction_that_differs_is_related_in_both_snapshots() -> None:
    found = finding_of(LOG, LOG.transitions[0], verdict_on(LOG), (7, 9))
    assert [(one.place.dump, text_at(LOG, one.place, (7, 9)), one.message) for one in found.related] == [
        (7, "32 %3 = fadd %2, %1", "the first instruction that differs, before"),
        (9, "32 %3 = fadd %2, %2", "the same instruction after the pass"),
    ]


def related(verdict: TransitionVerdict) -> list[int]:
    found: Finding = finding_of(LOG, LOG.transitions[0], verdict, (0, 1))
    return [one.place.dump for one in found.related]


def test_unknown_instructions_are_not_related() -> None:
    verdict = verdict_on(LOG)
    assert verdict.instruction is not None
    gone = replace(verdict.instruction, after_line=None)
    assert related(replace(verdict, instruction=gone)) == [0]
    assert related(replace(verdict, instruction=None)) == []


def test_finding_is_on_the_line_of_the_shader_below_directives() -> None:
    log = read_log(f"nir_a\n{FIRST}nir_b\n// nirls: allow(dead-code)\n{WRONG}".encode())
    found = finding_of(log, log.transitions[0], verdict_on(log), (0, 1))
    assert text_at(log, found.place, (0, 1)) == "shader:"
