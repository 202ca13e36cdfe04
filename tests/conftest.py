"""Where the test data is. Tests that need the corpus of real shaders are skipped where it is absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent
DATA = PROJECT / "tests" / "data"
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The samples that come with the project."""
    return DATA


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the corpus, the facts and the references; skips where it is not there."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the shared corpus folder, which is not at {SHARED}")
    return SHARED


@pytest.fixture(scope="session")
def corpus(shared: Path) -> Path:
    """The corpus of real dumps."""
    return shared / "corpus"
