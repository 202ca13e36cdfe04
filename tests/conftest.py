"""Folders with test data."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from tools.corpus.archive import PROJECT, SHARED, unpacked

DATA = PROJECT / "tests" / "data"

SWEEPS = {"bench", "browser", "corpus", "editors", "end_to_end", "fuzz", "growth", "security"}
"""Folders of tests with whole sessions, real programs, or growing inputs."""

SWEEP_FILES = ("_corpus", "_random")
"""Ends of the names of modules that test over a corpus, or over random shaders."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the long sweeps, which `make test` leaves out."""
    for item in items:
        path = item.path.relative_to(PROJECT)
        if SWEEPS.intersection(path.parts) or path.stem.endswith(SWEEP_FILES):
            item.add_marker("sweep")


@pytest.fixture(scope="session")
def data() -> Path:
    """The samples that come with the project."""
    return DATA


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The corpus of real dumps that comes with the project, unpacked. Do not write into it."""
    return unpacked()


def facts_of(release: str) -> dict[str, dict[str, Any]]:
    """The opcodes and intrinsics of a Mesa release ("22.3", "25.0" or "26") as its tables have them."""
    packed = (DATA / "facts" / f"nir-{release}.json.xz").read_bytes()
    facts: dict[str, dict[str, Any]] = json.loads(lzma.decompress(packed))
    return facts


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with material that may not be redistributed; skips if it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs material that is not part of the project, in {SHARED}")
    return SHARED
