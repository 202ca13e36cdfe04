"""Assumptions of a pass: its result is right, and is verified, under these only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from nirls.ir.analysis.tessellation import CullingRule

KnownMemory = Mapping[tuple[str, int, int], int]
"""32-bit words that a pass assumes: (space, buffer, word number) -> bits, as the evaluator names them."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The assumptions of a pass besides the shaders.

    `known_memory` are memory words with known values. `culling` is the rule for culled patches, as far as
    the shaders do not state it. Without `coordinate_replacement`, no point sprites replace TEXn.
    """

    known_memory: KnownMemory = field(default_factory=dict)
    culling: CullingRule | None = None
    coordinate_replacement: bool = True

    @classmethod
    def together(cls, several: Iterable[Assumptions]) -> Assumptions:
        """Return what passes that run one after another assume; of two culling rules, the later one holds."""
        words: dict[tuple[str, int, int], int] = {}
        culling, replacement = None, True
        for assumptions in several:
            words.update(assumptions.known_memory)
            culling = assumptions.culling or culling
            replacement = replacement and assumptions.coordinate_replacement
        return cls(words, culling, replacement)
