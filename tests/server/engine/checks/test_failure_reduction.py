"""Dumps shrunk to what a pass still goes wrong on, whatever it does there."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from nirls.server.engine.checks import failure_reduction
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.failure_reduction import smallest
from nirls.server.engine.checks.pass_failures import PassFailure
from nirls.server.engine.worker.job import Cause
from tools.synthetic import fragment_dump

MODULE = '''
import time
from nirls.passes.declaration import Pass

class Odd(Pass):
    """Go wrong on fmul."""

    name = "odd"

    def apply(self, shader):
        return False

    def find(self, shaders):
        if any(b"fmul" in shader.source for shader in shaders):
            WHAT
        return []
'''


@pytest.fixture
def failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PassFailure:
    information = tmp_path / "odd-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: odd\nVersion: 1.0\n")
    (information / "entry_points.txt").write_text("[nirls.passes]\nodd = odd_pass:Odd\n")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    (tmp_path / "odd_pass.py").write_text(MODULE.replace("WHAT", "raise KeyError('fmul')"))
    texts = (fragment_dump(60).encode(),)
    return PassFailure("odd", texts, CheckSettings(), Cause.RAISED, "KeyError: 'fmul'")


def test_a_pass_that_raises(failure: PassFailure) -> None:
    assert b"fmul" in failure.texts[0]
    found = smallest(failure, 20, 500)
    assert found.is_reproduced
    assert b"fmul" in found.texts[0]
    assert found.instructions <= 8 < found.instructions_before


@pytest.mark.sweep
def test_a_pass_that_ends_its_process(failure: PassFailure, tmp_path: Path) -> None:
    (tmp_path / "odd_pass.py").write_text(MODULE.replace("WHAT", "import os; os._exit(5)"))
    died = dataclasses.replace(failure, cause=Cause.DIED, detail="exit status 5")
    found = smallest(died, 30, 500)
    assert found.is_reproduced
    assert found.instructions < found.instructions_before


@pytest.mark.sweep
def test_a_pass_that_does_not_end(
    failure: PassFailure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failure_reduction, "TRY_SECONDS", 1.5)
    (tmp_path / "odd_pass.py").write_text(MODULE.replace("WHAT", "time.sleep(3600)"))
    found = smallest(dataclasses.replace(failure, cause=Cause.TIME, detail=""), 8, 500)
    assert found.is_reproduced
    assert b"fmul" in found.texts[0]


def test_what_does_not_happen_again_is_left_as_it_is(failure: PassFailure) -> None:
    other = dataclasses.replace(failure, detail="ValueError: another")
    found = smallest(other, 5, 500)
    assert not found.is_reproduced
    assert found.texts == failure.texts
