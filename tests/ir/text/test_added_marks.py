"""Marks that tools and people add to lines. Whole shapes are in `pasted_shapes`."""

from __future__ import annotations

import pytest

from nirls.ir.text.added_marks import without_marks
from nirls.ir.text.log_parts import log_parts
from tests.ir.text.pasted_shapes import BODY, CLASSIC, MODERN


def undone(text: str) -> str:
    data = text.encode()
    for start, end, new in sorted(without_marks(data), reverse=True):
        data = data[:start] + new + data[end:]
    return data.decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b]8;;http://a/\x07%3\x1b]8;;\x07 = x\n", "%3 = x\n"),
        ("^[[1;31m%3^[[0m = x^M\n", "%3 = x\n"),
        ("^Ia^[[31m\n", "\ta\n"),
        ("@a (%1)\r\r\nb\r\r\r\n", "@a (%1)\r\nb\r\n"),
        ("impl a {\r%1\r", "impl a {\n%1\n"),
        ("impl main { $\nx $\ny\t$\nz\n", "impl main {\nx\ny\nz\n"),
        ("32 %1 = fneg\u00a0%0\u200b\n", "32 %1 = fneg %0\n"),
        ("32 %1 = \ufb02t %0, %0 // gr\u00f6\u00dfe\n", "32 %1 = flt %0, %0 // gr\u00f6\u00dfe\n"),
        ("==> 32 %1 = mov %0   <== wrong\n^^^ this\n", "32 %1 = mov %0\n\n"),
        ("%1\x00\x0cb\n--More--(12%)\n(END)\n:\n", "%1b\n\n\n\n"),
        ("32 %1 = mov %0  # why\n", "32 %1 = mov %0\n"),
        (
            "  32 %1 = mov %0\n  32 %2 = mov %0\n* 32 %3 = mov %0\n",
            "  32 %1 = mov %0\n  32 %2 = mov %0\n  32 %3 = mov %0\n",
        ),
        ("@@@ -1,2 -1,2 +1,2 @@@\n  a\n- b\n +c\n++d\n", "\na\n// ...\nc\nd\n"),
        ("32 %1 = **fneg** %0\n", "32 %1 = fneg %0\n"),
        ("@@ -3,2 +3,2 @@ impl main {\n a\n-b\n+c\n\\ No newline\nd\n", "...\na\n// ...\nc\n\nd\n"),
        ("> @@ -0,0 +1,2 @@\n> +a\n> +b\nd\n", "> \n> a\n> b\nd\n"),
        ("x {+a+} [-b-]\n", "// ...\nx a \n"),
        ("<<<<<<< a\nb\n=======\nc\n>>>>>>> d\ne\n", "\nb\n// ...\n\n\ne\n"),
        ("7\na\n8\nb\n9\nc\n10\nd\n", "\na\n\nb\n\nc\n\nd\n"),
    ],
)
def test_marks(text: str, expected: str) -> None:
    assert undone(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        MODERN,
        CLASSIC,
        # What looks like a mark.
        "a [0] b\nc[1]m\n",
        "1\na\n3\nb\n4\nc\n9\nd\n",
        "Se\u00f1or \u201cquoted\u201d \u2013 a dash, 3\u00d74, \u2192 and \u00b7\n",
        "costs $\nand $\n",
        "a # b\nc ; d\ne\rf",
        "> 32 %1 = mov %0\n> 32 %2 = mov %0\n> 32 %3 = mov %0\n",
        "int main(void) { |\n} |\n",
        "** bold ** and **bold**\n",
        "--> see <-- below\n^^^\n",
        "a < b and c <- d\n",
        "=======\nTitle\n=======\n",
        "-- END ------------\n--TGSI------------\n",
        "decl_var uniform INTERP_MODE_NONE none float x\u00b2\n",
    ],
)
def test_texts_without_marks(text: str) -> None:
    assert undone(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "define void @main() {\n  %3 = fadd float %1, %2\n  %4 = fmul float %3, %2\n  ret void\n}\n",
        "%12 = OpFAdd %float %10 %11\n%13 = OpLabel\n",
        "  0: MOV OUT[0], IN[0]\n  1: END\n",
        "[12:01] <a> block b0 is hot\n[12:02] <b> impl Foo for Bar {\n",
        "12: impl Display for X {\n13:     fn a() {}\n14: impl Y {\n15: }\n",
        "The block b0: of the shader, and block b1: too.\nThen block b2: comes.\n",
        '{"log": "nothing\\n"}\n{"log": "here\\n"}\n',
    ],
)
def test_other_texts_are_no_dumps(text: str) -> None:
    parts = list(log_parts(text.encode()))
    assert b"".join(part.raw for part in parts) == text.encode()
    assert sum(part.text.count(b" = ") for part in parts if part.is_dump) == 0


def test_bytes_that_are_no_character_stay() -> None:
    assert list(without_marks(b"32 %1 = mov %0 // \xed\xa0\xbd\n")) == []


def test_lines_of_others_between_those_of_a_paste() -> None:
    lines = BODY.splitlines(keepends=True)
    said = [f"12:0{number % 10} <a> {line}" for number, line in enumerate(lines)]
    parts = list(log_parts("".join([*said, "12:59 <b> thanks\n"]).encode()))
    assert [part.text.decode() for part in parts if part.is_dump] == [BODY]
