"""The packing of varyings as plain JSON values, for the command line and for editors."""

from __future__ import annotations

from typing import Any

from nirls.passes.varyings.packing_table import Cell, PackingTable, PairPacking
from nirls.passes.varyings.rules import short_name


def plain_packing(pair: PairPacking) -> dict[str, Any]:
    """A pair of stages: `producer`, `consumer`, `summary`, and `before` and `after` with their cells.

    `obstacle` says why there are none, and is null otherwise.
    """
    return {
        "producer": None if pair.producer is None else pair.producer.abbreviation,
        "consumer": None if pair.consumer is None else pair.consumer.abbreviation,
        "summary": pair.summary,
        "obstacle": pair.obstacle or None,
        "before": _plain_table(pair.before),
        "after": _plain_table(pair.after),
    }


def _plain_table(table: PackingTable) -> dict[str, Any]:
    return {
        "scalars": table.scalars,
        "slots": table.slots,
        "cells": [_plain_cell(cell) for cell in table.cells],
    }


def _plain_cell(cell: Cell) -> dict[str, Any]:
    """`component` counts from 0; `half` is null, "lo" or "hi"; `cameFrom` null where nothing moved."""
    return {
        "slot": short_name(cell.location),
        "component": cell.component,
        "half": cell.half.value or None,
        "name": cell.name,
        "group": cell.group.value,
        "bits": cell.bit_size,
        "label": cell.label,
        "value": cell.value or None,
        "interpolation": cell.interpolation or None,
        "indirect": cell.indirect,
        "cameFrom": cell.came_from or None,
    }
