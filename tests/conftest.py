"""Folders with test data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.corpus.archive import PROJECT, SHARED, unpacked

DATA = PROJECT / "tests" / "data"


@pytest.fixture(scope="session")
def data() -> Path:
    """The samples that come with the project."""
    return DATA


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real dumps that comes with the project, unpacked. Do not write into it."""
    return unpacked()


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with material that may not be redistributed; skips if it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs material that is not part of the project, in {SHARED}")
    return SHARED
