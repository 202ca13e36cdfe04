"""Inputs of a run: kinds of numbers that differ by draw, and API state that differs by run.

Every run has several draws, each with memory, uniforms and inputs of its own kind (`NumberKind`), so that one
run on numpy arrays replaces one run per kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import combinations_with_replacement

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment, PipelineState, is_float
from nirls.verification.evaluate.surroundings.hashing import fraction, lane_hash, name_hash, scramble
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type
from nirls.verification.evaluate.values.grouped_lanes import GroupedLanes
from nirls.verification.inputs.constants import Constants, parts_of_largest

SPECIALS = ("NaN", "+inf", "-inf", "+0", "-0", "denormal")
"""Float values that every input and every word of memory should have at least once."""

_SPECIAL_BITS = {
    16: (0x7E00, 0x7C00, 0xFC00, 0, 0x8000, 0x0301),
    32: (0x7FC00000, 0x7F800000, 0xFF800000, 0, 0x80000000, 0x00600001),
    64: (0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0, 1 << 63, 3 << 50 | 1),
}
_ORDINARY_BITS = {
    16: (0xBA00, 0x7800),
    32: (0xBF400000, 0x4BC00000),
    64: (0xBFE8000000000000, 0x4178000000000000),
}
"""A negative and a large number, which most draws do not have where they would show."""

_DENORMALS = {16: 0x3FF, 32: 0x7FFFFF, 64: (1 << 52) - 1}
_FEWEST_TURNS = 16
"""Minimum number of lane units, or draws, in which a place has each special value once."""

_INTEGERS = ("int", "uint", "mixed")
_INTEGER_BITS = (0, 1, 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 31, 0x80000101)
"""The last one is negative, and positive without its upper bits."""


@dataclass(frozen=True, slots=True)
class NumberKind:
    """Kind of the numbers of one draw; `name` describes it in messages.

    With `same_corners`, an input is the same at all vertices of a primitive, so that interpolation keeps
    it. With `lone`, about one place at a time has a special value or a constant of one side. With `sparse`,
    most floats are zero or denormal, so that no larger term of a sum hides a small one. With `paired`,
    most places have one of two special values, which differ by draw: operands that are both NaN, or
    infinities of both signs. With `sharp`, textures have other colours at the next float. With `wide`,
    integers use all of their bits.
    """

    name: str
    special: bool = False
    special_memory: bool = False
    seeks: bool = False
    same_corners: bool = False
    gentle: bool = False
    lone: bool = False
    sparse: bool = False
    paired: bool = False
    sharp: bool = False
    wide: bool = False

    @property
    def is_usual(self) -> bool:
        """Whether inputs differ between the vertices of a primitive, so that outputs vary as usual."""
        return not self.same_corners

    @property
    def is_ordinary(self) -> bool:
        """Whether the numbers are those of an ordinary draw call, with no special values among them."""
        return not (self.special or self.special_memory or self.lone or self.sparse or self.paired)


_PLAIN = NumberKind("plain numbers")
_SPECIAL = NumberKind("NaN, infinities, zeros and denormals among the inputs", special=True)
_SPECIAL_MEMORY = NumberKind("NaN, infinities, zeros and denormals in memory", special_memory=True)
_NAMED = NumberKind("constants of the shader among the inputs", seeks=True)
_STEERED = NumberKind(
    "constants of the shader among the inputs, the same at all vertices", seeks=True, same_corners=True
)
_GENTLE = NumberKind("floats between a quarter and one", gentle=True)

USUAL: tuple[NumberKind, ...] = (
    *(_PLAIN, _GENTLE, _NAMED, _STEERED),
    *(_SPECIAL,) * 4,
    *(_SPECIAL_MEMORY,) * 8,
)
"""Draws of an ordinary run."""

DRAWS = len(USUAL)

FURTHER: tuple[NumberKind, ...] = (
    *(_PLAIN,) * 3,
    *(_GENTLE,) * 3,
    *(_NAMED,) * 4,
    *(_STEERED,) * 4,
    *(_SPECIAL, _SPECIAL_MEMORY),
)
"""Draws of a run for cases that the first runs have not covered."""

_LONE = NumberKind("one input or word at a time is special, negative, large or a constant", lone=True)
_LONE_AMONG_GENTLE = replace(
    _LONE, name=f"{_LONE.name}, the other floats are between a quarter and one", gentle=True
)
_SPARSE = NumberKind("most floats are zero or denormal", sparse=True)
_PAIRED = NumberKind("two special values at most places", same_corners=True, paired=True)
_EXACT = NumberKind("plain numbers, the same at all vertices", same_corners=True)
"""Interpolation of equal numbers is exact, so that no rounding excuses a difference behind it."""
_SHARP = replace(_EXACT, name=f"{_EXACT.name}, textures differ at neighbouring coordinates", sharp=True)

_WIDE = NumberKind("integers that use all of their bits", wide=True)

_SHARPNESS = 2.0**22
"""Makes a texture change by about a tenth of its range between neighbouring floats near 0.5."""

_MOST_MORE = 128
"""Maximum number of draws of each of these kinds."""

_DRAWS_OF_A_PAIR = 2
"""Number of draws for each pair of special values."""

_WIDE_DRAWS = 256
"""Number of draws with wide integers, if the shaders have operations that depend on all bits of one."""

_LEAST_PLACES = 8

STEERED: tuple[NumberKind, ...] = (_STEERED,) * 32
"""Draws of a steered run: an outcome to reach for each."""

STATES: tuple[PipelineState, ...] = (
    PipelineState(),
    PipelineState(flat_shade=True, two_side=True, provoking_last=True, clamp_color=True, sprite_coords=0xFF),
    PipelineState(sprite_coords=0x55),
)
"""States of the fixed-function hardware, tried in turn: the first two runs have each switch off and on."""


_Layer = tuple[Array, Array]
"""The places at which the numbers of an environment are replaced, and the bits that replace them."""


@dataclass(slots=True)
class RandomEnvironment(Environment):
    """An environment whose draws have different kinds of numbers.

    `pins` maps hashes of places to the bits that they hold. `turn` counts the runs that have given special
    values to places, so that each run gives them to others. `answers` records every answer (hashes, bits,
    draws of the last axis) unless it is None. `specials_met` has a bit for each of `SPECIALS` that a place
    has had.
    """

    kinds: tuple[NumberKind, ...] = USUAL
    constants: Constants = field(default_factory=Constants)
    turn: int = 0
    pins: Mapping[int, int] = field(default_factory=dict)
    answers: list[tuple[Array, Array, Array]] | None = None
    specials_met: dict[object, int] = field(default_factory=dict)
    _flags: dict[str, Array] = field(default_factory=dict)
    _made: dict[tuple[object, ...], Array] = field(default_factory=dict)
    _ranks: dict[int, int] = field(default_factory=dict)
    _places: int = 0
    _items: Array | None = None
    _pinned: tuple[Array, Array] | None = None

    def __post_init__(self) -> None:
        self.draws = len(self.kinds)
        self._places = max(_LEAST_PLACES, len(self.specials_met))
        for name in (one.name for one in fields(NumberKind) if one.name != "name"):
            self._flags[name] = np.array([getattr(kind, name) for kind in self.kinds])
        if self.pins:
            places = np.array(sorted(self.pins), np.uint64)
            self._pinned = places, np.array([self.pins[int(place)] for place in places], np.uint64)

    def input_hash(self, space: object, launch: Launch, slots: Array, vertex: Array | None) -> Array:
        """See `Environment.input_hash`."""
        if vertex is not None and launch.draw is not None and self._flags["same_corners"].any():
            vertex = np.where(self._flags["same_corners"][launch.draw], 0, vertex)
        return Environment.input_hash(self, space, launch, slots, vertex)

    def numbers(
        self,
        hashes: Array,
        base: str,
        bit_size: int,
        *,
        memory: bool = False,
        draw: Array | None = None,
        item: Array | None = None,
        unit: Array | None = None,
    ) -> Array:
        """See `Environment.numbers`."""
        key = (hashes.tobytes(), hashes.shape, base, bit_size, item is None)
        known_bits = self._made.get(key)
        if known_bits is not None:
            return known_bits
        bits = self._numbers(hashes, base, bit_size, memory=memory, draw=draw, item=item, unit=unit)
        self._made[key] = bits
        return bits

    def _numbers(
        self,
        hashes: Array,
        base: str,
        bit_size: int,
        *,
        memory: bool,
        draw: Array | None,
        item: Array | None,
        unit: Array | None,
    ) -> Array:
        bits = Environment.numbers(self, hashes, base, bit_size)
        of = self.draw if draw is None else draw
        if of is None or hashes.shape[-1] != len(of):
            return bits
        bits = _with(bits, self._sought_constants(hashes ^ np.uint64(0x5EEC), bit_size, of))
        if base == "mixed" and bit_size not in FLOAT_TYPES:
            base = "uint"
        floats = is_float(scramble(hashes)) if base == "mixed" else np.full(hashes.shape, base == "float")
        if floats.any() and self._flags["gentle"].any():
            gentle = (0.25 + 0.75 * fraction(scramble(hashes))).astype(FLOAT_TYPES[bit_size])
            bits = _with(bits, (self._flags["gentle"][of] & floats, gentle.view(container_type(bit_size))))
        if floats.any() and self._flags["sparse"].any():
            is_small, numbers = self._small_floats(hashes, bit_size, of)
            bits = _with(bits, (is_small & floats, numbers))
        if base != "bool" and self._flags["paired"].any():
            bits = _with(bits, self._pairs(hashes, base, bit_size, of))
        if base in _INTEGERS and self._flags["wide"].any():
            bits = _with(bits, self._wide_integers(hashes ^ np.uint64(0x31DE), bit_size, of, floats))
        if memory or item is not None:
            bits = _with(bits, self._specials(hashes, base, bit_size, of, item, unit))
            if self._flags["lone"].any() and base != "bool":
                place = item if item is not None else hashes if self._items is None else self._items
                number = of if unit is None else unit
                bits = _with(bits, self._lone_numbers(base, bit_size, of, number, place))
        if item is not None:
            self._note_specials(int(item[0]), base, bit_size, bits)
        bits = _with(bits, self._pinned_bits(hashes, bit_size))
        if self.answers is not None:
            self.answers.append((hashes, bits, of))
        return bits

    def _specials(
        self,
        hashes: Array,
        base: str,
        bit_size: int,
        of: Array,
        item: Array | None,
        unit: Array | None,
    ) -> _Layer | None:
        """Return special values: each place gets all of them, in few of the lanes or draws at a time."""
        if bit_size not in _SPECIAL_BITS or base == "bool":
            return None
        flag = self._flags["special_memory" if item is None else "special"]
        where = flag[of]
        if not where.any():
            return None
        # Rotate through the places: in every draw or unit some have a special value, and most do not.
        if item is None or unit is None:
            number, first = of, hashes if self._items is None else self._items
            rotating = np.nonzero(flag)[0]
        else:
            number, first = unit, item
            rotating = number[where]
        count = int(rotating.max()) - int(rotating.min()) + 1
        turns = max(_FEWEST_TURNS, count)
        number = number + self.turn * count
        kind = (number.astype(np.uint64) + scramble(first) % np.uint64(turns)) % np.uint64(turns)
        values = _own_numbers(base, _SPECIAL_BITS[bit_size])
        table = np.array(values, np.uint64)
        chosen = where & (kind < len(table))
        mask = np.uint64((1 << bit_size) - 1)
        return chosen, table[np.minimum(kind, np.uint64(len(table) - 1)).astype(np.int64)] & mask

    def _sought_constants(self, hashes: Array, bit_size: int, of: Array) -> _Layer | None:
        """Return constants of the shaders, for one place of four in the draws that seek them."""
        known = self.constants.every.get(bit_size, _NO_NUMBERS)
        if not len(known):
            return None
        choice = scramble(hashes)
        chosen = self._flags["seeks"][of] & ((choice & np.uint64(3)) == 0)
        return chosen, known[((choice >> np.uint64(8)) % np.uint64(len(known))).astype(np.int64)]

    def _wide_integers(self, hashes: Array, bit_size: int, of: Array, floats: Array) -> _Layer | None:
        """Return integers of which all bits count, and random ones for a quarter of the places.

        In every other draw, a place has the largest number, or what divides it into few parts: a number for
        each draw, so that each quotient is tried.
        """
        known = self.constants.wide.get(bit_size, _NO_NUMBERS)
        if not len(known):
            return None
        choice = scramble(hashes)
        number = known[((choice >> np.uint64(8)) % np.uint64(len(known))).astype(np.int64)]
        is_largest = (choice & np.uint64(7)) == 1
        number = np.where(is_largest, (1 << bit_size) - 1, number).astype(np.uint64)
        number = np.where((choice & np.uint64(3)) == 0, scramble(choice), number)
        parts = np.array(parts_of_largest(bit_size), np.uint64)
        part = np.where(choice >> np.uint64(63), (1 << bit_size) - 1, parts[of // 2 % len(parts)])
        number = np.where(of % 2 == 0, part, number).astype(np.uint64)
        return self._flags["wide"][of] & ~floats, number & np.uint64((1 << bit_size) - 1)

    def _small_floats(self, hashes: Array, bit_size: int, of: Array) -> _Layer:
        """Return zeros and denormals, for three places of four in the sparse draws."""
        choice = scramble(hashes)
        denormals = choice >> np.uint64(1) & np.uint64(_DENORMALS[bit_size])
        is_small = self._flags["sparse"][of] & (choice >> np.uint64(62) != 1)
        return is_small, np.where(choice >> np.uint64(63), denormals, np.uint64(0))

    def _pairs(self, hashes: Array, base: str, bit_size: int, of: Array) -> _Layer | None:
        """Return one of the two special values of the draw, for three places of four in the paired draws."""
        floats = _special_floats(bit_size)
        numbers = _own_numbers(base, floats) if floats else _INTEGER_BITS
        mask = (1 << bit_size) - 1
        pairs = np.array(list(combinations_with_replacement([bits & mask for bits in numbers], 2)), np.uint64)
        choice = scramble(hashes ^ np.uint64(0x9A125))
        chosen = self._flags["paired"][of] & ((choice & np.uint64(3)) != 0)
        second = (choice >> np.uint64(2) & np.uint64(1)).astype(np.int64)
        return chosen, pairs[of % len(pairs), second]

    def _lone_numbers(
        self, base: str, bit_size: int, of: Array, number: Array, place: Array
    ) -> _Layer | None:
        """Return special numbers and constants of one side, at about one place a draw or unit (`number`)."""
        numbers = _own_numbers(base, _special_floats(bit_size))
        mask = (1 << bit_size) - 1
        own = np.array([bits & mask for bits in numbers], np.uint64)
        values = np.concatenate([own, self.constants.of_one_side.get(bit_size, _NO_NUMBERS)])
        if not len(values):
            return None
        places = np.uint64(self._places)
        turn = number.astype(np.uint64) + self._rank(place)
        chosen = self._flags["lone"][of] & (turn % places == 0)
        return chosen, values[((turn // places) % np.uint64(len(values))).astype(np.int64)]

    def _rank(self, places: Array) -> Array:
        """Number places in the order in which they are first read, so that few share a turn."""
        found, where = np.unique(places, return_inverse=True)
        ranks = [self._ranks.setdefault(int(place), len(self._ranks)) for place in found]
        numbers: Array = np.array(ranks, np.uint64)[where].reshape(places.shape)
        return numbers

    def texture_content(self, texture: Array, usual: Array) -> tuple[Array, Array] | None:
        """See `Environment.texture_content`; constants are in few of the draws that look for them."""
        if self.draw is None or not any(
            self._flags[name].any() for name in ("lone", "seeks", "sparse", "paired")
        ):
            return None
        of = self.draw
        hashes = scramble(texture) ^ (of.astype(np.uint64) + np.uint64(self.seed))
        wanted: Array = np.zeros(hashes.shape, np.bool_)
        bits: Array = np.zeros(hashes.shape, np.uint32)
        for layer in (
            self._lone_numbers("float", 32, of, of, texture),
            self._small_floats(hashes, 32, of),
            self._pairs(hashes, "float", 32, of),
            self._sought_constants(hashes, 32, of),
            self._pinned_bits(hashes, 32),
        ):
            if layer is not None:
                wanted, bits = wanted | layer[0], _with(bits, layer)
        numbers = bits.view(np.float32).astype(np.float64)
        if self.answers is not None:
            seen = np.where(wanted, numbers, usual).astype(np.float32)
            self.answers.append((hashes, seen.view(np.uint32), of))
        return wanted, numbers

    def _pinned_bits(self, hashes: Array, bit_size: int) -> _Layer | None:
        """Return the bits of pinned places."""
        if self._pinned is None:
            return None
        places, values = self._pinned
        at = np.minimum(np.searchsorted(places, hashes), len(places) - 1)
        return places[at] == hashes, values[at] & np.uint64((1 << bit_size) - 1)

    def texture_sharpness(self) -> Array | float:
        """See `Environment.texture_sharpness`."""
        if self.draw is None or not self._flags["sharp"].any():
            return 1.0
        return np.where(self._flags["sharp"][self.draw], _SHARPNESS, 1.0)

    def _note_specials(self, place: object, base: str, bit_size: int, bits: Array) -> None:
        """Record which special values a place has had."""
        if base not in ("float", "mixed") or bit_size not in _SPECIAL_BITS:
            return
        had = self.specials_met.get(place, 0)
        for number, special in enumerate(_SPECIAL_BITS[bit_size]):
            if not had >> number & 1 and (bits == special).any():
                had |= 1 << number
        self.specials_met[place] = had

    def _generate_words(
        self, space: str, buffer: Array, number: Array, draw: Array, base: str, bit_size: int
    ) -> Array:
        self._items = items = lane_hash(name_hash(space), buffer, number)
        words = Environment._generate_words(self, space, buffer, number, draw, base, bit_size)
        self._items = None
        if bit_size == 32 and base in ("float", "mixed"):
            had = np.zeros(len(words), np.int64)
            for position, special in enumerate(_SPECIAL_BITS[32]):
                had |= (words == special).astype(np.int64) << position
            lanes = GroupedLanes(items, np.arange(len(items)))
            first, met = lanes.lanes[lanes.starts], lanes.combine(np.bitwise_or, had[lanes.lanes])
            columns = (buffer[first].tolist(), number[first].tolist(), met.tolist())
            for *place, bits in zip(*columns, strict=True):
                key = (space, *place)
                self.specials_met[key] = self.specials_met.get(key, 0) | bits
        return words

    def uniform(self, spaces: Sequence[object], numbers: Sequence[int], base: str, bit_size: int) -> Array:
        """See `Environment.uniform`."""
        is_new = (*spaces, *numbers, base, bit_size) not in self._uniforms
        self._items = _items(spaces, numbers) if is_new else None
        rows = Environment.uniform(self, spaces, numbers, base, bit_size)
        self._items = None
        if is_new:
            for space, row in zip(spaces, rows, strict=True):
                self._note_specials((space, *numbers), base, bit_size, row)
        return rows

    def uniform_at(
        self, spaces: Sequence[object], indices: Sequence[Array | int], base: str, bit_size: int
    ) -> Array:
        """See `Environment.uniform_at`."""
        self._items = _items(spaces, indices)
        rows = Environment.uniform_at(self, spaces, indices, base, bit_size)
        self._items = None
        return rows


def _own_numbers(base: str, floats: tuple[int, ...]) -> tuple[int, ...]:
    """Return the bits of the special numbers of a type; a `mixed` place has those of both."""
    match base:
        case "float":
            return floats
        case "mixed":
            return *floats, *(bits for bits in _INTEGER_BITS if bits not in floats)
    return _INTEGER_BITS


def _with(bits: Array, layer: _Layer | None) -> Array:
    """Return the bits with those of a layer where it applies."""
    if layer is None:
        return bits
    result: Array = np.where(layer[0], layer[1].astype(bits.dtype), bits)
    return result


def _special_floats(bit_size: int) -> tuple[int, ...]:
    return (*_SPECIAL_BITS.get(bit_size, ()), *_ORDINARY_BITS.get(bit_size, ()))


_NO_NUMBERS = np.zeros(0, np.uint64)


def _items(spaces: Sequence[object], indices: Sequence[Array | int]) -> Array:
    """Return a hash per uniform that is the same in every draw and for every seed."""
    starts = np.array([name_hash(space) for space in spaces], np.uint64)
    return lane_hash(starts[:, None], *indices)


def environment_of_run(
    number: int, seed: int, constants: Constants, specials_met: dict[object, int]
) -> RandomEnvironment:
    """Return the inputs of run `number`, counted from 0."""
    return RandomEnvironment(
        seed + number,
        state=STATES[number % len(STATES)],
        specials_met=specials_met,
        kinds=USUAL if number < 2 else FURTHER,
        constants=constants,
        turn=number,
    )


def lone_environment(
    seed: int, constants: Constants, specials_met: dict[object, int], most_draws: int
) -> RandomEnvironment:
    """Return inputs in which the special numbers come one at a time, so that no other hides their effect.

    There are enough draws for every place to have every number, at most `most_draws`, and as many again in
    which the other floats are gentle, so that none of them makes a NaN. In some more draws, most floats are
    zero or denormal, or two special values, and in others no rounding of interpolation excuses a difference.
    Operations on integers that depend on all bits get draws of their own.
    """
    most_constants = max((len(numbers) for numbers in constants.of_one_side.values()), default=0)
    numbers = len(_SPECIAL_BITS[32]) + len(_ORDINARY_BITS[32]) + most_constants
    draws = max(2, min(max(_LEAST_PLACES, len(specials_met)) * numbers, most_draws))
    more = max(2, min(_MOST_MORE, most_draws // 4))
    half = more // 2
    floats = len(_special_floats(32))
    pairs = max(2, min(_DRAWS_OF_A_PAIR * floats * (floats + 1) // 2, most_draws // 4))
    wide = min(_WIDE_DRAWS, most_draws) if constants.wide else 0
    kinds = (
        *(_LONE,) * draws,
        *(_LONE_AMONG_GENTLE,) * draws,
        *(_SPARSE,) * more,
        *(_PAIRED,) * pairs,
        *(_EXACT,) * half,
        *(_SHARP,) * (more - half),
        *(_WIDE,) * wide,
    )
    return RandomEnvironment(seed, specials_met=specials_met, kinds=kinds, constants=constants)
