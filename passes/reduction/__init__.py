"""Delta debugging of dumps: the smallest shader that still shows something (`nirls reduce`)."""

from nirls.passes.reduction.reduce import Reduction, reduce_shaders

__all__ = ["Reduction", "reduce_shaders"]
