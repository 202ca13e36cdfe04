"""`nirls/snapshotDiff` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session

CHANGED = FRAGMENT.replace("%2 = fmul %1, %0 (1.000000)", "%2 = fneg %1")
LOG = f"nir_😀\n{FRAGMENT}nir_opt_dce\n{FRAGMENT}nir_opt_algebraic\n{CHANGED}"


async def test_a_difference(session: Session) -> None:
    session.place(LOG)
    found = await session.ask_about("nirls/snapshotDiff", before=1, after=2)
    assert not found["same"]
    before, after = found["before"].splitlines(), found["after"].splitlines()
    assert [line for line in before if line not in after] == [line for line in before if "fmul" in line]
    assert [line for line in after if line not in before] == [line for line in after if "fneg" in line]
    assert (await session.ask_about("nirls/snapshotDiff", before=0, after=1))["same"]


async def test_renumbering_is_no_difference(session: Session) -> None:
    session.place(FRAGMENT + FRAGMENT.replace("%1", "%91"))
    assert (await session.ask_about("nirls/snapshotDiff", before=0, after=1))["same"]


@pytest.mark.parametrize(("before", "after"), [(0, 9), (-1, 0), (9, 9)])
async def test_no_such_dumps(session: Session, before: int, after: int) -> None:
    session.place(LOG)
    assert await session.ask_about("nirls/snapshotDiff", before=before, after=after) is None


async def test_other_stages_differ(session: Session) -> None:
    session.place(FRAGMENT + LOADING)
    assert not (await session.ask_about("nirls/snapshotDiff", before=0, after=1))["same"]


async def test_where_the_code_changes_first(session: Session) -> None:
    session.place(LOG)
    found = await session.ask_about("nirls/snapshotDiff", before=1, after=2)
    before, after = found["before"].split("\n"), found["after"].split("\n")
    assert "fmul" in before[found["first"]["before"]]
    assert "fneg" in after[found["first"]["after"]]
    changed = [hunk for hunk in found["hunks"] if not hunk["equal"]]
    assert [hunk["before"][0] for hunk in changed] == [found["first"]["before"]]
    line = found["afterLines"][found["first"]["after"]]
    assert "fneg" in LOG.split("\n")[line]
    same = await session.ask_about("nirls/snapshotDiff", before=0, after=1)
    assert same["first"] is None


async def test_numbers_of_the_second_dump(session: Session) -> None:
    session.place(FRAGMENT + FRAGMENT.replace("%1", "%91"))
    found = await session.ask_about("nirls/snapshotDiff", before=0, after=1)
    assert found["numbers"] == {"main": {"1": 91}}
