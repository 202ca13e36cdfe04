"""What the most common passes of Mesa can do to a shader, and the signs of a step that a log does not print.

A snapshot that goes beyond what the pass named in front of it can do was also changed by a step that the
driver runs without printing: linking, a lowering of its own. A faulty pass makes one instruction wrong; it
does not make operations of which it knows nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from typing import NamedTuple


class OperationKind(StrEnum):
    """Kinds of operations that passes can or cannot make."""

    CONSTANT = "constants"
    MOVE = "moves"
    ALU = "ALU instructions"
    PHI = "phis"
    DEREF = "derefs"
    COPY = "accesses of variables"
    REGISTER = "registers"
    TEXTURE = "texture instructions"
    DISCARD = "discards"
    INTRINSIC = "intrinsics"
    OTHER = "calls and jumps"


class Operation(NamedTuple):
    """An operation, with the slot that it accesses ("" for none)."""

    kind: OperationKind
    name: str
    slot: str = ""

    def __str__(self) -> str:
        return f"{self.name} of {self.slot}" if self.slot else self.name


@dataclass(frozen=True, slots=True)
class Operations:
    """The operations of a snapshot: how many there are of each, and that of each value, by its name."""

    counts: Counter[Operation]
    by_value: Mapping[bytes, Operation]


@dataclass(frozen=True, slots=True)
class PassAbility:
    """What passes with these names (shell patterns) do: `adds` are the kinds of operations that they make.

    `removes` and `changes` are the rest of their effect, in words.
    """

    passes: tuple[str, ...]
    adds: frozenset[OperationKind]
    removes: str
    changes: str


def _row(passes: str, adds: str, removes: str, changes: str) -> PassAbility:
    kinds = frozenset(OperationKind[word.upper()] for word in adds.split())
    return PassAbility(tuple(passes.split()), kinds, removes, changes)


ABILITIES: tuple[PassAbility, ...] = (
    _row("nir_opt_dce", "", "what nothing uses", "nothing"),
    _row("nir_opt_cse", "", "what is computed twice", "who reads the value"),
    _row("nir_copy_prop nir_opt_copy_prop", "move", "moves", "who reads the value"),
    _row("nir_remove_dead_variables", "", "declarations and stores that nothing reads", "nothing"),
    _row("nir_opt_dead_cf", "deref phi move constant", "code that never runs", "phis behind it"),
    _row("nir_opt_remove_phis", "alu move constant", "phis with one source", "who reads the value"),
    _row("nir_opt_undef", "move constant", "stores of undefined values", "undefined sources"),
    _row("nir_opt_dead_write_vars nir_opt_combine_stores", "move copy deref", "stores", "masks of stores"),
    _row("nir_opt_shrink_vectors nir_opt_shrink_stores", "alu move constant", "components", "swizzles"),
    _row("nir_opt_move nir_opt_sink nir_schedule nir_opt_gcm", "constant", "nothing", "the order"),
    _row("nir_lower_global_vars_to_local", "", "declarations", "the mode of variables"),
    _row(
        "nir_opt_constant_folding", "discard move constant", "operations on constants", "who reads the value"
    ),
    _row("nir_lower_load_const_to_scalar", "move constant", "constants", "constants are split"),
    _row("nir_lower_phis_to_scalar", "move phi constant", "phis", "phis are split"),
    _row("nir_lower_alu_to_scalar nir_lower_alu_width", "alu move constant", "vectors", "ALU is split"),
    _row("nir_opt_algebraic* nir_lower_flrp nir_opt_idiv_const", "alu move constant", "ALU", "ALU"),
    _row(
        "nir_opt_peephole_select", "alu move constant discard", "ifs and phis", "instructions leave branches"
    ),
    _row(
        "nir_lower_vars_to_ssa",
        "alu phi copy deref move constant",
        "accesses of variables",
        "who reads the value",
    ),
    _row("nir_opt_copy_prop_vars", "copy deref move constant", "loads of variables", "who reads the value"),
    _row("nir_split_var_copies nir_lower_var_copies", "copy deref constant", "copies", "copies are split"),
    _row("nir_opt_deref", "alu deref move constant", "derefs", "derefs"),
)
"""The most common passes; what no row names can do anything."""

_FEW = 2
_KEPT = 0.95
"""Least fraction of the values of two snapshots with the same operation, if they keep their numbers."""


def ability_of(pass_name: str) -> PassAbility | None:
    """Return the row of a pass; None if there is none."""
    return next((row for row in ABILITIES if any(fnmatchcase(pass_name, name) for name in row.passes)), None)


def beyond_ability(pass_name: str, before: Operations, after: Operations) -> tuple[str, ...]:
    """Return the operations of the second snapshot that the pass cannot have made, as text.

    A single one may be a fault of the pass where the first snapshot has such an operation too, unless it is a
    constant with a fresh number: linking puts one in place of an input.
    """
    row = ability_of(pass_name)
    if row is None:
        return ()
    made = _operations_of_new_values(before, after)
    added = (after.counts - before.counts) | Counter(made.values())
    foreign = {operation: count for operation, count in added.items() if operation.kind not in row.adds}
    names = {operation.name for operation in before.counts}
    last = max(map(_number, before.by_value), default=0)
    is_clear = (
        sum(foreign.values()) >= _FEW
        or any(
            operation in foreign and operation.kind is OperationKind.CONSTANT
            for value, operation in made.items()
            if _number(value) > last
        )
        or any(
            operation.kind is OperationKind.INTRINSIC and operation.name not in names for operation in foreign
        )
    )
    return tuple(sorted(map(str, foreign))) if is_clear else ()


def _operations_of_new_values(before: Operations, after: Operations) -> dict[bytes, Operation]:
    """Return the operations of the values that the first snapshot does not have.

    Values keep their numbers in most logs; a pass that numbers them anew gives other operations to many, and
    then no value is known to be new.
    """
    same = sum(before.by_value.get(value) == operation for value, operation in after.by_value.items())
    if same < _KEPT * len(before.by_value.keys() & after.by_value.keys()):
        return {}
    return {value: operation for value, operation in after.by_value.items() if value not in before.by_value}


def _number(value: bytes) -> int:
    digits = value.removeprefix(b"ssa_").lstrip(b"%")
    return int(digits) if digits.isdigit() else 0
