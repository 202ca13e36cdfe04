"""The names of the slots that a header field lists by number, such as `outputs_written: 0,32-33`."""

from __future__ import annotations

from nirls.ir.model.slots import parse_mask, short_slots, slot_name
from nirls.ir.model.stage import Stage

_FIELDS = frozenset(
    f"{kind}{way}{suffix}"
    for kind in ("", "patch_")
    for way, suffix in (
        *(("inputs", "_read"), ("outputs", "_written"), ("outputs", "_read")),
        *(("inputs", "_read_indirectly"), ("outputs", "_accessed_indirectly")),
    )
) | {
    "tcs_same_invocation_inputs_read",
    "tcs_cross_invocation_inputs_read",
    "tcs_cross_invocation_outputs_read",
    *("per_primitive_inputs", "per_primitive_outputs", "per_view_outputs", "dual_slot_inputs"),
}
_SIXTEEN_BIT = "_16bit"
_MOST_SLOTS = 128


def slots_of_field(key: str, value: str, stage: Stage | None) -> str:
    """Name the slots of a header field in order: `POS (0), VAR0 to VAR10 (32 to 42)`; "" for other fields."""
    is_16bit = key.endswith(_SIXTEEN_BIT)
    mask = parse_mask(value) if key.removesuffix(_SIXTEEN_BIT) in _FIELDS else None
    if not mask:
        return ""
    # Patch slots and those of 16 bits are masks that count from their first slot.
    word = f"VAR{{}}{_SIXTEEN_BIT.upper()}" if is_16bit else "PATCH{}" if key.startswith("patch_") else ""
    if word.startswith("PATCH") and "x" not in value:
        word = ""
    names = {
        number: word.format(number)
        if word
        else short_slots(slot_name(number, stage, is_output="output" in key))
        for number in range(min(mask.bit_length(), _MOST_SLOTS))
        if mask >> number & 1
    }
    return ", ".join(_text(run, names) for run in _runs(list(names)))


def _runs(numbers: list[int]) -> list[tuple[int, int]]:
    runs: list[tuple[int, int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1] = runs[-1][0], number
        else:
            runs.append((number, number))
    return runs


def _text(run: tuple[int, int], names: dict[int, str]) -> str:
    first, last = run
    if first == last:
        return f"{names[first]} ({first})"
    return f"{names[first]} to {names[last]} ({first} to {last})"
