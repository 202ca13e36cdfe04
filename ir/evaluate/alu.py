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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from nirls.ir.evaluate import (
    alu_bitfield,
    alu_comparison,
    alu_conversion,
    alu_float,
    alu_integer,
    alu_packing,
    alu_vector,
    alu_vendor,
)
from nirls.ir.evaluate.alu_operation import (
    AluOperation,
    Array,
    ErrorClass,
    allowed_bit_sizes,
    container_type,
    decode,
    encode,
    split_type,
)

QUAD_OPCODES: frozenset[str] = frozenset(
    f"fdd{axis}{kind}" for axis in "xy" for kind in ("", "_coarse", "_fine", "_must_abs_mali")
)
"""Derivatives, ALU opcodes until 22.3: they read other lanes, so they are not evaluated here."""

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


class UnsupportedOpcode(Exception):  # noqa: N818 - it reads as what it says
    """An opcode that cannot be evaluated here; `opcode` is its name."""

    def __init__(self, opcode: str) -> None:
        reason = "needs the other lanes of its quad" if opcode in QUAD_OPCODES else "has no known meaning"
        super().__init__(f"ALU opcode {opcode} is not supported: it {reason}")
        self.opcode = opcode


@dataclass(frozen=True, slots=True)
class _Plan:
    """Evaluation of one opcode for given source sizes."""

    operation: AluOperation
    decoders: tuple[Callable[[Array], Array], ...]
    encoder: Callable[[Array], Array]
    bit_size: int


def is_supported(opcode: str) -> bool:
    """Return whether `evaluate_alu` supports this opcode, under its present or a former name."""
    return opcode in _OPERATIONS or opcode in _FORMER_NAMES or opcode in _WITHOUT_SIZE


def supported_opcodes() -> frozenset[str]:
    """Return the names of all opcodes that `evaluate_alu` supports, former names included."""
    return frozenset(_OPERATIONS) | frozenset(_FORMER_NAMES) | _WITHOUT_SIZE


def alu_operation(opcode: str, dest_bit_size: int = 32) -> AluOperation:
    """Return the description of an opcode: its types and sizes.

    `dest_bit_size` is only needed to resolve former names without a size (`b2f`).
    Raises `UnsupportedOpcode`.
    """
    if opcode in _WITHOUT_SIZE:
        size = 1 if opcode.endswith("2b") else dest_bit_size
        opcode = f"{opcode}{size}"
    operation = _OPERATIONS.get(_FORMER_NAMES.get(opcode, opcode))
    if operation is None:
        raise UnsupportedOpcode(opcode)
    return operation


def error_class(opcode: str) -> ErrorClass:
    """Classify how far two correct evaluations of an opcode may differ.

    `exact`: the sources determine every bit (but for the payload of a NaN). `rounded`: one correctly rounded
    float operation. `approximate`: several roundings, or a function that hardware approximates.
    Raises `UnsupportedOpcode`.
    """
    return alu_operation(opcode).error_class


def may_be_undefined(opcode: str) -> bool:
    """Return whether `undefined_lanes` can be true for this opcode. Raises `UnsupportedOpcode`."""
    return alu_operation(opcode).undefined is not None


def evaluate_alu(
    opcode: str,
    sources: Sequence[Array],
    *,
    dest_components: int,
    dest_bit_size: int,
    source_bit_sizes: Sequence[int] | None = None,
) -> Array:
    """Compute the raw bits of the result, shape (dest_components, lanes).

    Sources are already swizzled: `dest_components` rows for a per-component source, else as many as the
    opcode requires. All have the same number of lanes, or one lane that is broadcast. A byte array can hold
    1- or 8-bit values; where the destination does not determine which (`ilt`, `i2i32`), `source_bit_sizes`
    does, 8 being assumed without it. The result may share memory with a source.

    Raises `UnsupportedOpcode`, and ValueError for sources or a destination that do not fit the opcode.
    """
    plan, values = _prepare(opcode, sources, dest_components, dest_bit_size, source_bit_sizes)
    operation = plan.operation
    with np.errstate(all="ignore"):
        if operation.wants_bit_size:
            result = operation.compute(*values, bit_size=plan.bit_size)
        else:
            result = operation.compute(*values)
        bits = plan.encoder(result)
    if len(bits) == dest_components:
        return bits
    return np.repeat(bits, dest_components, axis=0)


