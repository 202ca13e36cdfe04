"""Value numbers of two functions at once.

Two values have the same number if they have the same key: the same operation on values with the same numbers.
Numbering runs in rounds up to a fixed point, because a phi at the head of a loop reads values of the round
before.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from nirls.ir.model.values import Def, Src

Number = int
Owner = Hashable
"""What a number was made for: a def, or what identifies a value that has none."""


class UnprovedError(Exception):
    """No proof is found."""


class Values:
    """The numbers of the current round; each def has one number for each component."""

    def __init__(self) -> None:
        self._ids: dict[tuple[Owner, int], Number] = {}
        self._last: dict[Def, tuple[Number, ...]] = {}
        self.start_round()

    def start_round(self) -> None:
        """Forget the keys, but not the numbers that defs had."""
        self.now: dict[Def, tuple[Number, ...]] = {}
        self.table: dict[Hashable, Number] = {}
        self._taken: set[Number] = set()
        self.constants: dict[Number, tuple[int, int]] = {}
        """The bits and the bit size of constants."""
        self.undefined: set[Number] = set()
        """Numbers of values computed of undefined ones, which may differ at each use."""
        self.words: tuple[dict[Number, frozenset[str]], ...] = ({}, {})
        """Float optimization limits: all of those before, those in common after."""
        self.has_open_phis = False
        self.reads_last_round = False

    def is_stable(self) -> bool:
        """Whether all defs have the numbers of the round before."""
        return self.now == self._last

    def end_round(self) -> None:
        """Keep the numbers for the phis of the next round."""
        self._last = self.now

    def read(self, src: Src) -> tuple[Number, ...]:
        """Return the numbers of a source. Raises `UnprovedError` if it has none: a register, a later def."""
        numbers = None if src.def_ is None else self.now.get(src.def_)
        if numbers is None:
            raise UnprovedError
        return numbers

    def read_at_head(self, value: Def) -> tuple[Number, ...] | None:
        """Return the numbers of a source of a phi, those of the last round if it was not visited yet."""
        numbers = self.now.get(value)
        if numbers is None:
            self.reads_last_round, numbers = True, self._last.get(value)
        return numbers

    def number(self, owner: Owner, row: int, key: Hashable) -> Number:
        """Return the number of a key. A new key gets the number that the component had in earlier rounds.

        A component that has a key in this round already gets another number for the new one.
        """
        number = self.table.get(key)
        if number is None:
            number = self._ids.setdefault((owner, row), len(self._ids))
            if number in self._taken:
                number = self._ids.setdefault(((owner, key), row), len(self._ids))
            self._taken.add(number)
            self.table[key] = number
        return number

    def rows(self, owner: Owner, keys: Sequence[Hashable]) -> tuple[Number, ...]:
        """Return the numbers of all components of a value."""
        return tuple(self.number(owner, row, key) for row, key in enumerate(keys))

    def constant(self, owner: Owner, row: int, bits: int, bit_size: int) -> Number:
        """Return the number of a constant."""
        number = self.number(owner, row, ("constant", bit_size, bits))
        self.constants[number] = (bits, bit_size)
        return number

    def limit(self, number: Number, words: frozenset[str], side: int) -> None:
        """Add the float optimization limits of an operation to those of its number."""
        if side or words:
            known = self.words[side].get(number, words)
            self.words[side][number] = known & words if side else known | words

    def undefined_value(self, owner: Owner, row: int, bit_size: int) -> Number:
        """Return the number of undefined components of a size; each use of one may be anything."""
        number = self.number(owner, row, undefined_key(bit_size))
        self.undefined.add(number)
        return number

    def undefined_numbers(self) -> set[Number]:
        """Return the numbers of undefined components of all sizes."""
        keys = (undefined_key(size) for size in (1, 8, 16, 32, 64))
        return {self.table[key] for key in keys if key in self.table}

    def joined(
        self,
        arriving: Mapping[int, Sequence[Number] | None],
        pair: int,
        bit_sizes: Sequence[int],
        owners: Sequence[tuple[Owner, int]],
    ) -> list[Number]:
        """Return the numbers that a phi at the start of a chain gives to what arrives from other chains.

        `arriving` is None for a chain that was never visited. `owners` identify the results.
        """
        preds = tuple(sorted(arriving))
        sides = [arriving[pred] for pred in preds]
        known = [side for side in sides if side is not None]
        if not known:
            raise UnprovedError
        self.has_open_phis |= len(known) < len(sides)
        numbers = []
        for row, (bit_size, owner) in enumerate(zip(bit_sizes, owners, strict=True)):
            first = known[0][row]
            if all(other[row] == first for other in known):
                numbers.append(first)
                continue
            reads = tuple(None if side is None else side[row] for side in sides)
            numbers.append(self.number(*owner, ("phi", pair, bit_size, preds, reads)))
            self.taint(numbers[-1:], [number for number in reads if number is not None])
        return numbers

    def taint(self, numbers: Sequence[Number], reads: Sequence[Number]) -> None:
        """Mark values as undefined if a value that they are computed of is."""
        if self.undefined and not self.undefined.isdisjoint(reads):
            self.undefined.update(numbers)

    def taint_by(self, numbers: Sequence[Number], sources: Sequence[Src]) -> None:
        """Mark the results of an instruction as undefined if one of its sources is."""
        if self.undefined:
            for src in sources:
                self.taint(numbers, self.now.get(src.def_, ()) if src.def_ is not None else ())


def undefined_key(bit_size: int) -> Hashable:
    """Return the key of undefined components."""
    return ("undefined", bit_size)
