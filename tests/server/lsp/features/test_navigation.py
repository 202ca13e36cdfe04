"""Definition, references, implementation and highlights over the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import FRAGMENT, LOADING, STORING, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI
from tools.corpus.drivers import read_logs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.lsp.features.session import Json, Session


async def places(session: Session, method: str, place: Json, uri: str = URI, **more: object) -> list[str]:
    """The lines that are answered, from the place on."""
    found = []
    for one in await session.ask_at(method, place, uri, **more) or []:
        _, end = session.offsets(one["range"], one.get("uri", uri))
        rest = session.texts[one.get("uri", uri)].encode()[end:].decode()
        found.append(f"{session.text_of(one['range'], one.get('uri', uri))}|{rest.splitlines()[0][:7]}")
    return found


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize("inside", [0, 1, 2])
async def test_a_value(session: Session, around: str, inside: int) -> None:
    """Ahead of it, within it, and behind its last character."""
    place = session.place(SURROUNDINGS[around](marked(FRAGMENT, "%1, %0", inside)))
    assert await places(session, "definition", place) == ["%1| = fadd"]
    references = await places(session, "references", place, context={"includeDeclaration": False})
    assert references == ["%1|, %0 (1"]
    assert len(await session.ask_at("documentHighlight", place)) == 2


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_lines_of_an_answer(session: Session, around: str) -> None:
    place = session.place(SURROUNDINGS[around](marked(FRAGMENT, "%1, %0")))
    (found,) = await session.ask_at("definition", place)
    assert found["range"]["start"]["line"] == place["line"] - 1
    assert found["uri"] == URI


@pytest.mark.parametrize(
    "text",
    [
        "$0",
        "$0 \n",
        "a log$0",
        f"{FRAGMENT}behind$0",
        FRAGMENT.replace("impl main", "im$0pl main").replace("{", "", 1),
    ],
)
async def test_nothing_to_find(session: Session, text: str) -> None:
    place = session.place(text)
    for method in ("definition", "implementation", "documentHighlight"):
        assert not await session.ask_at(method, place), method
    assert not await session.ask_at("references", place, context={"includeDeclaration": True})


async def test_positions_beyond_the_text(session: Session) -> None:
    session.place(FRAGMENT)
    for place in ({"line": 6, "character": 10**9}, {"line": 10**9, "character": 0}):
        assert await session.ask_at("definition", place) is None


@pytest.mark.parametrize("between", ["", "😀 garbage\r\n\x1b[0m { }\n"])
async def test_varyings_of_one_document(session: Session, between: str) -> None:
    session.place(STORING + between + LOADING)
    load, store = session.at("%7 = @load_input", 7), session.at("@store_output (%2", 2)
    (stored,) = await session.ask_at("definition", load)
    assert session.text_of(stored["range"]).lstrip().startswith("@store_output (%2")
    (loaded,) = await session.ask_at("implementation", store)
    assert session.text_of(loaded["range"]).lstrip().startswith("32     %7 = @load_input")


async def test_varyings_of_two_documents_after_edits(session: Session) -> None:
    one, other = "file:///p/a.vert.nir", "file:///p/a.frag.nir"
    session.place(STORING, one)
    session.place(LOADING, other)
    session.change("shader: ", "// 😀\n\n\nshader: ", one)
    place = session.at("%7 = @load_input", 7, other)
    (stored,) = await session.ask_at("definition", place, other)
    assert stored["uri"] == one
    assert session.text_of(stored["range"], one).lstrip().startswith("@store_output (%2")
    # Without the other file there is nothing to go to.
    session.notify("textDocument/didClose", {"textDocument": {"uri": one}})
    assert await session.ask_at("definition", place, other) is None


async def test_equal_pairs_stay_apart(session: Session) -> None:
    """Fifty times the same two dumps: each load is fed by the store above it."""
    session.place((STORING + LOADING) * 50)
    lines = session.texts[URI].splitlines()
    loads = [number for number, line in enumerate(lines) if "%7 = @load_input" in line]
    for line in (loads[0], loads[25], loads[-1]):
        (stored,) = await session.ask_at("definition", {"line": line, "character": 20})
        above = next(number for number in range(line, 0, -1) if "@store_output (%2" in lines[number])
        assert stored["range"]["start"]["line"] == above


class DriverLog:
    """The log of a tessellation pipeline, in which the driver printed the maps of the URB below the dumps."""

    def __init__(self, session: Session, corpus: Path, name: str) -> None:
        self.session = session
        self.text = next(data for found, data in read_logs(corpus / "drivers") if found == name).decode()
        self.lines = self.text.split("\n")
        session.place(self.text)

    def place(self, start: str, dump: int = -1) -> Json:
        """The position of the name of an intrinsic, in the last dump with this line or another one."""
        found = [number for number, line in enumerate(self.lines) if line.strip().startswith(start)]
        return {"line": found[dump], "character": self.lines[found[dump]].index("@") + 2}

    async def found(self, method: str, place: Json, **more: object) -> list[str]:
        answer = await self.session.ask_at(method, place, **more) or []
        lines = (self.lines[one["range"]["start"]["line"]].split(" (")[0] for one in answer)
        return [" ".join(line.split()) for line in lines]


async def test_urb_of_a_driver_log(session: Session, corpus: Path) -> None:
    log = DriverLog(session, corpus, "anv_skl.tess.log")
    position = log.place("con 32x4  %12 = @load_attribute_payload_intel")
    assert await log.found("definition", position) == ["@store_urb_vec4_intel"]
    (stored,) = await session.ask_at("definition", position)
    assert log.lines[stored["range"]["start"]["line"]].strip().startswith("@store_urb_vec4_intel (%36, ")
    levels = log.place("con 32x4  %47 = @load_attribute_payload_intel")
    (outer,) = await session.ask_at("definition", levels)
    assert log.lines[outer["range"]["start"]["line"]].strip().startswith("@store_urb_vec4_intel (%54, ")
    store = log.place("@store_urb_vec4_intel (%36, ")
    # The control shader reads VAR0 of vertex 1 itself; the evaluation shader reads the positions.
    assert await log.found("implementation", store) == [
        "div 32x4 %48 = @load_urb_vec4_intel",
        *(f"con 32x4 %{number} = @load_attribute_payload_intel" for number in (1, 3, 10, 12)),
    ]
    assert len(await log.found("documentHighlight", store)) == 6
    references = await log.found("references", store, context={"includeDeclaration": True})
    assert len(references) == 6
    # The snapshot before the one with the maps has no partner, but reads its own outputs.
    earlier = log.place("@store_urb_vec4_intel (%36, ", 0)
    assert await log.found("implementation", earlier) == ["div 32x4 %48 = @load_urb_vec4_intel"]


async def test_urb_of_a_log_without_maps(session: Session, corpus: Path) -> None:
    log = DriverLog(session, corpus, "anv_skl.tess.log")
    session.place("\n".join(line for line in log.lines if "UE map (" not in line))
    for start in ("@store_urb_vec4_intel (%36, ", "con 32x4  %47 = @load_attribute_payload_intel"):
        for method in ("implementation", "definition"):
            assert not await log.found(method, log.place(start)), (start, method)
