"""Sources that must be uniform."""

from __future__ import annotations

import pytest

from nirls.ir.effects import UNIFORM_SOURCES, row_of_intrinsic
from nirls.ir.tables import intrinsic


@pytest.mark.parametrize("name", UNIFORM_SOURCES)
def test_they_are_sources_of_operations_between_invocations(name: str) -> None:
    entry = intrinsic(name)
    assert entry is not None
    most = max(len(form.src_components) for form in entry.forms())
    assert all(number < most for number in UNIFORM_SOURCES[name])
    assert row_of_intrinsic(name).exchange in ("subgroup", "quad")
