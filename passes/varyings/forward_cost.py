"""Cost model for computing outputs in the next stage from fewer varyings."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.stage import Stage

LOAD_COST = 2
INTERPOLATED_LOAD_COST = 3


@dataclass(frozen=True, slots=True)
class Exchange:
    """The costs and savings if the consumer computes some outputs instead of receiving them.

    `halves_saved` are the varyings saved, in 16 bits; `loads_saved` the loads that the consumer executes
    less (an input that is read in two blocks, or for three vertices, counts two or three times); `cost` is
    what it computes instead, in the units of `expression_cost`, also as often as it does so. `interpolated`
    says whether the loads interpolate, which those of convergent inputs may not have to.
    """

    producer: Stage
    consumer: Stage
    interpolated: bool
    halves_saved: int
    loads_saved: int
    cost: int


def is_clear_win(exchange: Exchange) -> bool:
    """The default rule: the consumer must not become more expensive.

    It may run a hundred times for each time that the producer does, so what the producer saves does not count
    at all. A load costs as much as one of a uniform, 2 FMAs, and interpolation one more; there must be fewer
    varyings and loads, and what is computed may not cost more than these loads.
    """
    load = INTERPOLATED_LOAD_COST if exchange.interpolated else LOAD_COST
    if exchange.halves_saved <= 0 or exchange.loads_saved <= 0:
        return False
    return exchange.cost <= exchange.loads_saved * load
