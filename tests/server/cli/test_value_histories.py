"""`nirls timeline --follow` and `--blame`."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.commands.timeline import timelines_of
from nirls.server.cli.errors import CommandError
from nirls.server.cli.value_histories import dump_of, history_of, step_of, value_in
from nirls.server.engine.documents.document import Snapshot
from tests.passes.shader_text import ONE, ZERO, shader_text, use
from tests.server.conftest import Run

FIRST = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%2"))
COPIED = shader_text("VERTEX", ZERO, ONE, "32    %2 = mov %1", use("%1"))
SHRUNK = shader_text("VERTEX", ZERO, ONE, use("%1"))
LOG = f"nir_lower_returns\n{FIRST}nir_opt_cse\nnir_copy_prop\n{COPIED}nir_opt_dce\n{SHRUNK}"
LINES = LOG.splitlines()


@pytest.fixture
def log(workdir: Path) -> Path:
    path = workdir / "debug.log"
    path.write_text(LOG)
    return path


def rows(run: Run, log: Path, *arguments: object) -> list[list[str]]:
    """The rows of a table, without title and head."""
    text = run("timeline", log, *arguments).text.replace("in first dump", "in_first_dump")
    lines = [line.split() for line in text.splitlines()]
    return lines[lines.index(["#", "pass", "did", "line", "instruction"]) + 1 :]


def test_a_value_is_followed(run: Run, log: Path) -> None:
    found = rows(run, log, "--follow", "%2", "--at", 1)
    assert [row[:3] for row in found] == [
        ["1", "nir_lower_returns", "in_first_dump"],
        ["4", "nir_opt_dce", "removed"],
    ]
    assert all("mov" in LINES[int(row[3]) - 1] for row in found)
    plain = run("timeline", log, "--follow", "%2", "--at", 1, "--format", "json").json
    assert [one["event"] for one in plain["entries"]] == ["in first dump", "removed"]


def test_a_removed_value_has_the_one_that_readers_use(run: Run, log: Path) -> None:
    log.write_text(f"nir_a\n{FIRST}nir_b\n{SHRUNK}")
    assert "= mov %1    (readers use %1)" in run("timeline", log, "--follow", "%2", "--at", 1).text


def test_each_instruction_with_the_pass_that_changed_it_last(run: Run, log: Path) -> None:
    found = rows(run, log, "--blame")
    first, last = ["1", "nir_lower_returns", "in_first_dump"], ["3", "nir_copy_prop", "rewritten"]
    assert [row[:3] for row in found] == [first, first, last]
    assert all(LINES[int(row[3]) - 1].split() == row[4:] for row in found)
    plain = run("timeline", log, "--blame", "--at", 1, "--format", "json").json
    assert {one["pass"] for one in plain} == {"nir_lower_returns"}
    assert all(LINES[one["line"]].split() == one["text"].split() for one in plain)


def test_names_of_passes_cannot_steer_the_terminal(run: Run, log: Path) -> None:
    dumps = {"first": FIRST, "last": COPIED}
    log.write_text("".join(f"NIR (\x1b]2;red[/bold]), {form}:\n{dump}" for form, dump in dumps.items()))
    for arguments in (("--follow", "%2", "--at", 1), ("--blame",)):
        out = run("timeline", log, *arguments).out
        assert b"\x1b" not in out
        assert b"\\x1b]2;red[/bold]" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--follow", "VAR1"), "'VAR1' is not a value"),
        (("--follow", "%9"), "the last snapshot of VS has no %9"),
        (("--follow", "%9", "--at", 1), "the snapshot of pass 1 of VS has no %9"),
        (("--follow", "%1", "--at", 2), "pass 2, nir_opt_cse, printed no snapshot: it changed nothing"),
        (("--blame", "--at", 7), "VS has 4 passes, not 7"),
    ],
)
def test_what_cannot_be_followed(run: Run, log: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run("timeline", log, *arguments)
    assert result.status == 2
    assert message in result.err


def test_blame_of_a_single_snapshot(run: Run, log: Path) -> None:
    log.write_text(SHRUNK)
    assert "VS has one snapshot: there is no pass to blame" in run("timeline", log, "--blame").err


def test_a_pass_and_its_snapshot_by_number() -> None:
    snapshot = Snapshot.of(LOG.encode())
    (shader,) = timelines_of(snapshot)
    assert dump_of(step_of(shader, 3)) == 1
    assert history_of(snapshot, shader).last == 2
    with pytest.raises(CommandError, match="VS has 4 passes, not 0"):
        step_of(shader, 0)
    with pytest.raises(CommandError, match="printed no snapshot"):
        dump_of(step_of(shader, 2))


def test_values_are_numbered_as_in_the_last_snapshot_by_default() -> None:
    snapshot = Snapshot.of(LOG.encode())
    (shader,) = timelines_of(snapshot)
    assert value_in(snapshot, shader, "%1", None)[1] == 2
    assert value_in(snapshot, shader, "%1", 1)[1] == 0
