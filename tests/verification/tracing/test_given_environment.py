from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.tracing.given_environment import GivenEnvironment
from nirls.verification.tracing.given_values import GivenNumber, PlacedValues


def environment(placed: PlacedValues) -> GivenEnvironment:
    return GivenEnvironment(1, placed=placed)


def test_a_given_word_has_the_type_of_its_first_reader() -> None:
    given = environment(PlacedValues(words={("ubo", 0, 4): ("ubo0[16]", GivenNumber("2"))}))
    lanes = np.arange(3)
    buffer, number = np.zeros(3, np.int64), np.array([4, 5, 4])
    words = given.words_at("ubo", buffer, number, lanes, "float", 32)
    plain = environment(PlacedValues()).words_at("ubo", buffer, number, lanes, "float", 32)
    assert words.tolist() == [0x40000000, plain.tolist()[1], 0x40000000]
    assert given.read == {"ubo0[16]"}


def test_elements_of_uniform_variables() -> None:
    place = ("lights[].position", (2,), 1)
    given = environment(PlacedValues(variables={place: ("lights[2].position", GivenNumber("1"))}))
    spaces = [("uniform", "lights", ("[]", "position"), component) for component in (0, 1)]
    rows = given.uniform_at(spaces, [np.array([1, 2])], "int", 32)
    plain = environment(PlacedValues()).uniform_at(spaces, [np.array([1, 2])], "int", 32)
    assert rows[0].tolist() == plain[0].tolist()
    assert rows[1].tolist() == [plain[1].tolist()[0], 1]
    assert given.read == {"lights[2].position"}


def test_nothing_given_is_nothing_read() -> None:
    given = environment(PlacedValues(inputs={OutputKey(32, 0): ("VAR0.x", GivenNumber("1"))}))
    given.uniform([("uniform", "scale", (), 0)], [], "float", 32)
    assert given.read == set()