def undefined_lanes(
    opcode: str,
    sources: Sequence[Array],
    *,
    dest_components: int,
    dest_bit_size: int,
    source_bit_sizes: Sequence[int] | None = None,
) -> Array:
    """Return where the result of `evaluate_alu` is undefined in NIR: bools, shape (dest_components, lanes).

    Such results are still deterministic, but any other value would be equally correct. Arguments and errors
    are those of `evaluate_alu`.
    """
    plan, values = _prepare(opcode, sources, dest_components, dest_bit_size, source_bit_sizes)
    lanes = max(source.shape[1] for source in sources)
    undefined = plan.operation.undefined
    if undefined is None:
        return np.zeros((dest_components, lanes), np.bool_)
    with np.errstate(all="ignore"):
        mask = undefined(*values)
    return np.broadcast_to(mask, (dest_components, lanes))


def _prepare(
    opcode: str,
    sources: Sequence[Array],
    dest_components: int,
    dest_bit_size: int,
    source_bit_sizes: Sequence[int] | None,
) -> tuple[_Plan, list[Array]]:
    sizes = None if source_bit_sizes is None else tuple(source_bit_sizes)
    plan = _plan(opcode, dest_bit_size, tuple(source.dtype for source in sources), sizes)
    operation = plan.operation
    if operation.output_size not in (0, dest_components):
        raise ValueError(f"{opcode} has {operation.output_size} components, not {dest_components}")
    for index, source in enumerate(sources):
        rows = operation.rows(index) or dest_components
        if source.ndim != 2 or source.shape[0] != rows:
            raise ValueError(f"{opcode}: source {index} has shape {source.shape}, not ({rows}, lanes)")
    return plan, [decoder(source) for decoder, source in zip(plan.decoders, sources, strict=True)]


@lru_cache(maxsize=4096)
def _plan(
    opcode: str,
    dest_bit_size: int,
    source_types: tuple[np.dtype[np.unsignedinteger], ...],
    source_bit_sizes: tuple[int, ...] | None,
) -> _Plan:
    operation = alu_operation(opcode, dest_bit_size)
    expected = len(operation.input_types)
    if len(source_types) != expected:
        raise ValueError(f"{opcode} has {expected} sources, not {len(source_types)}")
    output_base = split_type(operation.output_type)[0]
    if dest_bit_size not in _accepted_sizes(operation.output_type):
        raise ValueError(f"{opcode} has no {dest_bit_size}-bit result")
    sizes = _source_sizes(opcode, operation, dest_bit_size, source_types, source_bit_sizes)
    decoders: tuple[Callable[[Array], Array], ...]
    if operation.raw:
        decoders = (_unchanged,) * len(sizes)
        output_base = "bool" if output_base == "bool" else "uint"
    else:
        decoders = tuple(
            _decoder(split_type(type_name)[0], size)
            for type_name, size in zip(operation.input_types, sizes, strict=True)
        )
    return _Plan(
        operation,
        decoders,
        lambda value: encode(value, output_base, dest_bit_size),
        _common_bit_size(opcode, operation, dest_bit_size, sizes),
    )


def _unchanged(bits: Array) -> Array:
    return bits


def _decoder(base: str, bit_size: int) -> Callable[[Array], Array]:
    return lambda bits: decode(bits, base, bit_size)


def _accepted_sizes(type_name: str) -> tuple[int, ...]:
    # Before 1-bit booleans, the opcodes that now have them were printed with wider ones.
    return allowed_bit_sizes("bool" if type_name == "bool1" else type_name)


def _source_sizes(
    opcode: str,
    operation: AluOperation,
    dest_bit_size: int,
    source_types: tuple[np.dtype[np.unsignedinteger], ...],
    source_bit_sizes: tuple[int, ...] | None,
) -> list[int]:
    result_tells = split_type(operation.output_type)[1] == 0
    sizes: list[int] = []
    for index, (type_name, dtype) in enumerate(zip(operation.input_types, source_types, strict=True)):
        if source_bit_sizes is not None:
            size = source_bit_sizes[index]
        elif split_type(type_name)[1] == 0 and result_tells:
            size = dest_bit_size
        elif dtype == np.uint8 and type_name in ("bool", "bool1", "int1", "uint1"):
            size = 1
        else:
            size = dtype.itemsize * 8
        if size not in _accepted_sizes(type_name) or dtype != container_type(size):
            raise ValueError(f"{opcode}: source {index} is {dtype} of {size} bits, not {type_name}")
        sizes.append(size)
    return sizes


def _common_bit_size(opcode: str, operation: AluOperation, dest_bit_size: int, sizes: list[int]) -> int:
    """Return the common size of all operands with an unsized type (the `bit_size` of Mesa's expressions)."""
    common = {
        size
        for type_name, size in zip(operation.input_types, sizes, strict=True)
        if not split_type(type_name)[1]
    }
    if not split_type(operation.output_type)[1]:
        common.add(dest_bit_size)
    if len(common) > 1:
        raise ValueError(f"{opcode}: bit sizes {sorted(common)} must be equal")
    return common.pop() if common else 32
