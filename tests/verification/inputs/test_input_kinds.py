from __future__ import annotations

import numpy as np
import pytest

from nirls.ir.model.stage import Stage
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.texture_sampling import ColorTerm, smooth_channel
from nirls.verification.inputs.constants import Constants
from nirls.verification.inputs.input_kinds import (
    DRAWS,
    FURTHER,
    SPECIALS,
    STEERED,
    USUAL,
    RandomEnvironment,
    environment_of_run,
    lone_environment,
)

PER_DRAW = 8
LANES = DRAWS * PER_DRAW
HASHES = np.arange(LANES, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
DRAW = np.repeat(np.arange(DRAWS), PER_DRAW)


def environment(number: int = 0, seed: int = 1, **constants: list[int]) -> RandomEnvironment:
    known = {int(size[1:]): np.array(values, np.uint64) for size, values in constants.items()}
    return environment_of_run(number, seed, Constants(known), {})


def lanes_of(flag: str) -> np.ndarray:
    return np.array([getattr(kind, flag) for kind in USUAL])[DRAW]


def test_ordinary_runs_have_as_many_draws_and_steered_ones_more() -> None:
    assert {len(kinds) for kinds in (USUAL, FURTHER)} == {DRAWS}
    assert len(STEERED) > DRAWS
    assert environment(0).kinds == environment(1).kinds == USUAL
    assert environment(2).kinds == FURTHER
    assert environment(0).state != environment(1).state


def test_places_are_special_one_at_a_time_and_have_every_number() -> None:
    constants = Constants(of_one_side={32: np.array([0x449A5000], np.uint64)})
    met: dict[object, int] = dict.fromkeys(range(12), 0)
    drawn = lone_environment(1, constants, met, 1000)
    draws = sum(kind.lone and not kind.gentle for kind in drawn.kinds)
    assert draws == 12 * (len(SPECIALS) + 3)  # a negative, a large number and the constant
    words = np.array([drawn.word("ubo", 0, word, "float", 32) for word in range(12)])[:, :draws]
    is_nan = np.isnan(words.view(np.float32))
    assert is_nan.sum(axis=1).tolist() == [1] * 12
    assert is_nan.sum(axis=0).max() == 1
    assert (words == 0x449A5000).sum(axis=1).tolist() == [1] * 12
    assert all(met["ubo", 0, word] == (1 << len(SPECIALS)) - 1 for word in range(12))
    few = lone_environment(1, constants, met, 30).kinds
    assert sum(kind.lone for kind in few) == 2 * sum(kind.lone and kind.gentle for kind in few) == 60


def test_places_are_special_among_gentle_floats_too() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    gentle = np.array([kind.lone and kind.gentle for kind in drawn.kinds])
    words = np.array([drawn.word("ubo", 0, word, "float", 32) for word in range(8)])[:, gentle]
    floats = words.view(np.float32)
    usual = (floats >= 0.25) & (floats <= 1)
    assert (~usual).sum(axis=1).tolist() == [len(SPECIALS) + 2] * 8
    assert (floats == -0.75).any()
    assert (floats > 1e6).any()


def test_most_floats_are_small_in_some_draws() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    sparse = np.array([kind.sparse for kind in drawn.kinds])
    words = np.array([drawn.word("ubo", 0, word, "float", 32) for word in range(12)])[:, sparse]
    exponents = words >> np.uint32(23) & np.uint32(0xFF)
    assert 0.15 < np.count_nonzero(exponents) / words.size < 0.35
    assert 0.4 < np.count_nonzero((exponents == 0) & (words != 0)) / words.size < 0.6


def test_a_texture_has_the_same_number_everywhere_in_some_draws() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    draws = np.arange(len(drawn.kinds))
    drawn.begin(draws)
    found = drawn.texture_content(np.full(len(draws), 77, np.uint64), draws * 0.0)
    assert found is not None
    same, numbers = found
    lone, gentle = (np.array([getattr(one, flag) for one in drawn.kinds]) for flag in ("lone", "gentle"))
    for among in (lone & gentle, lone & ~gentle):
        assert np.isnan(numbers[same & among]).sum() == 1
        assert (same & among).sum() == len(SPECIALS) + 2
    usual = environment()
    assert usual.texture_content(HASHES, HASHES * 0.0) is None  # no draws have begun


def test_most_textures_are_small_where_most_floats_are() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    draws = np.arange(len(drawn.kinds))
    drawn.begin(draws)
    sparse = np.array([kind.sparse for kind in drawn.kinds])
    shares, kinds = [], set()
    for texture in range(12):
        found = drawn.texture_content(np.full(len(draws), texture, np.uint64), draws * 0.0)
        assert found is not None
        same, numbers = (one[sparse] for one in found)
        shares.append(same.mean())
        assert (np.abs(numbers[same]) < np.finfo(np.float32).tiny).all()
        kinds.update((numbers[same] == 0).tolist())
    assert 0.65 < np.mean(shares) < 0.85
    assert kinds == {True, False}


def test_an_integer_changes_sign_without_its_upper_bits() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    words = np.array([drawn.word("ubo", 0, word, "int", 32) for word in range(8)]).view(np.int32)
    for size in (np.int8, np.int16):
        assert ((words < 0) & (words.astype(size) > 0)).any(axis=1).all()


def test_textures_differ_at_neighbouring_coordinates_in_some_draws() -> None:
    drawn = lone_environment(1, Constants(), {}, 1000)
    draws = np.arange(len(drawn.kinds))
    drawn.begin(draws)
    sharp = np.array([kind.sharp for kind in drawn.kinds])
    usual = np.array([kind.same_corners and not (kind.sharp or kind.paired) for kind in drawn.kinds])
    assert sharp.sum() == usual.sum() == 64
    coordinate = np.linspace(0.3, 0.7, len(draws)).astype(np.float32)
    beside = np.nextafter(coordinate, np.float32(1))
    textures = np.full(len(draws), 77, np.uint64)
    colours, others = (
        smooth_channel(drawn, textures, "x", [ColorTerm("s", one.astype(np.float64))])[0]
        for one in (coordinate, beside)
    )
    assert (np.abs(colours[sharp] - others[sharp]) > 0.01).mean() > 0.6
    assert (np.abs(colours[usual] - others[usual]) < 1e-6).all()


def test_named_numbers_turn_up_and_always_the_same_ones() -> None:
    drawn = environment(s32=[4242])
    bits = drawn.numbers(HASHES, "int", 32, draw=DRAW)
    named = bits == 4242
    assert named[lanes_of("seeks")].any()
    assert not named[~lanes_of("seeks")].any()
    assert (bits == environment(s32=[4242]).numbers(HASHES, "int", 32, draw=DRAW)).all()
    assert not (environment(s32=[4242]).numbers(HASHES, "int", 16, draw=DRAW) == 4242).any()


def test_gentle_numbers() -> None:
    floats = environment().numbers(HASHES, "float", 32, draw=DRAW).view(np.float32)[lanes_of("gentle")]
    assert floats.min() >= 0.25
    assert floats.max() <= 1


def test_every_word_of_memory_has_all_special_values_within_two_runs() -> None:
    met: dict[object, int] = {}
    for number in range(2):
        drawn = environment_of_run(number, 1, Constants(), met)
        drawn.make_words("ubo", [(0, word) for word in range(40)], "float", 32)
    assert set(met.values()) == {(1 << len(SPECIALS)) - 1}


def test_special_values_are_few_at_a_time() -> None:
    drawn = environment()
    words = np.array([drawn.word("ubo", 0, word, "float", 32) for word in range(64)])
    infinite = ~np.isfinite(words.view(np.float32))
    assert not infinite[:, ~np.array([kind.special_memory for kind in USUAL])].any()
    assert infinite.mean() < 0.2


def test_every_input_has_all_special_values_in_one_run() -> None:
    met: dict[object, int] = {}
    drawn = environment_of_run(0, 1, Constants(), met)
    for item in range(20):
        hashes = HASHES + np.uint64(item)
        drawn.numbers(hashes, "float", 32, draw=DRAW, item=np.array([item], np.uint64), unit=np.arange(LANES))
    assert set(met.values()) == {(1 << len(SPECIALS)) - 1}


def test_pins_hold() -> None:
    drawn = RandomEnvironment(1, kinds=STEERED, pins={int(HASHES[5]): 77})
    assert drawn.numbers(HASHES, "uint", 32, draw=DRAW)[5] == 77


def test_same_corners() -> None:
    number = np.arange(2 * DRAWS)
    launch = Launch(
        Stage.FRAGMENT, len(number), number, number * 0, number, draw=np.repeat(np.arange(DRAWS), 2)
    )
    slots = np.full(len(number), 32)
    drawn = environment()
    corners = [drawn.input_hash("input", launch, slots, np.full(len(number), corner)) for corner in range(3)]
    same = np.array([kind.same_corners for kind in USUAL])[launch.draw]
    assert ((corners[0] == corners[1]) == same).all()
    assert len(set(corners[0].tolist())) == len(number)


def test_an_element_is_the_same_by_constant_and_by_variable_index() -> None:
    drawn = environment()
    drawn.begin(DRAW)
    for index in range(30):
        constant = drawn.on_lanes(drawn.uniform(["array"], [index], "float", 32), LANES)
        variable = drawn.uniform_at(["array"], [np.full(LANES, index)], "float", 32)
        assert (constant == variable).all()


@pytest.mark.parametrize(
    ("base", "bit_size"), [("float", 32), ("uint", 32), ("float", 64), ("float", 16), ("bool", 32)]
)
@pytest.mark.parametrize("is_uniform_first", [False, True])
def test_a_word_is_the_same_at_constant_and_at_variable_addresses(
    base: str, bit_size: int, is_uniform_first: bool
) -> None:
    rng = np.random.default_rng(1)
    buffer, number, lanes = rng.integers(0, 3, 200), rng.integers(0, 50, 200), np.arange(200)
    for environment in (
        environment_of_run(0, 1, Constants(), {}),
        environment_of_run(2, 1, Constants(), {}),
        lone_environment(5, Constants(), {}, 512),
    ):
        environment.begin(rng.integers(0, environment.draws, 200))
        places = list(zip(buffer.tolist(), number.tolist(), environment.draws_of(lanes), strict=True))
        if is_uniform_first:
            environment.make_words("ssbo", {place[:2] for place in places}, base, bit_size)
        # Every second lane: a part of a group reads an address.
        found = [
            environment.words_at("ssbo", buffer[part], number[part], lanes[part], base, bit_size)
            for part in (slice(0, None, 2), slice(1, None, 2))
        ]
        alone = [environment.word("ssbo", *place, "uint", 32)[draw] for *place, draw in places]
        assert [alone[0::2], alone[1::2]] == [one.tolist() for one in found]
        assert len(set(alone)) > 1


def test_words_at_variable_addresses_have_special_values() -> None:
    met: dict[object, int] = {}
    for number in range(2):
        environment = environment_of_run(number, 1, Constants(), met)
        lanes = np.arange(4 * environment.draws)
        environment.begin(lanes % environment.draws)
        words = lanes // environment.draws
        environment.words_at("ssbo", np.zeros(len(lanes), np.int64), words, lanes, "float", 32)
    assert [met["ssbo", 0, word] for word in range(4)] == [(1 << len(SPECIALS)) - 1] * 4


def test_a_word_read_by_all_draws_is_the_same_before_and_after_each_has_read_it() -> None:
    """The lanes that read it at a variable address are one of each draw, in order."""
    for is_uniform_first in (True, False):
        environment = environment_of_run(0, 1, Constants(), {})
        lanes = np.arange(environment.draws)
        environment.begin(lanes)
        rows = [environment.word("ssbo", 0, 7, "float", 32)] if is_uniform_first else []
        at = np.zeros(len(lanes), np.int64), np.full(len(lanes), 7)
        rows.append(environment.words_at("ssbo", *at, lanes, "float", 32))
        rows.append(environment.word("ssbo", 0, 7, "float", 32))
        assert len({row.tobytes() for row in rows}) == 1


def test_most_places_have_one_of_two_special_values_in_some_draws() -> None:
    drawn = lone_environment(1, Constants(), {}, 4000)
    paired = np.array([kind.paired for kind in drawn.kinds])
    words = np.array([drawn.word("ubo", 0, word, "float", 32) for word in range(32)])[:, paired]
    nans = np.isnan(words.view(np.float32)).sum(axis=0)
    # All but a few are NaN in the draws of the pair of NaN and NaN, and in others both infinities meet.
    assert nans.max() > 16
    infinite = words == 0x7F800000, words == 0xFF800000
    assert (infinite[0].any(axis=0) & infinite[1].any(axis=0)).any()
