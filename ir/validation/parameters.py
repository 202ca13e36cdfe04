"""The parameters of a function, as far as the dialect prints them."""

from __future__ import annotations

import re

from nirls.ir.model.shader import Function

_COUNT = re.compile(r"\((\d+) params\)\s*\Z")


def parameter_sizes(function: Function) -> tuple[tuple[int, int], ...] | None:
    """(components, bits) of each parameter; (0, 0) where only their number is printed.

    None where the declaration says nothing about them.
    """
    if function.params:
        return tuple((param.num_components, param.bit_size) for param in function.params)
    count = _COUNT.search(function.text)
    if count is not None:
        return ((0, 0),) * int(count.group(1))
    return () if "(" in function.text else None
