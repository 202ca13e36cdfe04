"""The compiled form of a function body: its entries, and the initial values of its defs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from nirls.ir.model.instructions import LoadConstInstr
from nirls.ir.model.values import Def
from nirls.verification.evaluate.values.value import (
    Override,
    Value,
    certain,
    constant,
    overridden,
    undefined_value,
)

Overrides = Mapping[Def, Sequence[Override]]
"""Components of values that are set, whatever their instructions compute."""


Entry = Callable[[Any, int], int]
"""One entry of a program (`ProgramEntry`): takes the state and its own position, returns the next one."""


class Program:
    """The compiled form of one function body, valid until the body is modified."""

    __slots__ = ("_template", "code", "defs")

    def __init__(self, code: Sequence[Entry], defs: list[Def]) -> None:
        self.code = code
        self.defs = defs
        self._template: tuple[int, list[Value]] | None = None

    def fresh_values(
        self, lanes: int, overrides: Overrides | None = None, certain_defs: Collection[Def] = ()
    ) -> list[Value]:
        """Return the initial values: constants, and undefined for all other defs; see `RunOptions`."""
        if self._template is None or self._template[0] != lanes:
            undefined: dict[tuple[int, int], Value] = {}
            values: list[Value] = []
            for value in self.defs:
                instr = value.instr
                if isinstance(instr, LoadConstInstr):
                    values.append(constant(instr.values, value.bit_size, lanes))
                    continue
                shape = (max(value.num_components, 1), value.bit_size or 32)
                if shape not in undefined:
                    undefined[shape] = undefined_value(*shape, lanes)
                values.append(undefined[shape])
            self._template = (lanes, values)
        if not overrides and not certain_defs:
            return list(self._template[1])
        slots = list(enumerate(self.defs))
        own = {slot: overrides[value] for slot, value in slots if overrides and value in overrides}
        return _AdjustedValues(
            self._template[1], own, {slot for slot, value in slots if value in certain_defs}
        )


class _AdjustedValues(list[Value]):
    """Values of which some are overridden or made certain whenever they are assigned, by slot."""

    def __init__(
        self, values: list[Value], overrides: Mapping[int, Sequence[Override]], certain_slots: Collection[int]
    ) -> None:
        super().__init__(values)
        self._overrides = overrides
        self._certain = certain_slots

    def __setitem__(self, slot: Any, value: Any) -> None:
        value = overridden(value, self._overrides.get(slot, ()))
        super().__setitem__(slot, certain(value) if slot in self._certain else value)
