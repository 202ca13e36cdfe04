"""Runs over the protocol: lenses, hints behind definitions, hover, and how they follow edits."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.ide.run_view import RunChoice, ShaderRun
from nirls.server.lsp.answers.shader_runs import runs_of
from tests.passes.shader_text import ZERO, load, shader_text, store
from tests.server.lsp.features.session import SURROUNDINGS, URI, FailedRequestError
from tests.server.lsp.features.test_inlay_hints import label, whole

if TYPE_CHECKING:
    from tests.server.lsp.features.session import Json, Session

RESULT = store("VAR0", "%2").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
GIVEN = "// nirls: input VAR0.x = 1.5\n"
SUM = GIVEN + shader_text("FRAGMENT", ZERO, load(1, "VAR0"), "32 %2 = fadd %1, %1", RESULT)


def line_of(session: Session, number: int) -> str:
    start, end = ({"line": number + more, "character": 0} for more in (0, 1))
    return session.text_of({"start": start, "end": end}).rstrip("\r\n")


async def values(session: Session) -> dict[str, str]:
    """The hints behind lines, by the word before `=`."""
    shown = {}
    for one in await session.ask_about("inlayHint", range=whole()):
        line = line_of(session, one["position"]["line"])
        if one["position"]["character"] >= len(line):
            shown[line.partition("=")[0].split()[-1]] = label(one)
    return shown


async def values_of_new_text(session: Session) -> dict[str, str]:
    """The hints when the run of a changed text has ended."""
    for _ in range(200):
        shown = await values(session)
        if shown:
            return shown
        await asyncio.sleep(0.05)
    raise TimeoutError


async def lenses(session: Session) -> list[Json]:
    """The commands above `impl`."""
    found = await session.ask_about("codeLens")
    return [
        one["command"]
        for one in found
        if line_of(session, one["range"]["start"]["line"]).endswith("impl main {")
    ]


@pytest.mark.parametrize("around", SURROUNDINGS)
async def test_lens_runs_the_shader_and_hints_show_the_values(session: Session, around: str) -> None:
    session.place(SURROUNDINGS[around](SUM))
    assert await values(session) == {}
    runs = [one for one in await lenses(session) if one["title"] == "Run"]
    found = await session.command(runs[0]["command"], *runs[0]["arguments"])
    assert (found["stage"], found["invocation"], found["summary"]) == ("FS", 0, "DATA0.x = 3.0")
    shown = await values(session)
    assert shown == {"%1": "= 1.5", "%2": "= 3.0"}
    titles = [one["title"] for one in await lenses(session)]
    assert "FS invocation 0 of 64, seed 1: DATA0.x = 3.0" in titles
    assert "Next invocation" in titles


async def test_lenses_choose_invocation_and_seed(session: Session) -> None:
    session.place(SUM.replace(GIVEN, ""))
    await session.command("nirls.run", URI, 0)
    seen = [await values(session)]
    for title in ("Next invocation", "Other inputs"):
        command = next(one for one in await lenses(session) if one["title"] == title)
        await session.command(command["command"], *command["arguments"])
        seen.append(await values(session))
    assert seen[1] != seen[2]
    (first, *_) = await lenses(session)
    assert first["title"].startswith("FS invocation 1 of 64, seed 2: ")


async def test_values_follow_edits(session: Session) -> None:
    session.place(SUM)
    await session.command("nirls.run", URI, 0)
    session.change("fadd", "fmul")
    shown = await values_of_new_text(session)
    assert shown["%2"] == "= 2.25"
    session.change("input VAR0.x = 1.5", "input VAR0.x = 4", version=3)
    shown = await values_of_new_text(session)
    assert shown["%2"] == "= 16.0"


async def test_values_are_hidden_again(session: Session) -> None:
    session.place(SUM)
    await session.command("nirls.run", URI, 0)
    assert await session.command("nirls.hideRun", URI, 0) is True
    assert await values(session) == {}
    assert await session.command("nirls.hideRun", URI, 0) is False
    assert [one["title"] for one in await lenses(session)] == ["Run"]


async def test_hover_lists_the_values_of_the_invocations(session: Session) -> None:
    session.place(SUM)
    await session.command("nirls.run", URI, 0)
    shown = (await session.ask_at("hover", session.at("%2 = fadd")))["contents"]["value"]
    assert "- invocations 0 to 7: 3.0, 3.0, " in shown
    assert "- the same on 64 invocations" in shown


BRANCHES = """\
shader: MESA_SHADER_VERTEX
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000 = 0.000000)
    32    %1 = undefined
    1     %2 = load_const (false)
               // succs: b1 b2
    if %2 (false) {
        block b1:  // preds: b0
        32    %3 = fadd %0 (0.000000), %1
                   // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    32    %4 = fadd %1, %0 (0.000000)
               // succs: b4
    block b4:
}
"""


async def test_undefined_values_and_blocks_that_are_not_run_are_told(session: Session) -> None:
    session.place(BRANCHES)
    await session.command("nirls.run", URI, 0)
    found = await session.ask_about("inlayHint", range=whole())
    behind = {
        line_of(session, one["position"]["line"]).split("//")[0].split()[1]: label(one) for one in found
    }
    assert behind["%4"] == "\N{WARNING SIGN} undefined"
    assert behind["b1:"] == "not run"
    assert "%3" not in behind


async def test_linked_stages_run_together(session: Session) -> None:
    vertex = shader_text("VERTEX", ZERO, "32 %1 = load_const (0x40400000 = 3.000000)", store("VAR0"))
    session.place(vertex + SUM.replace(GIVEN, ""))
    await session.command("nirls.run", URI, 1, 0, 1, True)
    shown = await values(session)
    assert shown["%2"] == "= 6.0"


async def test_what_cannot_be_run_is_an_error(session: Session) -> None:
    session.place(shader_text("FRAGMENT", ZERO, "32 %1 = @unheard_of"))
    with pytest.raises(FailedRequestError, match="unheard_of"):
        await session.command("nirls.run", URI, 0)
    assert (await lenses(session))[0]["title"].startswith("Cannot be run: unheard_of")
    assert await session.command("nirls.run", URI, 7) is None


async def test_code_actions(session: Session) -> None:
    session.place(SUM)
    place = session.at("fadd")
    context = {"diagnostics": [], "only": ["source.run.nirls"]}

    async def titles() -> list[str]:
        found = await session.ask_about("codeAction", range={"start": place, "end": place}, context=context)
        return [one["title"] for one in found]

    assert await titles() == ["Run this shader and show its values"]
    await session.command("nirls.run", URI, 0)
    assert await titles() == ["Hide the values"]


async def test_lenses_can_be_turned_off(session: Session) -> None:
    session.place(SUM)
    section = {"codeLens": {"run": False}}
    session.server.analyzers.use_settings(FolderSettings(ClientSettings.of(section)))
    assert await lenses(session) == []


async def test_titles_have_no_icons(session: Session) -> None:
    session.place(shader_text("FRAGMENT", ZERO, "32 %1 = @unheard_of"))
    runs, document = runs_of(session.server), session.document()
    runs.choose(document, document.snapshot.dump(0), RunChoice())

    async def odd(texts: object, position: int, choice: RunChoice) -> ShaderRun:
        return ShaderRun(problem="$(bug)\n##[x]")

    session.server.in_worker = lambda seconds, job, *arguments: odd(*arguments)  # type: ignore[method-assign]
    title = (await lenses(session))[0]["title"]
    assert title == "Cannot be run: $ (bug)\\n##\\x5bx]"
