"""A fix that is offered changes the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.text.edits import text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.registry import all_passes

PASSES = [declared for declared in all_passes() if declared.scope == "shader"]


@pytest.mark.parametrize("declared", PASSES, ids=lambda declared: declared.name)
def test_every_fix_that_is_offered_has_an_edit(declared: type, data: Path) -> None:
    one = declared()
    for path in sorted((data / "pipelines").glob("*.nir")):
        shader = parse_dump(path.read_bytes())
        if not one.applies_to([shader]):
            continue
        keys = {fix.key: fix.title for finding in one.find([shader]) for fix in finding.fixes}
        for key, title in keys.items():
            changed = one.fix([shader], key)
            edits = [edit for change in changed for edit in text_edits(change.before, change.after)]
            assert edits, (path.name, title)
