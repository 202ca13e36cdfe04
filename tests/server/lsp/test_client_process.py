"""The processes that are watched."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from nirls.server.lsp import client_process
from nirls.server.lsp.client_process import end_with


@pytest.mark.skipif(sys.platform == "win32", reason="the parent is watched on POSIX only")
def test_existing_processes() -> None:
    assert client_process._exists(os.getpid())
    assert client_process._exists(1)
    ended = subprocess.Popen(["true"])
    ended.wait()
    assert not client_process._exists(ended.pid)
    assert not client_process._exists(2**70)
    end_with(None)
    end_with(ended.pid)
    end_with(-1)
