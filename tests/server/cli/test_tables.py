from __future__ import annotations

from dataclasses import replace

import pytest
from rich.text import Text

from nirls.server.cli.tables import aligned, count_text
from nirls.server.engine.timeline.dump_digest import COUNT_NAMES, DumpCounts, DumpDigest

COUNTS = DumpDigest(b"shader: MESA_SHADER_FRAGMENT\n").counts


@pytest.mark.parametrize(
    ("before", "after", "text", "style"),
    [(12, 9, "12 → 9", "green"), (9, 12, "9 → 12", "red"), (9, 9, "9", "")],
)
def test_less_is_green(before: int, after: int, text: str, style: str) -> None:
    shown = count_text(
        replace(COUNTS, instructions=before), replace(COUNTS, instructions=after), "instructions"
    )
    assert (shown.plain, shown.style) == (text, style)


def test_what_is_unknown_is_left_empty() -> None:
    assert count_text(None, None, "blocks").plain == ""
    assert count_text(None, replace(COUNTS, blocks=3), "blocks").plain == "3"


@pytest.mark.parametrize("name", COUNT_NAMES)
def test_columns_are_counts(name: str) -> None:
    assert name in DumpCounts.__dataclass_fields__


def test_columns_are_aligned() -> None:
    rows = [["#", "pass", "line"], ["2", "nir_opt_dce", "3"], ["12", "nir_opt", "996"]]
    text = aligned([[Text(cell) for cell in row] for row in rows], right={0, 2})
    assert text.plain.splitlines() == [
        " #  pass         line",
        " 2  nir_opt_dce     3",
        "12  nir_opt       996",
    ]
