"""`$/progress` of one request, on the `workDoneToken` of its parameters."""

from __future__ import annotations

from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.lsp.answers.request_progress import request_progress

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def sent(session: Session) -> list[dict[str, Any]]:
    return [one["params"]["value"] for one in session.told if one["method"] == "$/progress"]


async def test_it_begins_with_the_first_report_and_ends_with_the_context(session: Session) -> None:
    # 0 is a valid token.
    params = SimpleNamespace(workDoneToken=0)
    with request_progress(session.server, params, "Matching", "passes") as report:
        assert sent(session) == []
        report(1, 3)
        report(3, 3)
    assert sent(session) == [
        {"kind": "begin", "title": "Matching", "percentage": 0},
        {"kind": "report", "percentage": 33, "message": "1 of 3 passes"},
        {"kind": "report", "percentage": 100, "message": "3 of 3 passes"},
        {"kind": "end"},
    ]
    assert {one["params"]["token"] for one in session.told} == {0}


@pytest.mark.parametrize(
    ("params", "total"),
    [
        (SimpleNamespace(), 9),
        (SimpleNamespace(workDoneToken=None), 9),
        (SimpleNamespace(workDoneToken="t"), 4),
        (SimpleNamespace(workDoneToken="t"), 0),
    ],
)
async def test_nothing_is_sent_without_a_token_or_for_few_things(
    session: Session, params: SimpleNamespace, total: int
) -> None:
    with request_progress(session.server, params, "Matching", "passes", few=4) as report:
        report(total, total)
    assert session.told == []


async def test_it_ends_if_the_work_fails(session: Session) -> None:
    params = SimpleNamespace(workDoneToken="t")
    with suppress(ValueError), request_progress(session.server, params, "Matching", "passes") as report:
        report(1, 2)
        raise ValueError
    assert sent(session)[-1] == {"kind": "end"}
