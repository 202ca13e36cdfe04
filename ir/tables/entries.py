"""Table entries of ALU opcodes and intrinsics."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

ANY_COMPONENTS = -1
"""A source or destination that may have any number of components (Mesa: -1 in nir_intrinsics.py)."""

FREE_COMPONENTS = 0
"""A source or destination as wide as the instruction (Mesa: 0, `nir_intrinsic_instr::num_components`)."""


BASE_TYPES = frozenset(("float", "int", "uint", "bool"))


@lru_cache(256)
def split_type(type_name: str) -> tuple[str, int]:
    """Split a type name: `"uint32"` -> `("uint", 32)`; an unsized type has size 0."""
    base = type_name.rstrip("0123456789")
    return base, int(type_name[len(base) :] or 0)


def base_type(type_name: object) -> str:
    """Return the part of `float32` before its size; "" for `invalid`, unknown names and other objects."""
    base = split_type(type_name)[0] if isinstance(type_name, str) else ""
    return base if base in BASE_TYPES else ""


@dataclass(frozen=True, slots=True)
class Opcode:
    """An ALU opcode (Mesa: `nir_op_info`).

    Sizes are component counts, 0 for inputs and outputs of the instruction's width. A type is a base type
    with an optional bit size (`float`, `uint32`, `bool1`); operands without one have the same bit size,
    unless the opcode is a conversion. `releases` are the Mesa releases with this form, oldest first. `older`
    is a differing older form.
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
        """The number of sources."""
        return len(self.input_sizes)

    @property
    def is_commutative(self) -> bool:
        """Whether the first two sources commute (Mesa: `NIR_OP_IS_2SRC_COMMUTATIVE`)."""
        return "2src_commutative" in self.algebraic_properties

    @property
    def is_selection(self) -> bool:
        """Whether the first source selects the second or third (Mesa: `NIR_OP_IS_SELECTION`)."""
        return "selection" in self.algebraic_properties

    def form_of(self, release: str) -> Opcode:
        """Return the form of a release; this form if the release has none."""
        return next((form for form in self.forms() if release in form.releases), self)

    def forms(self) -> tuple[Opcode, ...]:
        """Return this form and all older ones, newest first."""
        opcodes: list[Opcode] = []
        form: Opcode | None = self
        while form is not None:
            opcodes.append(form)
            form = form.older
        return tuple(opcodes)


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """An intrinsic (Mesa: `nir_intrinsic_info`).

    `src_components` and `dest_components` are component counts; `FREE_COMPONENTS` (0) is the instruction's
    width, `ANY_COMPONENTS` (-1) any. `dest_components` is valid only with `has_dest`. `bit_sizes` are the
    allowed destination sizes, empty for any; `bit_size_src` is the source with the destination's bit size.
    `indices` are the constant indices in printed order, `flags` a subset of `CAN_ELIMINATE`, `CAN_REORDER`,
    `SUBGROUP` and `QUADGROUP`. `src_names` has "" for a source without a name. `releases` and `older` as for
    `Opcode`.
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
        """Whether it may be removed if its result is unused."""
        return "CAN_ELIMINATE" in self.flags

    @property
    def can_reorder(self) -> bool:
        """Whether it may be moved across other instructions and executed any number of times."""
        return "CAN_REORDER" in self.flags

    def form_of(self, release: str) -> Intrinsic:
        """Return the form of a release; this form if the release has none."""
        return next((form for form in self.forms() if release in form.releases), self)

    def forms(self) -> tuple[Intrinsic, ...]:
        """Return this form and all older ones, newest first."""
        intrinsics: list[Intrinsic] = []
        form: Intrinsic | None = self
        while form is not None:
            intrinsics.append(form)
            form = form.older
        return tuple(intrinsics)
