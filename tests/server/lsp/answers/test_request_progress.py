"""`$/progress` of one request, on the `workDoneToken` of its parameters."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.lsp.answers.request_progress import request_progress

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def sent(session: Session) -> list[dict[str, Any]]:
    return [one["params"]["value"] for one in session.told if one["method"] == "$/progress"]


async def test_it_begins_with_the_first_report_and_ends_with_the_context(session: Session) -> None:
    # 0 is a valid token.
    with request_progress(session.server, 0, "Matching", "passes") as report:
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
    ("token", "total"),
    [
        (None, 9),
        ("t", 4),
        ("t", 0),
    ],
)
async def test_nothing_is_sent_without_a_token_or_for_few_things(
    session: Session, token: str | None, total: int
) -> None:
    with request_progress(session.server, token, "Matching", "passes", few=4) as report:
        report(total, total)
    assert session.told == []


async def test_it_ends_if_the_work_fails(session: Session) -> None:
    with suppress(ValueError), request_progress(session.server, "t", "Matching", "passes") as report:
        report(1, 2)
        raise ValueError
    assert sent(session)[-1] == {"kind": "end"}
