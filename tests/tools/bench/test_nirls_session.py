"""The targets are about what is measured, and what is measured is in the texts."""

from __future__ import annotations

import pytest

from tools.bench.nirls_session import DUMP_IN_LOG, TARGETS
from tools.bench.session import in_the_middle
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump

TEXTS = [log_of_lines(1_000, DUMP_IN_LOG), f"{vertex_dump(100)}\nnir_opt_dce\n{fragment_dump(100)}"]


def test_targets_are_numbers_of_milliseconds_or_megabytes() -> None:
    assert all(int(target) > 0 for target in TARGETS.values())
    assert {what.rpartition(", ")[2] for what in TARGETS} == {"ms", "MB"}


@pytest.mark.parametrize("text", TEXTS)
def test_there_is_something_to_type_and_a_store_to_save(text: str) -> None:
    place = in_the_middle(text, "fadd")
    assert text.split("\n")[place.line][place.character :].startswith("fadd ")
    assert "VAR31" in text
