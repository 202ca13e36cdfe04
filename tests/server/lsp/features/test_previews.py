"""`nirls/preview` and `nirls/passes` over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from nirls.server.engine.checks.fix_verdicts import FixVerdict, PassRuns
from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def preview(session: Session, **more: object) -> Any:
    return await session.ask_about("nirls/preview", **more)


@pytest.mark.parametrize("around", [one for one in SURROUNDINGS if "copies" not in one])
async def test_a_pass_on_one_dump(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](FRAGMENT))
    found = await preview(session, number=0, passes=["opt_dce"])
    (dump,) = found["dumps"]
    assert dump["before"] in session.texts[URI]
    assert dump["after"] != dump["before"]
    assert "😀 */ 32     %2 = fmul" not in dump["after"]


async def test_a_result_that_could_not_be_checked_is_shown(session: Session) -> None:
    session.place(FRAGMENT)
    found = await preview(session, number=0, passes=["opt_dce"])
    assert found["verdict"] == "checked"
    (document,) = session.server.documents
    texts = (document.snapshot.dump(0).piece.text,)
    unchecked = FixVerdict("unchecked", "too slow")
    session.server.analyzer.fix_verdicts._known.put((texts, PassRuns(("opt_dce",))), unchecked, 1)
    again = await preview(session, number=0, passes=["opt_dce"])
    assert again == {**found, "verdict": "unchecked"}


async def test_the_passes_of_a_pipeline_show_all_stages(session: Session) -> None:
    session.place(STORING + "😀\n" + LOADING)
    place = session.at("shader: MESA_SHADER_FRAGMENT")
    found = await preview(session, position=place)
    assert [dump["stage"] for dump in found["dumps"]] == ["VS", "FS"]
    assert [dump["line"] for dump in found["dumps"]] == [0, place["line"]]


@pytest.mark.parametrize(
    "more",
    [
        {"number": 7},
        {"number": -1},
        {"position": {"line": 10**6, "character": 0}},
        {"number": 0, "passes": ["no_such_pass"]},
    ],
)
async def test_nothing_to_preview(
    session: Session, more: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    session.place(FRAGMENT)
    assert await preview(session, **more) is None
    caplog.clear()


@pytest.mark.parametrize("more", [{"number": "x"}, {"number": 0, "passes": [3]}])
async def test_parameters_of_another_type(session: Session, more: dict[str, object]) -> None:
    session.place(FRAGMENT)
    with pytest.raises(FailedRequestError, match="PreviewRequest: invalid value"):
        await preview(session, **more)


async def test_a_pass_on_pipelines_without_one(session: Session) -> None:
    session.place(FRAGMENT)
    found = await preview(session, number=0, passes=["opt_varyings"])
    assert [dump["changed"] for dump in found["dumps"]] == [False]


async def test_passes(session: Session) -> None:
    answer = await session.ask("nirls/passes", {})
    scopes = {one["name"]: one["scope"] for one in answer["passes"]}
    assert scopes["opt_dce"] == "shader"
    assert scopes["opt_varyings"] == "pipeline"
    assert all(one["summary"] for one in answer["passes"])


async def test_linking_of_a_dump_that_is_linked_with_nothing_is_no_preview(session: Session) -> None:
    session.place(FRAGMENT)
    found = await preview(session, number=0)
    assert (found["verdict"], found["dumps"]) == ("unlinked", [])
    assert found["whyNot"] == "there is no other dump beside it"


async def test_passes_that_only_analyse_are_told_apart(session: Session) -> None:
    passes = (await session.ask("nirls/passes", {}))["passes"]
    assert {one["name"] for one in passes if not one["changes"]} == {"link_potential"}
