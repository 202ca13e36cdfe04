"""Delta debugging of dumps: reduction to a minimal shader with a given property (`nirls reduce`)."""

from nirls.passes.reduction.reduce import Reduction, reduce_shaders

__all__ = ["Reduction", "reduce_shaders"]
