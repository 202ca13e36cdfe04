from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.passes.declaration import OptionError
from nirls.passes.uniforms.places import UniformWord
from nirls.passes.uniforms.values import commented_values, given_values, known_values, read_value
from tests.passes.shader_text import shader_text


@pytest.mark.parametrize(
    ("text", "place", "bits"),
    [
        ("0:16=1", UniformWord("0", 16), 1),
        ("0:16 = -1", UniformWord("0", 16), 0xFFFFFFFF),
        ("1:0x20=0x3f800000", UniformWord("1", 32), 0x3F800000),
        ("push:4=0.5", UniformWord("push", 4), 0x3F000000),
        ("0.31:444=1e3", UniformWord("0.31", 444), 0x447A0000),
        ("0:0=-inf", UniformWord("0", 0), 0xFF800000),
        ("0:0=true", UniformWord("0", 0), 0xFFFFFFFF),
        ("0:0=false", UniformWord("0", 0), 0),
    ],
)
def test_values_as_they_are_written(text: str, place: UniformWord, bits: int) -> None:
    assert read_value(text) == (place, bits)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0:16", "not of the form"),
        ("16=1", "not of the form"),
        ("ubo:16=1", "not of the form"),
        ("0:-4=1", "not of the form"),
        ("0:18=1", "multiples of 4"),
        ("0:262144=1", "out of range"),
        ("0:0=4294967296", "does not fit"),
        ("0:0=-2147483649", "does not fit"),
        ("0:0=1e99", "too large"),
        ("0:0=one", "not a number"),
        ("0:0=", "not a number"),
    ],
)
def test_values_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        read_value(text)


def test_several_values_and_contradictions() -> None:
    assert given_values("0:0=1, 0:4=2;0:8=3") == {
        UniformWord("0", 0): 1,
        UniformWord("0", 4): 2,
        UniformWord("0", 8): 3,
    }
    with pytest.raises(OptionError, match="two values"):
        given_values("0:0=1,0:0=2")


def test_comments_say_values_and_the_option_goes_over_them() -> None:
    text = "// nirls: uniform 0:0 = 7\n" + shader_text("FRAGMENT", "// nirls: uniform 0:4 = 1.0")
    shader = parse_dump(text.encode())
    assert commented_values(shader) == {UniformWord("0", 0): 7, UniformWord("0", 4): 0x3F800000}
    assert known_values(shader, "0:0=9")[UniformWord("0", 0)] == 9


def test_comments_for_runs_are_not_for_passes() -> None:
    text = "// nirls: uniform ubo0[4] = 2\n// nirls: uniform color = 1, 0\n// nirls: uniform push:4 = 3\n"
    shader = parse_dump((text + shader_text("FRAGMENT", "")).encode())
    assert commented_values(shader) == {UniformWord("push", 4): 3}
