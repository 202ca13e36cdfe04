"""Logs prepared for verification: their dumps, and the unit of each transition."""

from __future__ import annotations

import pytest

from nirls.passes.translation_validation.snapshots import Losses
from nirls.server.engine.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.verification.log import log_of, read_log
from nirls.server.engine.verification.unit import LinkedTexts, TransitionUnit
from tests.server.engine.verification.test_transitions import (
    CONSUMER,
    NEW_CONSUMER,
    NEW_PRODUCER,
    PRODUCER,
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
    assert consumer.linked[0] == producer.linked[0] == LinkedTexts(old, new)


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
