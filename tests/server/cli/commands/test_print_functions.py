from __future__ import annotations

import pytest

from nirls.server.cli.commands.print_ import Reprint, reprinted
from nirls.server.cli.errors import CommandError
from nirls.server.engine.linked_files import InputFile, LinkedFiles
from nirls.server.engine.workspace import Document
from tests.passes.shader_text import ONE, ZERO, load, shader_text, use

TEXT = shader_text("FRAGMENT", ZERO, ONE, load(7, "VAR0"), "32    %9 = fadd %7, %1", use("%9"))
LOG = f"before\n{TEXT}between\n{TEXT}after"


def document(text: str) -> Document:
    return LinkedFiles([InputFile("a.log", None, text.encode())]).documents["a.log"]


def test_plain_is_byte_for_byte() -> None:
    assert Reprint().is_plain
    assert reprinted(document(LOG), Reprint()) == LOG.encode()


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        (Reprint(normalize=True), b"%3 = fadd %2, %1"),
        (Reprint(dialect="classic"), b"ssa_9 = fadd ssa_7, ssa_1"),
        (Reprint(divergence="subgroup"), b"div"),
    ],
)
def test_every_dump_is_printed_anew_and_the_rest_stays(wanted: Reprint, shown: bytes) -> None:
    assert not wanted.is_plain
    printed = b" ".join(reprinted(document(LOG), wanted).replace(b"\n", b" \n ").split(b" "))
    assert b" ".join(printed.split()).count(shown) >= 2
    for between in (b"before", b"between", b"after"):
        assert printed.count(between) == 1


def test_what_a_dialect_cannot_say_is_an_error_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    from nirls.ir.text.printing import ConversionError
    from nirls.server.cli.commands import print_ as reprint

    def refuses(*_: object) -> None:
        raise ConversionError("no word for it")

    monkeypatch.setattr(reprint, "converted", refuses)
    with pytest.raises(CommandError, match=r"a\.log, dump 1: no word for it"):
        reprinted(document(LOG), Reprint(dialect="classic"))
