"""Histories of values, lines and names over the snapshots of a shader."""

from __future__ import annotations

import pytest

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.timeline import TimelineReader
from nirls.server.ide.history.code_changes import code_change
from nirls.server.ide.history.value_history import (
    ShaderHistory,
    blame_text,
    plain_blame,
    plain_history,
    shader_with,
)
from tests.passes.shader_text import ONE, ZERO, shader_text, store

ID = "32    %2 = @load_vertex_id"
COPIED = (ZERO, ONE, ID, "32    %3 = mov %2", "32    %4 = iadd %3, %1 (0x1)", store("VAR1", "%4"))
DIRECT = (*COPIED[:4], "32    %4 = iadd %2, %1 (0x1)", store("VAR1", "%4"))
SHORT = (ZERO, ONE, ID, "32    %3 = iadd %2, %1 (0x1)", store("VAR1", "%3"))
LOWERED = (ZERO, ONE, ID, "32    %3 = iadd %2, %1 (0x1)", "32    %4 = ineg %3", store("VAR1", "%4"))


def history_of(*snapshots: tuple[str, tuple[str, ...]]) -> tuple[ShaderHistory, Snapshot]:
    log = "".join(f"{name}\n{shader_text('VERTEX', *lines)}" for name, lines in snapshots)
    snapshot = Snapshot.of(log.encode())
    (shader,) = TimelineReader(snapshot, lambda piece: DumpDigest(piece.text)).timelines()
    texts = [dump.piece.text for dump in snapshot.dumps()]
    changes = {pair: code_change(texts[pair[0]], texts[pair[1]]) for pair in shader.pairs()}
    return ShaderHistory(shader, changes, lambda number: texts[number]), snapshot


@pytest.fixture(scope="module")
def log() -> tuple[ShaderHistory, Snapshot]:
    return history_of(
        ("nir_lower_returns", COPIED),
        ("nir_copy_prop", DIRECT),
        ("nir_opt_dce", SHORT),
        ("nir_lower_alu", LOWERED),
    )


@pytest.fixture
def history(log: tuple[ShaderHistory, Snapshot]) -> ShaderHistory:
    return log[0]


def events(history: ShaderHistory, dump: int, name: str) -> list[tuple[str, str]]:
    index = history.index_of(dump, name)
    assert index is not None
    return [(entry.step.name, entry.event.value) for entry in history.follow(dump, index).entries]


ADDITION = [("nir_lower_returns", "in first dump"), ("nir_copy_prop", "rewritten")]


def test_a_value_is_followed_from_any_snapshot_whatever_its_number(history: ShaderHistory) -> None:
    assert events(history, 0, "%4") == events(history, 1, "%4") == ADDITION
    assert events(history, 2, "%3") == events(history, 3, "%3") == ADDITION
    found = history.follow(3, history.index_of(3, "%3") or 0)
    assert found.numbers == {0: 4, 1: 4, 2: 3, 3: 3}


def test_a_removed_value_ends(history: ShaderHistory) -> None:
    assert events(history, 0, "%3") == [("nir_lower_returns", "in first dump"), ("nir_opt_dce", "removed")]
    assert events(history, 3, "%4") == [("nir_lower_alu", "created")]


def test_a_removed_value_names_what_readers_use_instead() -> None:
    history, _ = history_of(("nir_a_b", COPIED), ("nir_c_d", SHORT))
    entry = history.follow(0, history.index_of(0, "%3") or 0).entries[-1]
    assert (entry.event.value, entry.replacement, entry.dump) == ("removed", "%2", 0)
    assert entry.text == "32 %3 = mov %2"


def test_unknown_values(history: ShaderHistory) -> None:
    assert history.index_of(0, "%77") is None
    assert history.index_of(9, "%1") is None
    assert history.index_of(0, "VAR1") is None
    assert history.index_of(0, "%4", "other") is None


def test_blame_names_the_last_change_and_the_origin(history: ShaderHistory) -> None:
    blamed = {line.text.split(" = ")[0].split()[-1]: blame_text(line) for line in history.blame(3)[:-1]}
    assert blamed["%2"] == "unchanged since the first snapshot, nir_lower_returns (pass 1)"
    assert blamed["%3"] == "in the first snapshot, last rewritten by nir_copy_prop (pass 2)"
    assert blamed["%4"] == "created by nir_lower_alu (pass 4)"
    store_line = history.blame(3)[-1]
    assert (store_line.step.name, store_line.event.value) == ("nir_lower_alu", "rewritten")


def test_blame_of_one_line(history: ShaderHistory) -> None:
    line = history.blame(3)[3].line
    assert history.blame_line(3, line) == history.blame(3)[3]
    assert history.blame_line(3, 0) is None
    assert history.blame_line(99, line) is None


def test_passes_that_touch_a_name_or_a_value(history: ShaderHistory) -> None:
    assert [step.name for step in history.touching("VAR1")] == ["nir_lower_alu"]
    assert history.touching("VAR") == []
    touching = history.touching_value(3, history.index_of(3, "%3") or 0)
    assert [step.name for step in touching] == ["nir_copy_prop", "nir_lower_alu"]


def test_a_variant_goes_on_from_the_snapshot_it_is_made_from() -> None:
    """A driver prints an earlier snapshot again, and another pass after it."""
    log = "".join(
        f"NIR ({heading}) for vertex shader:\n{shader_text('VERTEX', *lines)}"
        for heading, lines in (("input", COPIED), ("a", DIRECT), ("b", SHORT), ("a", DIRECT), ("c", LOWERED))
    )
    snapshot = Snapshot.of(log.encode())
    (shader,) = TimelineReader(snapshot, lambda piece: DumpDigest(piece.text)).timelines()
    texts = [dump.piece.text for dump in snapshot.dumps()]
    changes = {pair: code_change(texts[pair[0]], texts[pair[1]]) for pair in shader.pairs()}
    history = ShaderHistory(shader, changes, lambda number: texts[number])
    found = history.follow(4, history.index_of(4, "%3") or 0)
    assert found.numbers == {0: 4, 1: 4, 2: 3, 3: 4, 4: 3}
    assert shader_with([shader], 4) is shader
    assert shader_with([shader], 5) is None


def test_plain_values(log: tuple[ShaderHistory, Snapshot]) -> None:
    history, snapshot = log
    plain = plain_history(history.follow(0, history.index_of(0, "%3") or 0), snapshot.first_line)
    assert plain["value"] == "%3"
    assert plain["numbers"] == {"0": 3, "1": 3}
    last = plain["entries"][-1]
    assert (last["pass"], last["number"], last["event"], last["dump"], last["previous"]) == (
        "nir_opt_dce", 3, "removed", 2, 1,
    )  # fmt: skip
    lines = snapshot.text.decode().split("\n")
    assert lines[last["line"]].split() == last["text"].split()
    blamed = plain_blame(history.blame(3), snapshot.first_line(3))
    assert all(lines[one["line"]].split() == one["text"].split() for one in blamed)
    assert blamed[-2]["madeBy"] == "nir_lower_alu"
