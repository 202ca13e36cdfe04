"""The packing of varyings, computed from texts, and as JSON values for command line and editors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nirls.ir.io.urb_maps import UrbMaps
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.link_potential.potential import Side, potential_of
from nirls.passes.varyings.interface.decisions import StepObstacle
from nirls.passes.varyings.interface.rules import short_name
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.packing.ledger import Ledger
from nirls.passes.varyings.packing.table import PackingCell, PackingTable, PairPacking
from nirls.passes.varyings.packings import packings

GivenOptions = Mapping[str, object]
"""Options of `opt_varyings` from settings or a project file; malformed ones are ignored."""


def packing_of_texts(
    texts: Sequence[bytes], given: GivenOptions, urb_maps: Sequence[UrbMaps] = ()
) -> list[PairPacking]:
    """Compute the packing of every pair of linked dumps. Runs in worker processes.

    `urb_maps` are the maps printed below each dump; none if empty.
    """
    return packing_of_shaders([parse_dump(text) for text in texts], given, urb_maps)


def packing_of_shaders(
    shaders: Sequence[Shader], given: GivenOptions, urb_maps: Sequence[UrbMaps] = ()
) -> list[PairPacking]:
    """Compute the packing of every pair of stages of a pipeline."""
    return packings(shaders, OptVaryings.with_usable_options(given), urb_maps)


def potential_of_text(text: bytes, given: GivenOptions) -> tuple[Side, ...]:
    """Compute the possible savings of linking for an unlinked dump."""
    return potential_of(parse_dump(text), OptVaryings.with_usable_options(given))


def plain_packing(pair: PairPacking) -> dict[str, Any]:
    """Convert a pair of stages to JSON values: `producer`, `consumer`, `summary`, `before`, `after`.

    `ledger` says what happened to each scalar, see `plain_ledger`. `obstacle` is the reason why nothing is
    linked, null otherwise.
    """
    return {
        "producer": None if pair.producer is None else pair.producer.abbreviation,
        "consumer": None if pair.consumer is None else pair.consumer.abbreviation,
        "summary": pair.summary,
        "obstacle": pair.obstacle or None,
        "moved": pair.moved,
        "before": _plain_table(pair.before),
        "after": _plain_table(pair.after),
        "ledger": plain_ledger(pair.ledger),
    }


def plain_ledger(ledger: Ledger) -> dict[str, Any]:
    """Convert a ledger to JSON values: `lines` by slot, and `notes` on all of them.

    A line has the `fate` of a varying, its `place` afterwards (null if it is gone), the `reason` as a text,
    and the `effects` and `obstacles` of the steps. `couldGo` counts varyings that a single condition keeps.
    """
    return {
        "lines": [
            {
                "varying": line.name,
                "value": line.value or None,
                "fate": line.fate.value,
                "place": line.place or None,
                "reason": line.reason or None,
                "effects": [
                    {"step": effect.step.value, "fate": effect.fate.value, "message": effect.message}
                    for effect in line.effects
                ],
                "obstacles": [_plain_obstacle(obstacle) for obstacle in line.obstacles],
            }
            for line in ledger.lines
        ],
        "notes": [_plain_obstacle(note) for note in ledger.notes],
        "couldGo": ledger.could_go() or None,
    }


def _plain_obstacle(obstacle: StepObstacle) -> dict[str, Any]:
    """`unless` is the only missing condition; `cost` and `limit` are null unless a limit decided."""
    return {
        "step": obstacle.step.value,
        "code": obstacle.code,
        "message": obstacle.message,
        "unless": obstacle.unless or None,
        "cost": obstacle.cost,
        "limit": obstacle.limit,
    }


def _plain_table(table: PackingTable) -> dict[str, Any]:
    return {
        "scalars": table.scalars,
        "slots": table.slots,
        "cells": [_plain_cell(cell) for cell in table.cells],
    }


def _plain_cell(cell: PackingCell) -> dict[str, Any]:
    """`component` counts from 0; `half` is null, "lo" or "hi"; `cameFrom` is null if nothing moved."""
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
