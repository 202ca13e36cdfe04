from __future__ import annotations

from nirls.server.engine.documents.document import Snapshot
from nirls.server.engine.timeline.dump_digest import DumpCounts, DumpDigest
from nirls.server.engine.timeline.plain import plain_counts, plain_timeline
from nirls.server.engine.timeline.timeline import TimelineReader
from tests.passes.shader_text import ONE, ZERO, shader_text

FIRST, SECOND = shader_text("VERTEX", ZERO, ONE), shader_text("VERTEX", ZERO)
LOG = f"nir_x_y\n{FIRST}nir_opt_cse\nnir_opt_dce\n{SECOND}nir_opt_if\n"


def test_a_pass() -> None:
    reader = TimelineReader(Snapshot.of(LOG.encode()), lambda piece: DumpDigest(piece.text))
    (plain,) = plain_timeline(list(reader.timelines()))
    assert plain["passes"][1] == {
        "number": 3,
        "name": "nir_opt_dce",
        "unprinted": [],
        "change": "code",
        "line": 13,
        "dump": 1,
        "previous": 0,
        "before": {"instructions": 2, "blocks": 1, "inputs": 0, "outputs": 0, "registers": 0},
        "after": {"instructions": 1, "blocks": 1, "inputs": 0, "outputs": 0, "registers": 0},
    }
    assert (plain["title"], plain["stage"], plain["hidden"]) == ("VS", "VS", 2)
    assert (plain["first"]["instructions"], plain["last"]["instructions"]) == (2, 1)


def test_hidden_passes_on_demand() -> None:
    shaders = list(
        TimelineReader(Snapshot.of(LOG.encode()), lambda piece: DumpDigest(piece.text)).timelines()
    )
    assert [one["name"] for one in plain_timeline(shaders)[0]["passes"]] == ["nir_x_y", "nir_opt_dce"]
    assert len(plain_timeline(shaders, hidden=True)[0]["passes"]) == 4


def test_counts_that_are_not_known() -> None:
    assert plain_counts(None) is None
    assert plain_counts(DumpCounts(1, 2, 3, 4, 5)) == {
        "instructions": 1,
        "blocks": 2,
        "inputs": 3,
        "outputs": 4,
        "registers": 5,
    }
