"""Blocks that were not run are faint while the values are shown."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tests.server.lsp.features.session import URI
from tests.server.lsp.features.test_shader_runs import BRANCHES

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Session


def use_tags(session: Session) -> None:
    session.server.client = replace(session.server.client, unnecessary_tag=True)


async def faint(session: Session) -> list[dict[str, Any]]:
    """The hints on blocks in the diagnostics that were sent last."""
    await asyncio.sleep(0.01)
    pushed = [one for one in session.told if one["method"] == "textDocument/publishDiagnostics"]
    found = pushed[-1]["params"]["diagnostics"] if pushed else []
    return [one for one in found if one["message"].startswith("not run")]


async def test_a_block_that_was_not_run_is_unnecessary_until_values_are_hidden(session: Session) -> None:
    use_tags(session)
    session.place(BRANCHES)
    await session.command("nirls.run", URI, 0)
    (one,) = await faint(session)
    assert (one["severity"], one["tags"]) == (4, [1])
    text = session.text_of(one["range"])
    assert text.split()[:2] == ["block", "b1:"]
    assert text.endswith("// succs: b3")
    await session.command("nirls.hideRun", URI, 0)
    assert await faint(session) == []


async def test_a_log_has_them_in_the_dump_that_is_run(session: Session) -> None:
    use_tags(session)
    session.place(f"nir_a\n{BRANCHES}nir_b\n{BRANCHES.replace('fadd %0', 'fmul %0')}")
    await session.command("nirls.run", URI, 1)
    (one,) = await faint(session)
    assert "fmul" in session.text_of(one["range"])


async def test_clients_without_the_tag_get_none(session: Session) -> None:
    session.place(BRANCHES)
    await session.command("nirls.run", URI, 0)
    assert await faint(session) == []
