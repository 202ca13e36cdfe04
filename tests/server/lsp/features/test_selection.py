"""Selection ranges over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session


async def selected(session: Session, *places: Json) -> list[list[str]]:
    """What is selected around each place, innermost first."""
    answer = await session.ask_about("selectionRange", positions=list(places))
    return [texts(session, one) for one in answer]


def texts(session: Session, one: dict[str, Any] | None) -> list[str]:
    found = []
    last = (0, 0)
    while one is not None:
        here = session.offsets(one["range"])
        if found:
            assert here[0] <= last[0] <= last[1] <= here[1]
            assert here != last
        last = here
        found.append(session.text_of(one["range"]))
        one = one.get("parent")
    return found


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_word_line_block_body_dump(session: Session, around: str) -> None:
    place = session.place(SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", 1)))
    (found,) = await selected(session, place)
    assert found[0] == "%1"
    assert found[1] == "/* 😀 */ 32     %2 = fmul %1, %0 (1.000000)"
    assert found[2].lstrip().startswith("block b0")
    assert found[-1].startswith("shader: MESA_SHADER_FRAGMENT")
    assert found[-1].endswith("}")


async def test_several_cursors_are_answered_in_order(session: Session) -> None:
    session.place(f"log\n{FRAGMENT}")
    places = [session.at("fmul"), session.at("log", 1), session.at("fadd"), {"line": 10**6, "character": 3}]
    found = await selected(session, *places[:3])
    assert [one[0] for one in found] == ["fmul", "", "fadd"]
    # Each answer has to hold its position.
    (last,) = await session.ask_about("selectionRange", positions=places[3:])
    assert last["range"]["start"] == last["range"]["end"]


@pytest.mark.parametrize("text", ["$0", "a log$0\n", "shader: MESA_SHADER_FRAGMENT$0", f"{FRAGMENT}$0"])
async def test_ends(session: Session, text: str) -> None:
    place = session.place(text)
    (found,) = await session.ask_about("selectionRange", positions=[place])
    start, end = session.offsets(found["range"])
    at, _ = session.offsets({"start": place, "end": place})
    assert start <= at <= end


async def test_a_document_that_nobody_opened(session: Session) -> None:
    place = {"line": 3, "character": 4}
    (found,) = await session.ask_about("selectionRange", URI, positions=[place])
    assert found == {"range": {"start": place, "end": place}}
