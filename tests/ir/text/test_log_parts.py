"""Parts of a document: dumps, the text between them, and their bytes behind log prefixes."""

from __future__ import annotations

import pytest

from nirls.ir.text.log_parts import LogPart, dump_texts, log_parts
from tests.ir.text.test_log_prefix import DUMP, LOG

OTHER = DUMP.replace(b"GLSL3", b"GLSL4")


def parts(data: bytes) -> list[tuple[bool, bytes]]:
    return [(part.is_dump, part.text) for part in log_parts(data)]


def test_dumps_and_the_text_between_them_are_parts_in_order() -> None:
    assert parts(LOG) == [
        (False, b"NIR before opt:\n"),
        (True, DUMP),
        (False, b"something else\n\n"),
        (True, OTHER),
        (False, b"done\n"),
    ]


def test_dumps_without_text_between_them_are_parts_of_their_own() -> None:
    assert parts(DUMP + OTHER) == [(True, DUMP), (True, OTHER)]


@pytest.mark.parametrize("text", [b"", b"only text\n", b"no newline"])
def test_document_without_dumps_is_at_most_one_part(text: bytes) -> None:
    assert parts(text) == [(False, text)] * bool(text)


def test_truncated_dump_ends_at_the_next_one_or_at_the_end() -> None:
    cut = DUMP[: DUMP.index(b"                // succs")]
    assert parts(cut + OTHER + cut) == [(True, cut), (True, OTHER), (True, cut)]


def prefixed(text: bytes) -> bytes:
    return b"".join(b"MESA: info: " + line for line in text.splitlines(keepends=True))


def test_part_behind_prefixes_has_both_texts() -> None:
    data = prefixed(LOG)
    assert parts(data) == parts(LOG)
    assert [part.raw for part in log_parts(data)] == [prefixed(part.text) for part in log_parts(LOG)]


def test_part_with_another_text_keeps_its_prefixes() -> None:
    new = DUMP.replace(b"    block b1:\n", b"")
    part = next(part for part in log_parts(prefixed(LOG)) if part.is_dump)
    assert part.with_text(new) == prefixed(new)
    assert part.with_text(part.text) == part.raw
    assert LogPart(DUMP, True).with_text(new) == new


def test_prefixes_that_change_within_a_document() -> None:
    assert dump_texts(DUMP + prefixed(OTHER) + DUMP) == [DUMP, OTHER, DUMP]


def test_lines_of_others_between_functions_are_blank_and_behind_the_last_are_kept() -> None:
    other = b"DRM_SHIM: unhandled ioctl\n"
    functions = [b"shader: MESA_SHADER_VERTEX\nimpl f {\n}\n", b"\nimpl main {\n}\n"]
    lines = [b"".join(b"MESA: info: " + line for line in text.splitlines(True)) for text in functions]
    log = other + lines[0] + other + lines[1] + other
    (text,) = dump_texts(log)
    assert text == functions[0] + b"\n" + functions[1]
    assert [part.text for part in log_parts(log)] == [other, text, other]


@pytest.mark.parametrize("line", [b"compiling shader: MESA_SHADER_FRAGMENT\nok\n", b"// " + DUMP])
def test_no_dump(line: bytes) -> None:
    assert dump_texts(line) == []


def test_a_plain_log_is_not_copied() -> None:
    assert all(part.hidden is None for part in log_parts(LOG))
