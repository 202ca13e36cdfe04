"""Evaluation of single ALU instructions on many lanes at once.

Every value is a numpy array of raw bits, shape (components, lanes), of type uint8, uint16, uint32 or uint64;
1-bit values are bytes of 0 or 1, wider booleans are 0 or all ones. Semantics are those of the constant
expressions in Mesa's `src/compiler/nir/nir_opcodes.py`, of 22.3 and of 25.0 (where they differ, 25.0), for
the default float controls: round to nearest even, denormals kept.

Where such a C expression contradicts the documentation of the opcode, the documentation is followed:
- 64-bit `fexp2`, `flog2`, `fmod` and `frem` do not drop to float32 on the way;
- 16-bit `ffma` rounds once, and `fisnormal` tests the exponent field of the 16-bit format;
- `unpack_snorm_2x16` and `unpack_unorm_2x16` take the second component from the high half;
- `uadd_sat`, `iadd_sat`, `isub_sat` and `uadd_carry` saturate or carry at sizes below 32 bits too, and the
  `ufind_msb_rev` of every size counts from its own highest bit;
- `udot_4x8_uadd_sat` and `udot_2x16_uadd_sat` add an unsigned third source;
- `fmin_agx` and `fmax_agx` return the bits of the chosen float; `imadsh_mix16` does not truncate its product.

Opcode names of Mesa before 2020 are accepted too: `fne`, `imov`, names without the destination's size
(`b2f`, `f2i`), and comparisons and selections on 8-, 16- or 32-bit booleans under the unsuffixed name, as
they were printed before 1-bit booleans existed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nirls.ir.tables.entries import split_type
from nirls.verification.evaluate.alu import bitfields as alu_bitfield
from nirls.verification.evaluate.alu import comparisons as alu_comparison
from nirls.verification.evaluate.alu import conversions as alu_conversion
from nirls.verification.evaluate.alu import floats as alu_float
from nirls.verification.evaluate.alu import integers as alu_integer
from nirls.verification.evaluate.alu import packing as alu_packing
from nirls.verification.evaluate.alu import vectors as alu_vector
from nirls.verification.evaluate.alu import vendors as alu_vendor
from nirls.verification.evaluate.alu.operation import AluOperation, allowed_bit_sizes, decode, encode
from nirls.verification.evaluate.values.arrays import Array
from nirls.verification.evaluate.values.errors import Unsupported

_OPERATIONS: dict[str, AluOperation] = {
    operation.name: operation
    for module in (
        alu_bitfield,
        alu_comparison,
        alu_conversion,
        alu_float,
        alu_integer,
        alu_packing,
        alu_vector,
        alu_vendor,
    )
    for operation in module.OPERATIONS
}

_FORMER_NAMES: dict[str, str] = {
    "cube_face_coord": "cube_face_coord_amd",
    "cube_face_index": "cube_face_index_amd",
    "d2b": "f2b1",
    "d2f": "f2f32",
    "d2i": "f2i32",
    "d2u": "f2u32",
    "f2d": "f2f64",
    "f2f16_undef": "f2f16",
    "fclamp_pos_mali": "fclamp_pos",
    "fcos_r600": "fcos_amd",
    "fmov": "mov",
    "fne": "fneu",
    "fne8": "fneu8",
    "fne16": "fneu16",
    "fne32": "fneu32",
    "fsat_signed_mali": "fsat_signed",
    "fsin_r600": "fsin_amd",
    "i2d": "i2f64",
    "i2u32": "i2i32",
    "i2u64": "i2i64",
    "i642b": "i2b1",
    "i642d": "i2f64",
    "i642f": "i2f32",
    "imov": "mov",
    "u2d": "u2f64",
    "u2i32": "u2u32",
    "u2i64": "u2u64",
    "u642d": "u2f64",
    "u642f": "u2f32",
    "umax_4x8": "umax_4x8_vc4",
    "umin_4x8": "umin_4x8_vc4",
    "umul_unorm_4x8": "umul_unorm_4x8_vc4",
    "usadd_4x8": "usadd_4x8_vc4",
    "ussub_4x8": "ussub_4x8_vc4",
    **{f"fdot_replicated{size}": f"fdot{size}_replicated" for size in (2, 3, 4)},
}

# Printed without a size where the destination determines it.
_WITHOUT_SIZE = frozenset({"b2f", "b2i", "f2b", "f2i", "f2u", "i2b", "i2f", "u2f"})


@dataclass(frozen=True, slots=True)
class Plan:
    """The evaluation of one opcode for known bit sizes and a known number of components."""

    operation: AluOperation
    source_types: tuple[tuple[str, int], ...]
    dest_base: str
    dest_bit_size: int
    dest_components: int
    common_bit_size: int
    """The size of all operands with an unsized type (the `bit_size` of Mesa's expressions)."""
    selects: bool
    """Whether the first source selects the second or third."""

    def decoded(self, sources: Sequence[Array]) -> list[Array]:
        """Convert raw bits to the operand values of the opcode."""
        if self.operation.raw:
            return list(sources)
        return [decode(bits, *kind) for bits, kind in zip(sources, self.source_types, strict=True)]

    def compute(self, values: list[Array]) -> Array:
        """Compute the raw bits of the result from decoded sources."""
        if self.operation.wants_bit_size:
            result = self.operation.compute(*values, bit_size=self.common_bit_size)
        else:
            result = self.operation.compute(*values)
        bits = encode(result, self.dest_base, self.dest_bit_size)
        if len(bits) == self.dest_components:
            return bits
        return np.repeat(bits, self.dest_components, axis=0)


def is_supported(opcode: str) -> bool:
    """Return whether this opcode can be evaluated, under its present or a former name."""
    return opcode in _OPERATIONS or opcode in _FORMER_NAMES or opcode in _WITHOUT_SIZE


def supported_opcodes() -> frozenset[str]:
    """Return the names of all opcodes that can be evaluated, former names included."""
    return frozenset(_OPERATIONS) | frozenset(_FORMER_NAMES) | _WITHOUT_SIZE


def alu_operation(opcode: str, dest_bit_size: int = 32) -> AluOperation:
    """Return the description of an opcode: its types and sizes.

    `dest_bit_size` is only needed to resolve former names without a size (`b2f`). Raises `Unsupported`.
    """
    if opcode in _WITHOUT_SIZE:
        size = 1 if opcode.endswith("2b") else dest_bit_size
        opcode = f"{opcode}{size}"
    operation = _OPERATIONS.get(_FORMER_NAMES.get(opcode, opcode))
    if operation is None:
        raise Unsupported(f"the ALU opcode {opcode}")
    return operation


@lru_cache(4096)
def plan_of(opcode: str, dest_components: int, dest_bit_size: int, sizes: tuple[int, ...]) -> Plan:
    """Plan an opcode. Raises `Unsupported` for an unknown opcode or sizes that do not fit it."""
    operation = alu_operation(opcode, dest_bit_size)
    types = operation.input_types
    if len(sizes) != len(types):
        raise Unsupported(f"{opcode} with {len(sizes)} sources")
    if operation.output_size not in (0, dest_components):
        raise Unsupported(f"{opcode} with {dest_components} components")
    operands = [*zip(types, sizes, strict=True), (operation.output_type, dest_bit_size)]
    for type_name, size in operands:
        if size not in _accepted_sizes(type_name):
            raise Unsupported(f"{opcode} with a {type_name} of {size} bits")
    common = {size for type_name, size in operands if not split_type(type_name)[1]}
    if len(common) > 1:
        raise Unsupported(f"{opcode} with operands of {sorted(common)} bits")
    base = split_type(operation.output_type)[0]
    return Plan(
        operation,
        tuple((split_type(type_name)[0], size) for type_name, size in operands[:-1]),
        "uint" if operation.raw and base != "bool" else base,
        dest_bit_size,
        dest_components,
        common.pop() if common else 32,
        operation.entry.is_selection,
    )


def _accepted_sizes(type_name: str) -> tuple[int, ...]:
    # Before 1-bit booleans, the opcodes that now have them were printed with wider ones.
    return allowed_bit_sizes("bool" if type_name == "bool1" else type_name)


def evaluate_alu(
    opcode: str,
    sources: Sequence[Array],
    *,
    dest_components: int,
    dest_bit_size: int,
    source_bit_sizes: Sequence[int],
) -> Array:
    """Compute the raw bits of the result, shape (dest_components, lanes).

    Sources are already swizzled: `dest_components` rows for a per-component source, else as many as the
    opcode requires. All have the same number of lanes, or one lane that is broadcast. The result may share
    memory with a source. Raises `Unsupported`, also for sources or a destination that do not fit the opcode.
    """
    plan = plan_of(opcode, dest_components, dest_bit_size, tuple(source_bit_sizes))
    for number, source in enumerate(sources):
        rows = plan.operation.rows(number) or dest_components
        if len(source) != rows:
            raise Unsupported(f"{opcode} with {len(source)} of {rows} components")
    with np.errstate(all="ignore"):
        return plan.compute(plan.decoded(sources))
