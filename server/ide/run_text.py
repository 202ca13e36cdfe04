"""Values of a run as text: short floats, integers in decimal and hexadecimal, vectors, what is undefined."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from nirls.ir.model.float_bits import FLOAT_SIZES, float_of
from nirls.ir.text.printing.constants import signed
from nirls.verification.tracing.trace import Trace, TracedValue, WrittenValue

UNDEFINED = "undefined"
NOT_RUN = "not run"
_SMALL = 10
_TINY = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}
"""The smallest normal floats: bits of no known type below are an integer."""
_DIGITS = {16: 4, 32: 6, 64: 10}


def number_text(bits: int, bit_size: int, base: str) -> str:
    """Format a number by its type: `1.5`, `-3`, `42 (0x2a)`, `true`, and bits of no known type as both."""
    if base == "bool" or bit_size == 1:
        return "true" if bits else "false"
    if base == "float" and bit_size in FLOAT_SIZES:
        return float_text(float_of(bits, bit_size), bit_size)
    if base == "mixed" and bit_size in FLOAT_SIZES and not abs(float_of(bits, bit_size)) < _TINY[bit_size]:
        return f"0x{bits:x} = {float_text(float_of(bits, bit_size), bit_size)}"
    number = _integer(bits, bit_size, base)
    return str(number) if -_SMALL < number < _SMALL else f"{number} (0x{bits:x})"


def float_text(number: float, bit_size: int = 32) -> str:
    """Format a float in few digits, always as a float: `1.0`, `0.333333`, `1e-08`, `NaN`, `-inf`."""
    if math.isnan(number):
        return "NaN"
    text = f"{number:.{_DIGITS[bit_size]}g}"
    return text if not math.isfinite(number) or "." in text or "e" in text else f"{text}.0"


def value_text(value: TracedValue, invocation: int) -> str:
    """Format a value on one invocation: a scalar, or a vector in parentheses; "" for a pointer."""
    if not value.runs[invocation]:
        return NOT_RUN
    rows = [
        UNDEFINED if undefined else number_text(bits, value.bit_size, value.base)
        for bits, undefined in _components(value, invocation)
    ]
    if len(rows) > 1 and len(set(rows)) == 1 and rows[0] == UNDEFINED:
        return UNDEFINED
    return rows[0] if len(rows) == 1 else f"({', '.join(rows)})" if rows else ""


def _components(value: TracedValue, invocation: int) -> Iterator[tuple[int, bool]]:
    """Return the bits of each component on an invocation, and whether they are undefined."""
    return zip(value.bits[:, invocation].tolist(), value.undefined[:, invocation].tolist(), strict=True)


def is_odd(value: TracedValue, invocation: int) -> bool:
    """Whether a component is undefined or NaN, which should stand out."""
    if not value.runs[invocation]:
        return False
    if value.undefined[:, invocation].any():
        return True
    is_float = value.base == "float" and value.bit_size in FLOAT_SIZES
    return is_float and any(
        math.isnan(float_of(bits, value.bit_size)) for bits in value.bits[:, invocation].tolist()
    )


def written_text(written: WrittenValue) -> str:
    """Format what was written: the number by its type, or `undefined`."""
    if written.bits is None:
        return UNDEFINED
    return number_text(written.bits, written.bit_size, written.base)


def spread_lines(value: TracedValue, most: int = 8) -> list[str]:
    """Describe a value over all invocations: the first ones, smallest and largest, how many differ."""
    ran = np.nonzero(value.runs)[0]
    if not len(ran) or not len(value.bits):
        return [f"not run by any of {len(value.runs)} invocations"] if not len(ran) else []
    shown = ", ".join(value_text(value, int(lane)) for lane in ran[:most])
    more = ", ..." if len(ran) > most else ""
    lines = [f"invocations {_ranges(ran[:most].tolist())}: {shown}{more}"]
    for row in range(len(value.bits)):
        lines += _extremes(value, row, ran.tolist())
    different = len({_identity(value, lane) for lane in ran.tolist()})
    count = len(value.runs)
    who = f"{count} invocations" if len(ran) == count else f"{len(ran)} of {count} invocations, which ran it"
    lines.append(f"{'the same' if different == 1 else f'{different} different values'} on {who}")
    return lines


def _identity(value: TracedValue, lane: int) -> tuple[tuple[int, bool], ...]:
    return tuple((0 if undefined else bits, undefined) for bits, undefined in _components(value, lane))


def _extremes(value: TracedValue, row: int, ran: list[int]) -> list[str]:
    """Return the smallest and the largest number of a component, leaving out what has no order."""
    numbers: dict[float, int] = {}
    odd = 0
    for lane in ran:
        bits = int(value.bits[row, lane])
        number = _ordered(bits, value.bit_size, value.base)
        if value.undefined[row, lane] or math.isnan(number):
            odd += 1
        else:
            numbers[number] = bits
    name = "" if len(value.bits) == 1 else f".{'xyzw'[row] if row < 4 else row}: "
    if value.base == "bool" or not numbers:
        return [f"{name}undefined or NaN on {odd}"] if odd else []
    low, high = (number_text(numbers[end(numbers)], value.bit_size, value.base) for end in (min, max))
    text = f"{name}smallest {low}, largest {high}"
    return [f"{text}, undefined or NaN on {odd}" if odd else text]


def _ordered(bits: int, bit_size: int, base: str) -> float:
    if base in ("float", "mixed") and bit_size in FLOAT_SIZES:
        return float_of(bits, bit_size)
    return _integer(bits, bit_size, base)


def _integer(bits: int, bit_size: int, base: str) -> int:
    return bits if base == "uint" else signed(bits, bit_size)


def _ranges(lanes: list[int]) -> str:
    if len(lanes) > 1 and lanes == list(range(lanes[0], lanes[-1] + 1)):
        return f"{lanes[0]} to {lanes[-1]}"
    return ", ".join(map(str, lanes))


def lost_text(trace: Trace) -> str:
    """Say why an invocation is among the `lost` ones of a trace, which does not tell the reasons apart."""
    why = f" ({', '.join(trace.given_up)})" if trace.given_up else ""
    return f"its control flow depends on an undefined value, or did not end{why}"


def plain_value(value: TracedValue, invocation: int, first_line: int) -> dict[str, object]:
    """Convert a value on one invocation to JSON values; lines count from `first_line`, that of the dump."""
    ran = int(value.runs[invocation])
    return {
        "name": value.name,
        "line": None if value.line is None else value.line + first_line,
        "type": value.base,
        "bit_size": value.bit_size,
        "runs": ran,
        "values": _plain_components(value, invocation) if ran else None,
    }


def _plain_components(value: TracedValue, invocation: int) -> list[Mapping[str, object]]:
    return [
        plain_number(None if undefined else bits, value.bit_size, value.base)
        for bits, undefined in _components(value, invocation)
    ]


def plain_number(bits: int | None, bit_size: int, base: str) -> dict[str, object]:
    """Convert a number to JSON values: its bits, None for an undefined one, and its text."""
    text = UNDEFINED if bits is None else number_text(bits, bit_size, base)
    return {"bits": None if bits is None else f"0x{bits:x}", "text": text}
