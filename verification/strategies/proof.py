"""Equivalence by proof: both sides have the same effects on the same expressions."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.io.access import has_unlisted_captures
from nirls.ir.model.shader import Shader
from nirls.verification.compare.unmodelled import mixed_qualifiers
from nirls.verification.proof.prepared import Prepared, prepared
from nirls.verification.proof.same_expressions import same_expressions, same_linked_expressions
from nirls.verification.verdict import Equivalent

PROVED = Equivalent(0, 0, same_expressions=True)


def proved_linked(
    before: Sequence[Shader | Prepared], after: Sequence[Shader | Prepared]
) -> Equivalent | None:
    """Prove that linked stages have the same expressions, if the interpolation of their inputs is certain."""
    if not same_linked_expressions(before, after):
        return None
    for stage, twin in zip(before, after, strict=True):
        # What transform feedback captures is an effect of this stage alone.
        if has_unlisted_captures(prepared(stage).shader) and not same_expressions(stage, twin):
            return None
    shaders = ([prepared(stage).shader for stage in side] for side in (before, after))
    return None if any(map(mixed_qualifiers, *shaders)) else PROVED


def proved_each(before: Sequence[Shader], after: Sequence[Shader]) -> Equivalent | None:
    """Prove that each shader has the same expressions as its counterpart."""
    return PROVED if all(map(same_expressions, before, after)) else None
