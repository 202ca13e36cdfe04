"""`nirls/packing` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI
from tools.corpus.drivers import read_logs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.lsp.features.session import Session


async def pipelines(session: Session, uri: str = URI, **more: object) -> list[dict[str, Any]]:
    answer = await session.ask_about("nirls/packing", uri, **more)
    found: list[dict[str, Any]] = answer["pipelines"]
    return found


@pytest.mark.parametrize("around", [one for one in SURROUNDINGS if "copies" not in one])
async def test_a_pair(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](STORING) + "\n" + SURROUNDINGS[around](LOADING))
    (found,) = await pipelines(session)
    assert [stage["stage"] for stage in found["stages"]] == ["VS", "FS"]
    lines = session.texts[URI].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert all(lines[stage["line"]].startswith("shader:") for stage in found["stages"])
    (pair,) = found["pairs"]
    assert (pair["producer"], pair["consumer"]) == ("VS", "FS")
    assert any(cell["slot"].startswith("VAR0") for cell in pair["before"]["cells"])


async def test_the_dump_at_a_place(session: Session) -> None:
    session.place(
        STORING
        + LOADING
        + "x\n"
        + STORING.replace("name: x", "name: y")
        + LOADING.replace("name: x", "name: y")
    )
    assert len(await pipelines(session)) == 2
    assert len(await pipelines(session, position=session.at("name: y"))) == 1
    assert await pipelines(session, position={"line": 10**6, "character": 0}) == []


@pytest.mark.parametrize("text", ["", "log\n", FRAGMENT])
async def test_nothing_is_linked(session: Session, text: str) -> None:
    session.place(text)
    assert await pipelines(session) == []
    assert await pipelines(session, "file:///nobody/opened.nir") == []


async def test_unsaved_text_counts(session: Session) -> None:
    session.place(STORING + LOADING)
    before = await pipelines(session)
    session.change("VARYING_SLOT_VAR0", "VARYING_SLOT_VAR7")
    assert await pipelines(session) != before


async def test_equal_pairs(session: Session) -> None:
    session.place((STORING + LOADING) * 20)
    found = await pipelines(session)
    assert [stage["number"] for one in found for stage in one["stages"]] == list(range(40))


async def test_urb_by_the_maps_of_the_log(session: Session, corpus: Path) -> None:
    log = next(data for name, data in read_logs(corpus / "drivers") if name == "iris_tgl.tess.log").decode()
    session.place(log)
    (found,) = await pipelines(session)
    (pair,) = found["pairs"]
    groups = {cell["name"]: cell["group"] for cell in pair["before"]["cells"]}
    assert groups["PATCH0.w"] == "patch"
    assert groups["VAR1.z"] == groups["POS.x"] == "per vertex"
    assert "VAR1.w" not in groups
    assert "TESS_LEVEL_OUTER.w" not in groups, "triangles have three"
    session.place(log.replace("TES Input PUE map", "TES Input map"))
    (found,) = await pipelines(session)
    assert found["pairs"][0]["before"] != pair["before"]
