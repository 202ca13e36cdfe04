"""Hover over the protocol: what is shown, and for which text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from nirls.server.ide.hover import MOST_LINKS
from nirls.server.lsp.client import Client
from tests.server.lsp.features.dumps import CLASSIC, FRAGMENT, LOADING, STORING, THREE_SNAPSHOTS, marked
from tests.server.lsp.features.session import SURROUNDINGS, URI
from tools.corpus.drivers import read_logs

if TYPE_CHECKING:
    from pathlib import Path

    from tests.server.lsp.features.session import Session


async def check(session: Session, text: str, shown_for: str | None, *parts: str) -> None:
    """The hover at the `$0` of a text is for `shown_for` and has the parts in it."""
    place = session.place(text)
    found = await session.ask_at("hover", place)
    if shown_for is None:
        assert found is None
        return
    assert session.text_of(found["range"]) == shown_for
    assert session.offsets(found["range"])[0] <= session.offsets({"start": place, "end": place})[0]
    assert all(part in found["contents"]["value"] for part in parts), found["contents"]["value"]


@pytest.mark.parametrize("around", SURROUNDINGS)
@pytest.mark.parametrize(
    ("mark", "inside", "shown_for", "part"),
    [
        ("%1, %0", 0, "%1", "fadd"),
        ("%1, %0", 2, "%1", "convergent"),
        ("fmul", 0, "fmul", "fmul"),
        ("fmul", 4, "fmul", "fmul"),
        ("main {", 2, "main", "main"),
        ("// succs: b1", 12, "b1", "b0"),
        ("name:", 1, "name", "program"),
        # Within a comment, and on nothing.
        ("/* 😀", 3, None, ""),
        ("        %0 = load", 1, None, ""),
        ("}\n", 1, None, ""),
    ],
)
async def test_words(
    session: Session, around: str, mark: str, inside: int, shown_for: str | None, part: str
) -> None:
    text = FRAGMENT.replace("\n    32     %0", "\n    32         %0")
    await check(session, SURROUNDINGS[around](marked(text, mark, inside)), shown_for, part)


async def test_uses_of_a_value_are_links_to_their_lines(session: Session) -> None:
    text = "a log\n" + FRAGMENT
    place = session.place(marked(text, "%0 = ", 1))
    shown = (await session.ask_at("hover", place))["contents"]["value"]
    lines = text.split("\n")
    uses = [
        (number, line)
        for number, line in enumerate(lines, 1)
        if re.search(r"[ (]%0\b", line.partition("//")[0]) and "%0 =" not in line
    ]
    assert uses
    for number, _line in uses:
        assert f"]({URI}#L{number}," in shown
    assert shown.count(f"]({URI}#L") == len(uses)


async def test_many_uses_are_listed_in_part(session: Session) -> None:
    uses = "".join(f"    32     %{number} = mov %0\n" for number in range(1000, 1000 + MOST_LINKS + 3))
    text = FRAGMENT.replace("    /* 😀 */ 32", f"{uses}    /* 😀 */ 32")
    place = session.place(marked(text, "%0 = ", 1))
    shown = (await session.ask_at("hover", place))["contents"]["value"]
    assert shown.count("](") == MOST_LINKS
    assert shown.endswith(" more")


@pytest.mark.parametrize("around", ["alone", "windows line ends", "in a log"])
async def test_words_of_an_older_dialect(session: Session, around: str) -> None:
    await check(session, SURROUNDINGS[around](marked(CLASSIC, "ssa_1, ssa_0", 5)), "ssa_1", "ssa_1")


async def test_a_slot_tells_of_the_other_stage(session: Session) -> None:
    text = STORING + "😀 between\n" + marked(LOADING, "VARYING_SLOT_VAR0", 3)
    await check(session, text, "VARYING_SLOT_VAR0", "VS", "follow each other")


async def test_plain_text_has_no_marks(session: Session) -> None:
    session.server.client = Client()
    place = session.place(marked(FRAGMENT, "%1, %0"))
    found = await session.ask_at("hover", place)
    assert found["contents"]["kind"] == "plaintext"
    assert not any(mark in found["contents"]["value"] for mark in ("**", "`"))


@pytest.mark.parametrize(
    "text",
    [
        "$0",
        "\n\n$0",
        "sha$0der: MESA_SHADER_FRAGMENT",
        "shader: MESA_SHADER_FRAGMENT\nimpl main {\n    blo$0",
    ],
)
async def test_hardly_a_dump(session: Session, text: str) -> None:
    place = session.place(text)
    found = await session.ask_at("hover", place)
    assert found is None or session.text_of(found["range"]) == "shader"


async def test_a_very_long_line(session: Session) -> None:
    line = "    32 %2 = vec16 " + ", ".join(["%0.x"] * 15_000) + ", %1$0"
    text = marked(FRAGMENT, "                // succs").replace("$0", f"{line}\n")
    assert text.count("$0") == 1
    await check(session, text, "%1", "fadd")


async def test_the_text_that_the_client_has_now(session: Session) -> None:
    """Unsaved text counts, and a hover after an edit is about the text after it."""
    session.open(FRAGMENT)
    session.change("fadd %0", "fsub %0")
    found = await session.ask_at("hover", session.at("%1, %0"))
    assert "fsub" in found["contents"]["value"]
    session.change("/* 😀 */", "/* */", version=3)
    found = await session.ask_at("hover", session.at("%1, %0"))
    assert session.text_of(found["range"]) == "%1"


@pytest.mark.parametrize(
    ("log", "mark", "part"),
    [
        # The vertex number is variable, but steps by whole vertices.
        (
            "anv_skl.tess",
            "@store_urb_vec4_intel (%36, %31, %30",
            "the output `VARYING_SLOT_POS.xyzw`, `VARYING_SLOT_VAR0.xyzw`.",
        ),
        ("anv_skl.tess", "@load_attribute_payload_intel (%42", "the input `VARYING_SLOT_VAR1.xy`."),
        ("iris_tgl.tess", "@store_urb_vec4_intel (%24,", "the output `VARYING_SLOT_PATCH0.xyzw`."),
        (
            "anv_dg2.mesh",
            "@store_urb_vec4_intel (%83, %22",
            "the output `VARYING_SLOT_POS.xyzw`, `VARYING_SLOT_VAR0.xyzw`.",
        ),
        ("anv_dg2.mesh", "@store_urb_vec4_intel (%120, %22", "the output `VARYING_SLOT_VAR3.xy`."),
        ("anv_dg2.mesh", "@load_urb_vec4_intel (%45, %46)", "slot this accesses is not known"),
    ],
)
async def test_slots_of_urb_accesses_in_driver_logs(
    session: Session, corpus: Path, log: str, mark: str, part: str
) -> None:
    text = next(data for name, data in read_logs(corpus / "drivers") if name == f"{log}.log").decode()
    session.place(text.replace("$0", ""))
    # The first snapshot; the maps follow the last one.
    found = await session.ask_at("hover", session.at(mark, 1))
    assert part in found["contents"]["value"]


async def test_packing_around_an_urb_access(session: Session, corpus: Path) -> None:
    text = next(data for name, data in read_logs(corpus / "drivers") if name == "anv_skl.tess.log").decode()
    mark = "@load_attribute_payload_intel (%42"
    before, _, after = text.rpartition(mark)
    place = session.place(f"{before}@$0{mark[1:]}{after}")
    await session.ask_about("nirls/packing")
    shown = (await session.ask_at("hover", place))["contents"]["value"]
    assert "**TCS to TES: " in shown
    assert "| VAR1 | **\u25b6 `#11.x` per vertex** | **\u25b6 `#11.y` per vertex** |" in shown


async def test_the_hover_names_the_pass(session: Session) -> None:
    session.place(THREE_SNAPSHOTS)
    await session.ask_about("nirls/blame", dump=2)
    place = {"line": THREE_SNAPSHOTS[: THREE_SNAPSHOTS.rindex("iadd")].count("\n"), "character": 17}
    text = (await session.ask_about("textDocument/hover", position=place))["contents"]["value"]
    assert "Passes: in the first snapshot, last rewritten by nir_copy_prop (pass 2)" in text
