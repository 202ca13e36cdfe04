"""Deterministic, hash-based values for inputs, uniforms and initial memory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from nirls.verification.evaluate.alu.operation import float_type
from nirls.verification.evaluate.surroundings.hashing import fraction, lane_hash, name_hash, scramble
from nirls.verification.evaluate.surroundings.launch import Launch
from nirls.verification.evaluate.surroundings.operation_cache import OperationCache
from nirls.verification.evaluate.values.arrays import FLOAT_TYPES, Array, container_type

Base = str
"""Number type of a location: `float`, `int`, `uint`, `bool`, or `mixed` for floats and integers."""

_SPECIAL_FLOATS = np.array(
    [0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-40, -1e-42, 3e38, -3e38, 65504.0, 2.0**31, -(2.0**31)]
)
_SPECIAL_INTS = np.array(
    [0, 1, 2**32 - 1, 2**31, 2**31 - 1, 31, 32, 33, 2**16, 0x7F800000, 0xFFFF, 255, 2**32 - 2, 2**24],
    np.uint64,
)


@dataclass(frozen=True, slots=True)
class PipelineState:
    """API state outside of the shaders that affects fragment inputs.

    `flat_shade` makes colour inputs without an interpolation of their own flat; `two_side` selects back
    colours for back faces; `sprite_coords` is the set of texture coordinate numbers (bit n: TEXn) that
    points replace; `provoking_last` selects the last vertex as the source of flat inputs; `clamp_color`
    clamps the colours of vertices to the range from 0 to 1 (`glClampColor`).
    """

    flat_shade: bool = False
    two_side: bool = False
    sprite_coords: int = 0
    provoking_last: bool = False
    clamp_color: bool = False


@dataclass(slots=True)
class _Words:
    """The 32-bit words of a memory space that were read, each by its buffer and its number.

    `types` are fixed by the first readers. `rows` have a word for each draw. `fixed` are contents that are
    not generated, by buffer, number and draw.
    """

    types: dict[tuple[int, int], tuple[Base, int]] = field(default_factory=dict)
    rows: dict[tuple[int, int], Array] = field(default_factory=dict)
    fixed: dict[tuple[int, int, int], int] = field(default_factory=dict)


@dataclass(slots=True)
class Environment:
    """Deterministic source of inputs, uniforms and initial memory.

    Runs that are compared must share one environment object: the number type of a memory word (float or
    integer) is fixed by its first reader. `special` is the fraction of lanes on which
    per-lane inputs may be NaN, infinite, denormal, huge or extreme integers; `special_memory` allows the
    same for memory and uniforms. `subgroup_size` and `state` describe hardware and API state. With `draws`
    above 1, lanes belong to draws (see `Launch.draw`), and each draw has its own memory and uniforms.
    `results` are shared by all runs.
    """

    seed: int
    special: float = 0.25
    special_memory: bool = False
    subgroup_size: int = 32
    state: PipelineState = field(default_factory=PipelineState)
    draws: int = 1
    draw: Array | None = None
    results: OperationCache = field(default_factory=OperationCache)
    _words: defaultdict[str, _Words] = field(default_factory=lambda: defaultdict(_Words))
    _uniforms: dict[tuple[object, ...], Array] = field(default_factory=dict)
    _bases: dict[tuple[object, ...], tuple[Base, int]] = field(default_factory=dict)

    def settle(self, place: tuple[object, ...], base: Base, bit_size: int) -> tuple[Base, int]:
        """Return the number type and bit size of `place`, fixed by its first reader."""
        return self._bases.setdefault(place, (base, bit_size))

    def begin(self, draw: Array | None) -> None:
        """Set the draw of each lane for the following reads; None if all lanes are of one draw."""
        self.draw = draw

    def draws_of(self, lanes: Array) -> list[int]:
        """Return the draw of each of these lanes."""
        return [0] * len(lanes) if self.draw is None else self.draw[lanes].tolist()

    def on_lanes(self, rows: Array, lanes: int) -> Array:
        """Expand rows with one number per draw to all lanes."""
        if self.draw is None or self.draws == 1:
            return np.broadcast_to(rows, (len(rows), lanes))
        spread: Array = rows[:, self.draw]
        return spread

    def word(self, space: str, buffer: int, number: int, base: Base, bit_size: int) -> Array:
        """Return a 32-bit word of memory in each draw, of the number type fixed by its first reader."""
        rows = self._words[space].rows
        if (buffer, number) not in rows:
            self.make_words(space, [(buffer, number)], base, bit_size)
        return rows[buffer, number]

    def make_words(self, space: str, places: Iterable[tuple[int, int]], base: Base, bit_size: int) -> None:
        """Generate, in one batch, the words at these (buffer, word number) that were not read before."""
        rows = self._words[space].rows
        missing = [place for place in places if place not in rows]
        if not missing:
            return
        buffer, number = (np.repeat(column, self.draws) for column in np.array(missing, np.int64).T)
        draws = np.tile(self.each_draw, len(missing))
        made = self._words_of(space, buffer, number, draws, base, bit_size)
        rows.update(zip(missing, made.reshape(len(missing), self.draws), strict=True))

    def words_at(
        self, space: str, buffer: Array, number: Array, lanes: Array, base: Base, bit_size: int
    ) -> Array:
        """Return the same as `word` at places that differ between `lanes`: one for each, in its draw."""
        return self._words_of(space, buffer, number, np.array(self.draws_of(lanes), np.int64), base, bit_size)

    def _words_of(
        self, space: str, buffer: Array, number: Array, draws: Array, base: Base, bit_size: int
    ) -> Array:
        """Return words of the memory of these draws."""
        # Many lanes read few places, which their hashes tell apart.
        hashes = lane_hash(name_hash("words"), buffer, number)
        _, first, which = np.unique(hashes, return_index=True, return_inverse=True)
        places = list(zip(buffer[first].tolist(), number[first].tolist(), strict=True))
        types = self._types_of_words(space, places, base, bit_size)
        result = np.zeros(len(number), np.uint32)
        is_fixed = np.zeros(len(number), np.bool_)
        fixed = self._words[space].fixed
        if fixed:
            keys = zip(buffer.tolist(), number.tolist(), draws.tolist(), strict=True)
            contents = list(map(fixed.get, keys))
            is_fixed = np.array([content is not None for content in contents], np.bool_)
            result[is_fixed] = [content for content in contents if content is not None]
        for kind in set(types):
            chosen = ~is_fixed & np.array([one == kind for one in types])[which]
            if chosen.any():
                where = buffer[chosen], number[chosen], draws[chosen]
                result[chosen] = self._generate_words(space, *where, *kind)
        return result

    def _types_of_words(
        self, space: str, places: Sequence[tuple[int, int]], base: Base, bit_size: int
    ) -> list[tuple[Base, int]]:
        """Return the number type and bit size of each word, fixed by its first reader."""
        settle, kind = self._words[space].types.setdefault, (base, bit_size)
        return [settle(place, kind) for place in places]

    def _generate_words(
        self, space: str, buffer: Array, number: Array, draw: Array, base: Base, bit_size: int
    ) -> Array:
        parts = (buffer, number, draw) if self.draws > 1 else (buffer, number)
        hashes = lane_hash(name_hash(self.seed, ("words", space)), *parts)
        return self.words(hashes, number % 2 == 1, base, bit_size, draw)

    def uniform(self, spaces: Sequence[object], numbers: Sequence[int], base: Base, bit_size: int) -> Array:
        """Return the uniforms of these spaces: a row for each space, with a number for each draw."""
        key = (*spaces, *numbers, base, bit_size)
        found = self._uniforms.get(key)
        if found is None:
            starts = np.array([name_hash(self.seed, space) for space in spaces], np.uint64)
            hashes = lane_hash(starts[:, None], *numbers, *((self.each_draw,) if self.draws > 1 else ()))
            found = self.numbers(hashes, base, bit_size, memory=True, draw=self.each_draw)
            self._uniforms[key] = found
        return found

    def uniform_at(
        self, spaces: Sequence[object], indices: Sequence[Array | int], base: Base, bit_size: int
    ) -> Array:
        """Return the same as `uniform` at indices that differ between lanes, with a number for each lane."""
        return self.numbers(self.hashes_of(spaces, *indices), base, bit_size, memory=True)

    @property
    def each_draw(self) -> Array:
        """Return the numbers of all draws."""
        return np.arange(self.draws)

    def _own_draw(self) -> tuple[Array, ...]:
        return () if self.draw is None or self.draws == 1 else (self.draw,)

    def fix_words(self, words: Mapping[tuple[str, int, int], int]) -> None:
        """Fix 32-bit words of memory, by (space, buffer, word number), in all draws."""
        for (space, *place), word in words.items():
            table = [(*place, draw, word) for draw in range(self.draws)]
            self.fix_words_in_draws(space, np.array(table, np.int64).T)

    def fix_words_in_draws(self, space: str, words: Array) -> None:
        """Fix 32-bit words of memory in one draw each. The rows are buffers, words, draws, contents."""
        self.results = OperationCache()
        *places, contents = words.tolist()
        self._words[space].fixed.update(zip(zip(*places, strict=True), contents, strict=True))
        self._words[space].rows.clear()

    def input_hash(self, space: object, launch: Launch, slots: Array, vertex: Array | None) -> Array:
        """Hash an input of each lane's primitive."""
        parts = (slots, launch.primitive) if vertex is None else (slots, launch.primitive, vertex)
        return lane_hash(name_hash(self.seed, space), *parts)

    def hash_of(self, space: object, *parts: Array | int) -> Array:
        """Hash a named space and parts that may differ between lanes."""
        return lane_hash(name_hash(self.seed, space), *parts, *self._own_draw())

    def hashes_of(self, spaces: Sequence[object], *parts: Array | int) -> Array:
        """Compute `hash_of` for several spaces at once, a row for each."""
        starts = np.array([name_hash(self.seed, space) for space in spaces], np.uint64)
        return lane_hash(starts[:, None], *parts, *self._own_draw())

    def texture_content(self, texture: Array, usual: Array) -> tuple[Array, Array] | None:
        """Return the lanes that see a texture of one number everywhere, and the numbers; None for none.

        `texture` is a hash of the texture and the channel, `usual` what the lanes see otherwise.
        """
        return None

    def texture_sharpness(self) -> Array | float:
        """Return how much faster than usual textures change with their coordinates, on each lane."""
        return 1.0

    def has_specials(self, unit: Array) -> Array:
        """Return the lanes that may see special inputs: whole units of lanes that read the same inputs."""
        return fraction(lane_hash(name_hash(self.seed, "special lanes"), unit)) < self.special

    def numbers(
        self,
        hashes: Array,
        base: Base,
        bit_size: int,
        *,
        memory: bool = False,
        draw: Array | None = None,
        item: Array | None = None,
        unit: Array | None = None,
    ) -> Array:
        """Generate raw bits of the given number type, one for each hash; some are NaN, infinite or extreme.

        Floats are mostly moderate, often small integers or simple fractions, sometimes zero; integers
        are mostly small. The low bits of the hash select the class, the rest the number. The last axis has
        a hash for each lane, or one for each draw in `draw`. `memory` is set for uniforms and memory words.
        For shader inputs, `item` distinguishes inputs, and lanes with equal `unit` read the same ones.
        """
        special = self.special_memory if memory else False if unit is None else self.has_specials(unit)
        kind = (hashes & np.uint64(31)).astype(np.int64)
        more = scramble(hashes)
        if base == "float":
            bits = _floats(kind, more, bit_size)
        elif base == "bool":
            truth = (more >> np.uint64(20)) & np.uint64(1)
            bits = truth if bit_size == 1 else truth * np.uint64((1 << bit_size) - 1)
        elif base == "mixed" and bit_size in FLOAT_TYPES:
            bits = np.where(is_float(more), _floats(kind, more, bit_size), _integers(kind, more, "uint"))
        else:
            bits = _integers(kind, more, base)
        where = (more >> np.uint64(40)) % np.uint64(6) == 0
        where = where & special
        if where.any():
            pick = ((more >> np.uint64(44)) % np.uint64(len(_SPECIAL_INTS))).astype(np.int64)
            bits = np.where(where, _special(pick, base, bit_size), bits)
        if bit_size == 64 and base != "float":
            return bits.astype(np.uint64)
        return (bits & np.uint64((1 << bit_size) - 1)).astype(container_type(bit_size))

    def words(self, hashes: Array, odd: Array, base: Base, bit_size: int, draw: Array) -> Array:
        """Generate 32-bit memory words that are sensible numbers of the given type and size.

        `odd` marks words that are the upper halves of aligned 64-bit numbers; `draw` is as for `numbers`.
        """
        if bit_size == 64:
            whole = self.numbers(hashes, base, 64, memory=True, draw=draw)
            return np.where(odd, whole >> np.uint64(32), whole & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        if bit_size in (8, 16) and base != "bool":
            word = np.zeros(hashes.shape, np.uint32)
            for shift in range(0, 32, bit_size):
                hashed = scramble(hashes + np.uint64(shift))
                part = self.numbers(hashed, base, bit_size, memory=True, draw=draw)
                word |= part.astype(np.uint32) << np.uint32(shift)
            return word
        if base == "bool":
            return self.numbers(hashes, "uint", 32, draw=draw) & np.uint32(1)
        return self.numbers(hashes, base, 32, memory=True, draw=draw)


def _floats(kind: Array, more: Array, bit_size: int) -> Array:
    unit = fraction(more)
    small = ((more >> np.uint64(50)) % np.uint64(9)).astype(np.float64) - 4.0
    value = np.where(kind < 14, unit, unit * 4.0 - 2.0)
    value = np.where(kind >= 24, unit * 40.0 - 20.0, value)
    value = np.where(kind == 27, small, value)
    value = np.where(kind == 28, small * 0.25, value)
    value = np.where(kind == 29, 0.0, value)
    value = np.where(kind == 30, unit * 2000.0 - 1000.0, value)
    bits = np.ascontiguousarray(value.astype(float_type(bit_size))).view(container_type(bit_size))
    return bits.astype(np.uint64)


def is_float(more: Array) -> Array:
    """Return which of the numbers of a `mixed` place are floats, from their scrambled hashes."""
    floats: Array = (more >> np.uint64(35) & np.uint64(1)).astype(np.bool_)
    return floats


def _integers(kind: Array, more: Array, base: Base) -> Array:
    small = more % np.uint64(8)
    value = np.where(kind < 24, small, more % np.uint64(100))
    if base == "int":
        value = np.where(kind == 30, np.uint64(0) - small, value)
    return np.where(kind == 31, more >> np.uint64(7), value)


def _special(pick: Array, base: Base, bit_size: int) -> Array:
    if base == "float":
        with np.errstate(over="ignore"):
            values = _SPECIAL_FLOATS.astype(float_type(bit_size))
        return values.view(container_type(bit_size)).astype(np.uint64)[pick]
    return _SPECIAL_INTS[pick]
