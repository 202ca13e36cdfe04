from __future__ import annotations

from nirls.server.engine.documents.linking import LinkedDump
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.ide.preview import Preview, PreviewedDump, Verdict, plain_preview
from tests.passes.shader_text import ONE, ZERO, shader_text


def test_plain_values() -> None:
    text = shader_text("VERTEX", ZERO, ONE)
    document = Workspace().open("file:///x/a.log", f"one\n{text}", 1)
    (dump,) = document.snapshot.dumps()
    after = shader_text("VERTEX", ZERO).encode()
    seen = PreviewedDump(LinkedDump(document, dump), dump.piece.text, after)
    plain = plain_preview(Preview("t", ("opt_dce",), Verdict.SAME, (seen,)))
    assert (plain["title"], plain["passes"], plain["verdict"]) == ("t", ["opt_dce"], "checked")
    (found,) = plain["dumps"]
    assert (found["file"], found["number"], found["line"], found["stage"]) == ("a.log", 0, 1, "VS")
    assert (found["before"], found["after"], found["changed"]) == (text, after.decode(), True)
    counts = found["counts"]
    assert (counts["before"]["instructions"], counts["after"]["instructions"]) == (2, 1)


def test_a_dump_that_stays() -> None:
    document = Workspace().open("file:///a", shader_text("SOMETHING", ZERO), 1)
    (dump,) = document.snapshot.dumps()
    seen = PreviewedDump(LinkedDump(document, dump), dump.piece.text, dump.piece.text)
    (found,) = plain_preview(Preview("t", (), Verdict.NOTHING, (seen,)))["dumps"]
    assert (found["changed"], found["stage"]) == (False, None)
