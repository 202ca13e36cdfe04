"""Positions against a slow reference that counts units character by character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.server.engine.documents.positions import Encoding, LineIndex, Position, Splice, line_ends_in

PIECES = st.sampled_from(["a", "%12", "é", "€", "𝄞", "\t", "\n", "\r\n", "\r", "\ud800", " "])
TEXTS = st.lists(PIECES, max_size=30).map("".join)


def encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def units(character: str, encoding: Encoding) -> int:
    if encoding is Encoding.UTF8:
        return len(encoded(character))
    return 2 if encoding is Encoding.UTF16 and ord(character) > 0xFFFF else 1


def reference(text: str, encoding: Encoding) -> list[tuple[int, Position]]:
    """(byte offset, position) of every place between two characters, inside a CR LF excepted."""
    places, offset, line, column = [], 0, 0, 0
    for at, character in enumerate(text):
        inside_line_end = character == "\n" and text[at - 1 : at] == "\r"
        if not inside_line_end:
            places.append((offset, Position(line, column)))
        offset += len(encoded(character))
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 0
        elif character != "\r":
            column += units(character, encoding)
    return [*places, (offset, Position(line, column))]


@given(TEXTS, st.sampled_from(Encoding))
def test_offsets_and_positions_agree_with_counting(text: str, encoding: Encoding) -> None:
    index = LineIndex(encoded(text))
    for offset, position in reference(text, encoding):
        assert index.position(offset, encoding) == position
        assert index.offset(*position, encoding) == offset


@given(TEXTS)
def test_number_of_lines(text: str) -> None:
    assert len(LineIndex(encoded(text)).starts) == line_ends_in(encoded(text)) + 1


@pytest.mark.parametrize(
    ("line", "character", "offset"), [(0, 99, 3), (1, 99, 6), (99, 0, 6), (-1, 5, 0), (0, -1, 0)]
)
def test_places_outside_mean_the_nearest_end(line: int, character: int, offset: int) -> None:
    assert LineIndex(b"abc\rxy").offset(line, character, Encoding.UTF16) == offset


def test_the_middle_of_a_surrogate_pair_means_the_start_of_the_character() -> None:
    index = LineIndex("𝄞x".encode())
    assert index.offset(0, 1, Encoding.UTF16) == 0
    assert index.offset(0, 2, Encoding.UTF16) == 4


def test_a_megabyte_line_of_multibyte_characters_is_indexed_once() -> None:
    index = LineIndex("é".encode() * 500_000)
    index.position(900_000, Encoding.UTF16)
    assert [index.position(2 * at, Encoding.UTF16).character for at in range(0, 500_000, 5)] == list(
        range(0, 500_000, 5)
    )


def test_growth_is_the_change_in_length() -> None:
    assert Splice(3, 5, 9).growth == 4
    assert Splice(3, 5, 3).growth == -2
