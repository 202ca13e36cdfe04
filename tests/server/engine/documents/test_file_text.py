"""Files of other encodings are read as UTF-8, and written back byte for byte."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.server.engine.documents.file_text import decode_file

TEXT = "shader: MESA_SHADER_VERTEX\nname: \N{GREEK SMALL LETTER PI}\n"


@pytest.mark.parametrize(
    "raw",
    [
        TEXT.encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.replace("\n", "\r").encode(),
        codecs.BOM_UTF16_LE + TEXT.replace("\n", "\r").encode("utf-16-le"),
    ],
)
def test_text_is_the_same_in_every_form(raw: bytes) -> None:
    text, form = decode_file(raw)
    assert text.decode() == TEXT
    assert form.encode(text) == raw
    assert decode_file(form.encode(text + b"more\n"))[0] == text + b"more\n"


def test_windows_line_ends_stay() -> None:
    raw = TEXT.replace("\n", "\r\n").encode()
    assert decode_file(raw)[0] == raw


@given(st.binary(), st.sampled_from([b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]))
def test_any_bytes_come_back(content: bytes, mark: bytes) -> None:
    text, form = decode_file(mark + content)
    assert form.encode(text) == mark + content
