"""The delta of two lists of tokens."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from nirls.server.features.semantic_tokens import delta_edits

TOKENS = st.lists(st.integers(0, 3), max_size=12).map(
    lambda kinds: [n for k in kinds for n in (0, 1, 2, k, 0)]
)


@given(TOKENS, TOKENS)
def test_the_edits_make_the_new_tokens_of_the_old(before: list[int], after: list[int]) -> None:
    patched = list(before)
    edits = delta_edits(array("I", before), array("I", after))
    assert len(edits) <= 1
    for edit in edits:
        patched[edit["start"] : edit["start"] + edit["deleteCount"]] = edit["data"]
    assert patched == after
    assert bool(edits) == (before != after)
