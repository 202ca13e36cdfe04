"""What is done with a bundled server, tried with the installed one; building one takes minutes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tools import bundle_server
from tools.bundle_server import try_out

NIRLS = Path(sys.executable).with_name("nirls")


@pytest.mark.sweep
@pytest.mark.skipif(not NIRLS.exists(), reason="needs the installed nirls command")
def test_a_program_that_serves_passes() -> None:
    try_out(NIRLS)  # raises if the server does not answer
    with pytest.raises((RuntimeError, BrokenPipeError)):
        try_out(Path(sys.executable))


def test_the_start_of_the_program_is_python() -> None:
    names = compile(bundle_server._ENTRY, "start.py", "exec").co_names
    assert {"freeze_support", "runpy"} <= set(names)
