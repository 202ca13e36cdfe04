"""Generated inputs: one answer to a question, useful numbers, special ones only where allowed."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment


def test_the_same_question_has_the_same_answer() -> None:
    lanes = np.arange(64)
    first, second = Environment(3), Environment(3)
    assert (first.hash_of("input", lanes) == second.hash_of("input", lanes)).all()
    assert (first.hash_of("input", lanes) != Environment(4).hash_of("input", lanes)).any()
    assert first.word("ubo", 1, 7, "float", 32) == second.word("ubo", 1, 7, "float", 32)


def test_the_first_reader_decides_what_a_word_holds() -> None:
    environment = Environment(1)
    numbers = [environment.word("ubo", 0, place, "uint", 32) for place in range(64)]
    assert sum(number < 100 for number in numbers) > 50
    assert numbers == [environment.word("ubo", 0, place, "float", 32) for place in range(64)]


def test_floats_are_mostly_moderate_and_special_only_where_allowed() -> None:
    environment = Environment(2)
    hashes = environment.hash_of("numbers", np.arange(2000))
    plain = environment.numbers(hashes, "float", 32).view(np.float32)
    assert np.isfinite(plain).all()
    assert np.median(np.abs(plain)) < 4
    wild = Environment(2, special=1.0).numbers(hashes, "float", 32, unit=np.arange(2000)).view(np.float32)
    assert np.isnan(wild).any()
    assert np.isinf(wild).any()
    assert (wild == plain).mean() > 0.7
