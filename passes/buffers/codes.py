"""The name of the pass on dynamic buffer indices, and its findings."""

from __future__ import annotations

from nirls.passes.finding import FindingCode, Severity

NAME = "lower_dynamic_bo_access"

DYNAMIC_BLOCK_INDEX = FindingCode(
    "dynamic-block-index", "Buffer whose block index is not constant", Severity.HINT
)
NO_POSSIBLE_BLOCK = FindingCode("no-possible-block", "Buffer index with no block to choose", Severity.WARNING)
