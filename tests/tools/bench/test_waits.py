"""Every request is measured, and answered."""

from __future__ import annotations

import pytest

from tools.bench.waits import waits
from tools.synthetic import vertex_dump


def test_each_request_is_measured(capfd: pytest.CaptureFixture[str]) -> None:
    found = waits(vertex_dump(200))
    assert {"first hover", "hover", "nirls/timeline", "formatting", "workspace/symbol"} <= found.keys()
    assert all(one.took > 0 and one.wait >= 0 and one.processor >= 0 for one in found.values())
    assert not capfd.readouterr().err
