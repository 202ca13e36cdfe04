"""Memory as words of 32 bits: loads and stores of numbers of 8 to 64 bits at byte addresses."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nirls.verification.evaluate.state.state import State
from nirls.verification.evaluate.storage.memory import ALL_BYTES, Place, StoredByte
from nirls.verification.evaluate.values.arrays import Array, container_type
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.value import Value, either, uncertain_bits

_WORD = np.int64(2)
_ADDRESSES = np.int64((1 << 32) - 1)


class Spot:
    """Location of an access: the place, the number of its buffer, group or lane, the byte address.

    `marks` are those of the sources that the location is computed from. If the address `wraps`, it has 32
    bits, also behind the first component.
    """

    __slots__ = ("address", "buffer", "marks", "place", "wraps")

    def __init__(
        self, place: Place, buffer: Array, address: Array, sources: list[Value], *, wraps: bool = False
    ) -> None:
        self.place = place
        self.buffer = buffer
        self.address = address
        self.marks = Marks.of(*sources)
        self.wraps = wraps

    def at(self, offset: int) -> Array:
        """Return the byte address at an offset from the location."""
        address = self.address + offset
        return address & _ADDRESSES if self.wraps else address


SpotOf = Callable[[State], Spot]


def unsigned(value: Value) -> Array:
    """Return a scalar as an unsigned address, one per lane."""
    return value.bits[0].astype(np.uint64).view(np.int64)


def untouched_words(state: State, spot: Spot, words: Array, base: str, bit_size: int) -> Value:
    """Return the initial 32-bit words of memory: generated, or undefined (`Memory.starts_undefined`)."""
    space = spot.place[0]
    if state.memory.starts_undefined(space, state.launch.stage):
        bits = np.zeros((1, state.lanes), np.uint32)
        return Value(bits, 32, np.ones((1, state.lanes), np.bool_))
    environment = state.environment
    buffer = np.broadcast_to(spot.buffer, words.shape)
    if (words == words[0]).all() and (buffer == buffer[0]).all():
        word = environment.word(str(space), int(buffer[0]), int(words[0]), base, bit_size)
        return Value(environment.on_lanes(word[None], state.lanes), 32)
    key = ("words", space, buffer.tobytes(), words.tobytes(), base, bit_size, state.masks.active.tobytes())
    value = environment.results.get(key)
    if value is not None:
        return value
    lanes = np.nonzero(state.masks.active)[0]
    result = np.zeros((1, state.lanes), np.uint32)
    result[0, lanes] = environment.words_at(str(space), buffer[lanes], words[lanes], lanes, base, bit_size)
    return environment.results.keep(key, Value(result, 32))


def prepare_words(state: State, spot: Spot, base: str, bit_size: int, width: int) -> None:
    """Generate all words of a vector in one batch if the address is uniform."""
    if bit_size not in (32, 64) or state.memory.starts_undefined(spot.place[0], state.launch.stage):
        return
    address = spot.address
    if (address == address[0]).all() and (spot.buffer == spot.buffer[0]).all():
        first, buffer = int(address[0]) >> 2, int(spot.buffer[0])
        words = range(first, first + width * (bit_size // 32))
        state.environment.make_words(str(spot.place[0]), ((buffer, word) for word in words), base, bit_size)


def load_words(
    state: State, spot: Spot, words: Array, base: str, bit_size: int, wanted: Array | None = None
) -> Value:
    """Load 32-bit words of memory, or the bytes of them in the masks `wanted`."""
    untouched = untouched_words(state, spot, words, base, bit_size)
    if state.memory.is_untouched(spot.place):
        return untouched
    return state.memory.load(spot.place, [spot.buffer, words], untouched, state.masks.active, wanted)


def load_component(state: State, spot: Spot, address: Array, base: str, bit_size: int) -> Value:
    """Load a number of 8 to 64 bits at a byte address."""
    words = address >> _WORD
    if bit_size == 1:
        value = load_words(state, spot, words, "bool", 32)
        return Value((value.bits != 0).astype(np.uint8), 1, value.poison, None, value.fragile)
    misaligned = address & 3
    if bit_size == 32 and not misaligned.any():
        return load_words(state, spot, words, base, 32)
    wanted = ((1 << bit_size // 8) - 1) << misaligned
    low = load_words(state, spot, words, base, bit_size, wanted & ALL_BYTES)
    bits = low.bits[0].astype(np.uint64)
    poison, fragile = low.poison, _worried(low)
    if bit_size > 8:
        high = load_words(state, spot, words + 1, base, bit_size, wanted >> 4 & ALL_BYTES)
        bits = bits | high.bits[0].astype(np.uint64) << np.uint64(32)
        if bit_size == 64 or (misaligned * 8 + bit_size > 32).any():
            poison, fragile = either(poison, high.poison), either(fragile, _worried(high))
    bits = bits >> (misaligned * 8).astype(np.uint64)
    if bit_size == 64 and misaligned.any():
        third = load_words(state, spot, words + 2, base, bit_size, wanted >> 8)
        shift = np.where(misaligned > 0, 64 - misaligned * 8, 0).astype(np.uint64)
        top = np.where(misaligned > 0, third.bits[0].astype(np.uint64) << shift, np.uint64(0))
        bits = bits | top
        poison = either(poison, third.poison)
    mask = np.uint64((1 << bit_size) - 1)
    return Value((bits & mask).astype(container_type(bit_size))[None], bit_size, poison, None, fragile)


def _worried(word: Value) -> Array | None:
    """Return fragile marks for a part of a word: any rounding error makes it fragile."""
    return either(word.fragile, uncertain_bits(word))


def store_component(state: State, spot: Spot, address: Array, value: Value, active: Array) -> None:
    """Store one number of 8 to 64 bits at a byte address."""
    words, misaligned = address >> _WORD, address & 3
    bit_size = 8 if value.bit_size == 1 else value.bit_size
    if bit_size == 32 and not misaligned[active].any():
        state.memory.store(spot.place, [spot.buffer, words], value, active)
        return
    if bit_size == 64 and not misaligned[active].any():
        whole = value.bits[0]
        fragile = _worried(value)
        for part, shift in ((0, 0), (1, 32)):
            half = (whole >> np.uint64(shift)) & np.uint64(0xFFFFFFFF)
            word = Value(half.astype(np.uint32)[None], 32, value.poison, None, fragile)
            state.memory.store(spot.place, [spot.buffer, words + part], word, active)
        return
    fragile, nowhere = _worried(value), np.zeros(state.lanes, np.bool_)
    poisoned, shaky = (nowhere if marks is None else marks[0] for marks in (value.poison, fragile))
    for number in range(bit_size // 8):
        at = address + number
        words = at >> _WORD
        byte = (value.bits[0].astype(np.uint64) >> np.uint64(8 * number)).astype(np.uint8)
        state.memory.store_byte(
            spot.place,
            [spot.buffer, words],
            untouched_words(state, spot, words, "uint", bit_size),
            StoredByte(at & 3, byte, poisoned, shaky),
            active,
        )
