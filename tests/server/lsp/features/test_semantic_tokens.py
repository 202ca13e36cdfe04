"""Semantic tokens of whole documents: the delta of two lists, answers in slices, and none of huge ones."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nirls.server.lsp.features import semantic_tokens
from nirls.server.lsp.features.semantic_tokens import delta_edits
from tests.server.lsp.features.session import Session
from tools.synthetic import fragment_dump

TOKENS = st.lists(st.integers(0, 3), max_size=12).map(
    lambda kinds: [n for k in kinds for n in (0, 1, 2, k, 0)]
)


@given(TOKENS, TOKENS)
def test_the_edits_make_the_new_tokens_of_the_old(before: list[int], after: list[int]) -> None:
    patched = list(before)
    edits = delta_edits(array("I", before), array("I", after))
    assert len(edits) <= 1
    for edit in edits:
        patched[edit.start : edit.start + edit.delete_count] = edit.data or ()
    assert patched == after
    assert bool(edits) == (before != after)


async def test_of_a_huge_document_only_what_is_asked_for_is_told(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = fragment_dump(20)
    session.place(text)
    whole = await session.ask_about("textDocument/semanticTokens/full")
    monkeypatch.setattr(semantic_tokens, "LARGEST_TEXT", len(text) - 1)
    assert await session.ask_about("textDocument/semanticTokens/full") is None
    previous = {"previousResultId": whole["resultId"]}
    assert await session.ask_about("textDocument/semanticTokens/full/delta", **previous) is None
    lines = {"start": {"line": 0, "character": 0}, "end": {"line": text.count("\n"), "character": 0}}
    assert (await session.ask_about("textDocument/semanticTokens/range", range=lines))["data"] == whole[
        "data"
    ]
