"""What a run has done."""

from __future__ import annotations

from nirls.verification.evaluate.state.run_record import RunRecord
from nirls.verification.evaluate.surroundings.result import OutputKey


def test_only_a_flag_of_all_stores_counts() -> None:
    record, key, other = RunRecord(4), OutputKey(32, 0), OutputKey(33, 0)
    record.note_store(key, frozenset(("no_varying", "invariant")))
    record.note_store(key, frozenset(("no_varying",)))
    record.note_store(other, frozenset(("invariant",)))
    assert record.outputs_with("no_varying") == {key}
    assert record.outputs_with("invariant") == {other}


def test_a_trace_starts_at_zero_and_is_kept() -> None:
    record = RunRecord(4)
    record.trace("order")[2] = 7
    assert record.trace("order").tolist() == [0, 0, 7, 0]
