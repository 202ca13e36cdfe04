"""The summary in words and as data."""

from __future__ import annotations

import json

from nirls.passes.tessellation.summary import TcsSummary


def test_everything_was_done() -> None:
    summary = TcsSummary(
        instructions_skipped=7,
        instructions_total=9,
        loads_skipped=1,
        barriers_added=1,
        barriers_removed=2,
        outputs_added=3,
        system_values=("vertex_id",),
    )
    assert summary.lines() == [
        "The vertex shader runs inside the control shader, with 3 outputs more; it still passes vertex_id.",
        "Culled patches skip 7 of 9 instructions, 1 load among them.",
        "Barriers: 1 added, 2 removed.",
    ]
    data = json.loads(json.dumps(summary.as_data()))
    assert (data["inlined"], data["restructured"], data["system_values"]) == (True, True, ["vertex_id"])


def test_nothing_was_done() -> None:
    summary = TcsSummary("it writes memory", "the control shader writes memory")
    assert not summary.is_inlined
    assert summary.lines()[:2] == [
        "The vertex shader stays where it is: it writes memory.",
        "Culled patches skip nothing: the control shader writes memory.",
    ]
