"""Table entries: one for each ALU opcode and each intrinsic of Mesa."""

from __future__ import annotations

from dataclasses import dataclass

ANY_COMPONENTS = -1
"""A source or destination that may have any number of components (Mesa: -1 in nir_intrinsics.py)."""

FREE_COMPONENTS = 0
"""A source or destination as wide as the instruction (Mesa: 0, `nir_intrinsic_instr::num_components`)."""


@dataclass(frozen=True, slots=True)
class Opcode:
    """An ALU opcode (Mesa: `nir_op_info`).

    A size is a number of components, 0 for an input or output that is as wide as the instruction. A type
    is a base type with an optional bit size (`float`, `uint32`, `bool1`); the types without one all take
    the same bit size in one instruction, unless the opcode is a conversion. `releases` are the Mesa
    releases whose table has the opcode in this form, oldest first; a year (`2016`) stands for the era
    before the oldest release that is known whole. `older` is the form of an older release that differs.
    """

    name: str
    input_sizes: tuple[int, ...]
    input_types: tuple[str, ...]
    output_size: int
    output_type: str
    algebraic_properties: frozenset[str] = frozenset()
    is_conversion: bool = False
    releases: tuple[str, ...] = ()
    older: Opcode | None = None

    @property
    def num_inputs(self) -> int:
        """How many sources the opcode has."""
        return len(self.input_sizes)

    @property
    def is_commutative(self) -> bool:
        """Whether the first two sources may be exchanged (Mesa: `NIR_OP_IS_2SRC_COMMUTATIVE`)."""
        return "2src_commutative" in self.algebraic_properties

    @property
    def is_associative(self) -> bool:
        """Whether a chain of it may be regrouped; for floats only where the result is inexact."""
        return not self.algebraic_properties.isdisjoint(("associative", "inexact_associative"))

    @property
    def is_selection(self) -> bool:
        """Whether it picks the second or third source by the first (Mesa: `NIR_OP_IS_SELECTION`)."""
        return "selection" in self.algebraic_properties

    def forms(self) -> tuple[Opcode, ...]:
        """This form and all older ones, newest first."""
        found: list[Opcode] = []
        form: Opcode | None = self
        while form is not None:
            found.append(form)
            form = form.older
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """An intrinsic (Mesa: `nir_intrinsic_info`).

    `src_components` and `dest_components` count components; `FREE_COMPONENTS` (0) means as wide as the
    instruction, `ANY_COMPONENTS` (-1) any width. `dest_components` means nothing without `has_dest`.
    `bit_sizes` are the sizes that the destination may have, empty for any; `bit_size_src` is the source whose
    bit size it has. `indices` are the constant indices in the order of their printing, `flags` a subset of
    `CAN_ELIMINATE`, `CAN_REORDER`, `SUBGROUP` and `QUADGROUP`. `src_names` has "" for a source without a
    name. `releases` and `older` as for `Opcode`.
    """

    name: str
    src_components: tuple[int, ...]
    has_dest: bool
    dest_components: int
    bit_sizes: tuple[int, ...] = ()
    indices: tuple[str, ...] = ()
    flags: frozenset[str] = frozenset()
    is_sysval: bool = False
    src_names: tuple[str, ...] = ()
    bit_size_src: int | None = None
    releases: tuple[str, ...] = ()
    older: Intrinsic | None = None

    @property
    def can_eliminate(self) -> bool:
        """Whether it may be deleted when nothing reads its result."""
        return "CAN_ELIMINATE" in self.flags

    @property
    def can_reorder(self) -> bool:
        """Whether it may be moved across other instructions, and be run any number of times."""
        return "CAN_REORDER" in self.flags

    @property
    def is_of_whole_release(self) -> bool:
        """Whether a release has this form whose table is known as a whole, not only by era."""
        return any("." in release for release in self.releases)

    def forms(self) -> tuple[Intrinsic, ...]:
        """This form and all older ones, newest first."""
        found: list[Intrinsic] = []
        form: Intrinsic | None = self
        while form is not None:
            found.append(form)
            form = form.older
        return tuple(found)
