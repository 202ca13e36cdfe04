"""Edits of a text as an editor makes them, in any encoding of positions."""

from __future__ import annotations

import random

import pytest

from nirls.server.engine.documents.positions import Encoding, Position, Range
from nirls.server.engine.documents.text_document import TextChange, to_text
from nirls.server.engine.documents.workspace import Workspace
from tools.fuzz.edited_text import EditedText

PIECES = ("a", "\n", "\r\n", "\r", "é", "𝄞", "shader: MESA_SHADER_VERTEX\n", "impl main {\n", "}\n", "  %1")


@pytest.mark.parametrize("encoding", list(Encoding))
def test_the_simple_text_and_the_servers_agree(encoding: Encoding) -> None:
    rng = random.Random(encoding.value)
    for _ in range(300):
        text = "".join(rng.choices(PIECES, k=rng.randrange(12)))
        ours = EditedText(text, encoding.value)
        document = Workspace().open("untitled:a", text, 1)
        start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        range_ = {"start": ours.position(start), "end": ours.position(end)}
        new = rng.choice(PIECES)
        ours.change([{"range": range_, "text": new}])
        places = (Position(**range_["start"]), Position(**range_["end"]))
        document.change([TextChange(Range(*places), new)], 2, encoding)
        assert to_text(document.snapshot.text) == ours.text


@pytest.mark.parametrize("encoding", list(Encoding))
def test_one_change_leads_to_another_text(encoding: Encoding) -> None:
    rng = random.Random(encoding.value)
    for _ in range(500):
        old, new = ("".join(rng.choices(PIECES, k=rng.randrange(8))) for _ in range(2))
        text = EditedText(old, encoding.value)
        text.change([text.smallest_change(new)])
        assert text.text == new
