"""Cost model for computing outputs in the next stage from fewer varyings."""

from __future__ import annotations

from dataclasses import dataclass

from nirls.ir.model.stage import Stage

LOAD_COST = 2
INTERPOLATED_LOAD_COST = 3


@dataclass(frozen=True, slots=True)
class Exchange:
    """Costs and savings if the consumer computes some outputs instead of receiving them.

    `halves_saved` is the number of 16-bit halves of varyings saved. `loads_saved` is how many fewer loads
    the consumer executes; an input that is read in two blocks, or for three vertices, counts two or three
    times. `cost` is the cost of the computation in the consumer, in the units of `expression_cost` and with
    the same multiplicity. `interpolated` is true if the loads interpolate; loads of convergent inputs may
    not.
    """

    producer: Stage
    consumer: Stage
    interpolated: bool
    halves_saved: int
    loads_saved: int
    cost: int


def is_clear_win(exchange: Exchange) -> bool:
    """Whether the consumer becomes no more expensive (the default rule).

    The consumer may run a hundred times for each run of the producer, so savings in the producer do not
    count. A load costs as much as that of a uniform (2 FMAs), and interpolation costs 1 more. The number of
    varyings and of loads must go down, and the computation may not cost more than the saved loads.
    """
    load = INTERPOLATED_LOAD_COST if exchange.interpolated else LOAD_COST
    if exchange.halves_saved <= 0 or exchange.loads_saved <= 0:
        return False
    return exchange.cost <= exchange.loads_saved * load
