"""String literals that hold dumps. Whole shapes are in `pasted_shapes`."""

from __future__ import annotations

import json

import pytest

from nirls.ir.text.hidden_text import HiddenText
from nirls.ir.text.log_parts import log_parts
from nirls.ir.text.string_literals import escaped, form_of_literals
from tests.ir.text.pasted_shapes import CLASSIC, MODERN


def undone(data: bytes) -> str:
    form = form_of_literals(data)
    assert form is not None
    for start, end, new in sorted(form.replaced(data), reverse=True):
        data = data[:start] + new + data[end:]
    return data.decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x("impl main {\\n"\n  "\\ta \\"b\\" \\\\\\n");\n', 'impl main {\n\ta "b" \\\n'),
        ('{"a": 1, "log": "block b0:\\n", "b": "c"}\n', "block b0:\n"),
        ('["impl main {", \n "}"\n]\n', '["impl main {", \n}\n]\n'),
        ('{"a": "impl main {\\n\\tb\\n}\\n"}\n', "impl main {\n\tb\n}\n"),
        ("'impl main {\\nb\\\\n \\x25\\u0026\\n'\n", "impl main {\nb\\n %&\n"),
        ('"impl main {\\n\\\nb\\n\\\n";\n', "impl main {\nb\n\n"),
    ],
)
def test_forms(text: str, expected: str) -> None:
    assert undone(text.encode()) == expected


@pytest.mark.parametrize("text", [MODERN, CLASSIC, 'puts("a\\n");\n', '["a",\n "b"]\n', '"impl main {"\n'])
def test_texts_without_literals_of_dumps(text: str) -> None:
    assert form_of_literals(text.encode()) is None


def test_edits_of_a_long_literal_stay_in_it() -> None:
    raw = (json.dumps({"nir": CLASSIC, "n": 1}) + "\n").encode()
    (dump,) = [part for part in log_parts(raw) if part.is_dump]
    assert isinstance(dump.hidden, HiddenText)
    line = dump.text.index(b"\tvec4 32 ssa_2 = mov")
    start, end, new = dump.hidden.raw_edit(line, line, '\ta "b"\n')
    edited = dump.hidden.raw[:start] + new.encode() + dump.hidden.raw[end:]
    assert new == '\\ta \\"b\\"\\n'
    assert edited in raw.replace(b"\\tvec4 32 ssa_2 = mov", b'\\ta \\"b\\"\\n\\tvec4 32 ssa_2 = mov')
    gone = dump.text.index(b"\n", line) + 1
    start, end, new = dump.hidden.raw_edit(line, gone, "")
    assert (dump.hidden.raw[start:end], new) == (b"\\tvec4 32 ssa_2 = mov ssa_1\\n", "")
    assert dump.with_text(dump.text.replace(b"mov", b"fneg")) == dump.raw.replace(b"mov", b"fneg")


def test_escapes() -> None:
    assert escaped('\ta "b" \\') == '\\ta \\"b\\" \\\\'
