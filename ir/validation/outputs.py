"""Stores of outputs that share bits although their widths differ."""

from __future__ import annotations

from nirls.ir.io.access import HALVES_OF_A_SLOT, IoAccess, io_accesses
from nirls.ir.model.slots import slot_name
from nirls.ir.model.stage import Stage
from nirls.ir.validation.reporter import Reporter

_HALF_BITS = 16


def check_overlapping_outputs(reporter: Reporter) -> None:
    """Warn of 16-bit stores to bits that a wider output fills: both are one storage."""
    stores = [access for access in io_accesses(reporter.shader) if access.is_store and not access.is_indirect]
    narrow = {half: store for store in stores if store.bits <= _HALF_BITS for half in store.halves}
    if not narrow:
        return
    reported: set[IoAccess] = set()
    for store in stores:
        if store.bits <= _HALF_BITS:
            continue
        for half in sorted(store.halves & narrow.keys()):
            other = narrow[half]
            if other in reported:
                continue
            reported.add(other)
            slot, within = divmod(half, HALVES_OF_A_SLOT)
            stage = reporter.shader.stage or Stage.VERTEX
            name = f"{slot_name(slot, stage, is_output=True)}.{'xyzw'[within // 2]}"
            message = f"stores of {other.bits} and of {store.bits} bits to {name} destroy each other"
            related = (store.instr.span, f"it is stored with {store.bits} bits here")
            reporter.report("overlapping-outputs", message, other.instr.span, related=(related,))
