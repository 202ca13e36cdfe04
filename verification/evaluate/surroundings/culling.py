"""Patches that the tessellator culls; their other outputs are not visible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nirls.ir.analysis.tessellation import CullingRule
from nirls.ir.model.slots import varying_slot
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult
from nirls.verification.evaluate.values.arrays import Array

_OUTER = varying_slot("TESS_LEVEL_OUTER")
LEVEL_SLOTS = frozenset({_OUTER, varying_slot("TESS_LEVEL_INNER")})


@dataclass(frozen=True, slots=True)
class CulledPatches:
    """Per-patch marks, each of shape (patches,).

    `culled` patches are dropped, `undefined` ones have a deciding level that is undefined, and rounding could
    change whether `uncertain` ones (only with error tracking) are culled.
    """

    culled: Array
    undefined: Array
    uncertain: Array


def culled_patches(result: ShaderResult, rule: CullingRule) -> CulledPatches:
    """Classify the patches of a tessellation control shader's run by the outer levels that it stored.

    A level that the shader stores for no patch is ignored.
    """
    patches = result.launch.group_count
    culled, undefined, uncertain = (np.zeros(patches, np.bool_) for _ in range(3))
    for component in range(rule.outer_levels):
        plane = result.outputs.get(OutputKey(_OUTER, component))
        if plane is None:
            continue
        level = np.ascontiguousarray(plane.bits[:, 0].astype(np.uint32)).view(np.float32)
        known = plane.written[:, 0] & ~plane.poison[:, 0]
        kept = level >= rule.least_kept if rule.keeps_least else level > rule.least_kept
        culled |= known & ~kept
        undefined |= ~known
        with np.errstate(invalid="ignore"):
            close = np.abs(level.astype(np.float64) - rule.least_kept) <= plane.error[:, 0]
        uncertain |= known & (plane.fragile[:, 0] | (close & (plane.error[:, 0] > 0)))
    return CulledPatches(culled & ~undefined, undefined, uncertain)
