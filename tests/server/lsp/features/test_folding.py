"""Folding over the protocol. The line of a closing brace stays in sight, but for that of a dump."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.server.lsp.features.dumps import CALLING, CLASSIC, FRAGMENT
from tests.server.lsp.features.session import SURROUNDINGS, URI

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


async def folded(session: Session) -> list[tuple[str, str]]:
    """The first and the last line of each fold."""
    lines = session.texts[URI].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = await session.ask_about("foldingRange")
    assert all(0 <= one["startLine"] < one["endLine"] < len(lines) for one in found)
    return [(lines[one["startLine"]].strip(), lines[one["endLine"]].strip()) for one in found]


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_a_dump_its_body_and_its_block(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](FRAGMENT))
    found = await folded(session)
    first = [one for one in found if one[0].startswith("shader:")]
    assert [end for _, end in first] == ["}"] * len(first)
    assert ("impl main {", "block b1:") in found
    assert any(one[0].startswith("block b0:") and one[1] == "// succs: b1" for one in found)


async def test_each_function(session: Session) -> None:
    session.place(CALLING)
    found = await folded(session)
    assert {("impl main {", "block b1:"), ("impl helper {", "block b3:")} <= set(found)


async def test_the_older_dialect(session: Session) -> None:
    session.place(CLASSIC)
    assert ("impl main {", "block block_1:") in await folded(session)


@pytest.mark.parametrize(
    "text", ["", "\n", "a log\n", "shader: MESA_SHADER_FRAGMENT", "shader: X\nimpl main {"]
)
async def test_hardly_a_dump(session: Session, text: str) -> None:
    session.place(text)
    await folded(session)


@pytest.mark.sweep
async def test_a_nesting_that_no_stack_holds(session: Session) -> None:
    deep = "    if %0 {\n        block b0:\n" * 20_000
    session.place(FRAGMENT.replace("                // succs: b1\n", deep))
    assert await session.ask_about("foldingRange")
