from __future__ import annotations

import tomllib

import pytest

from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.tracing.given_values import (
    Given,
    GivenError,
    GivenNumber,
    GivenValues,
    PlacedValues,
    given_in_comments,
    given_in_table,
    variable_path,
)
from tests.passes.shader_text import ZERO, shader


@pytest.mark.parametrize(
    ("text", "base", "bit_size", "bits"),
    [
        ("1.5", "float", 32, 0x3FC00000),
        ("2", "float", 32, 0x40000000),
        ("2", "int", 32, 2),
        ("-2", "int", 16, 0xFFFE),
        ("2", "mixed", 32, 2),
        ("2.0", "mixed", 32, 0x40000000),
        ("0x3f800000", "float", 32, 0x3F800000),
        ("1", "float", 16, 0x3C00),
        ("1e40", "float", 32, 0x7F800000),
        ("-inf", "float", 32, 0xFF800000),
        ("inf", "int", 32, 0),
        ("true", "bool", 1, 1),
        ("2.7", "uint", 32, 2),
    ],
)
def test_bits_follow_the_reader(text: str, base: str, bit_size: int, bits: int) -> None:
    assert GivenNumber.of(text).bits(base, bit_size) == bits


def test_nan_is_nan() -> None:
    assert GivenNumber.of("NaN").bits("float", 32) & 0x7F800000 == 0x7F800000


def given(kind: str, name: str, *numbers: str) -> GivenValues:
    return GivenValues((Given.of(kind, name, numbers),))


FRAGMENT = shader("FRAGMENT", ZERO)


def numbers_of(placed: object) -> object:
    assert isinstance(placed, dict)
    return {place: number.text for place, (_, number) in placed.items()}


@pytest.mark.parametrize(
    ("name", "numbers", "places"),
    [
        ("VAR0.x", ["1"], {OutputKey(32, 0): "1"}),
        ("VARYING_SLOT_VAR1.zy", ["1", "2"], {OutputKey(33, 2): "1", OutputKey(33, 1): "2"}),
        ("VAR0", ["1", "2"], {OutputKey(32, 0): "1", OutputKey(32, 1): "2"}),
    ],
)
def test_inputs_have_slots(name: str, numbers: list[str], places: object) -> None:
    assert numbers_of(PlacedValues.of(given("input", name, *numbers), [FRAGMENT]).inputs) == places


def test_inputs_of_a_vertex_shader_are_attributes() -> None:
    placed = PlacedValues.of(given("input", "GENERIC1.x", "1"), [shader("VERTEX", ZERO)])
    assert list(placed.inputs) == [OutputKey(16, 0)]


def test_words_are_those_of_each_stage() -> None:
    placed = PlacedValues.of(given("uniform", "ubo1[0x10]", "2", "3"), [FRAGMENT])
    expected = {
        (space, 1, word): text for word, text in ((4, "2"), (5, "3")) for space in ("ubo", "ubo of FS")
    }
    assert numbers_of(placed.words) == expected


@pytest.mark.parametrize(
    ("name", "number", "place", "text"),
    [
        ("1:0x10", "2", ("ubo", 1, 4), "0x2"),
        ("push:4", "0.5", ("push_const", 0, 1), "0x3f000000"),
        ("0:0", "-1", ("ubo", 0, 0), "0xffffffff"),
        ("ubo0[016]", "2", ("ubo", 0, 4), "2"),
    ],
)
def test_words_by_byte(name: str, number: str, place: tuple[str, int, int], text: str) -> None:
    placed = PlacedValues.of(given("uniform", name, number), [FRAGMENT])
    assert numbers_of({place: placed.words[place]}) == {place: text}


def test_words_of_descriptors_are_read_by_nothing() -> None:
    assert not PlacedValues.of(given("uniform", "0.1:16", "2"), [FRAGMENT]).words


def test_uniform_variables_have_a_path() -> None:
    assert variable_path("lights[2].position") == ("lights[].position", (2,))
    placed = PlacedValues.of(given("uniform", "lights[2].position", "1", "2"), [FRAGMENT])
    assert list(placed.variables) == [("lights[].position", (2,), 0), ("lights[].position", (2,), 1)]


@pytest.mark.parametrize("name", ["VAR99.x", "no_such", "VERT_ATTRIB_NO"])
def test_unknown_inputs_are_refused(name: str) -> None:
    with pytest.raises(GivenError, match="no input slot or variable"):
        PlacedValues.of(given("input", name, "1"), [FRAGMENT])


def test_system_values_are_refused() -> None:
    declared = "decl_var system INTERP_MODE_NONE none int gl_VertexID (SYSTEM_VALUE_VERTEX_ID)"
    vertex = shader("VERTEX", ZERO, header=[declared])
    with pytest.raises(GivenError, match="gl_VertexID is a system value, which cannot be given"):
        PlacedValues.of(given("input", "gl_VertexID", "3"), [vertex])


@pytest.mark.parametrize(
    ("kind", "name", "numbers"),
    [
        ("input", "VAR0.x", ["one"]),
        ("input", "VAR0.q", ["1"]),
        ("uniform", "ubo0[x]", ["1"]),
        ("uniform", "ubo:16", ["1"]),
        ("uniform", "0:16", ["1", "2"]),
        ("input", "VAR0", []),
    ],
)
def test_other_forms_are_refused(kind: str, name: str, numbers: list[str]) -> None:
    with pytest.raises(GivenError):
        Given.of(kind, name, numbers)


def test_numbers_fit_the_components() -> None:
    with pytest.raises(GivenError, match="3 values for 2 components"):
        PlacedValues.of(given("input", "VAR0.xy", "1", "2", "3"), [FRAGMENT])


def test_comments() -> None:
    text = b"""\
// nirls: input VAR0.x = 1.5  // of the case
x // nirls:uniform ubo0[16] = 2, 3
// nirls: input VAR0.x = what
// nirls: allow dead-output
"""
    values, problems = given_in_comments(text)
    assert [(one.is_input, one.name, len(one.numbers)) for one in values.given] == [
        (True, "VAR0.x", 1),
        (False, "ubo0[16]", 2),
    ]
    assert problems == ("'what' is no number",)


def test_table() -> None:
    table = tomllib.loads('[input]\nVAR0.x = 1.5\nVAR1 = [1, 2]\n[uniform]\n"ubo0[16]" = "0x10"\n')
    found = given_in_table(table).given
    assert [(one.name, [number.text for number in one.numbers]) for one in found] == [
        ("VAR0.x", ["1.5"]),
        ("VAR1", ["1", "2"]),
        ("ubo0[16]", ["0x10"]),
    ]


@pytest.mark.parametrize("text", ["inputs = {}", "input = 3", "input.VAR0 = [[1]]", "uniform.a = 1979-05-27"])
def test_other_tables_are_refused(text: str) -> None:
    with pytest.raises(GivenError):
        given_in_table(tomllib.loads(text))
