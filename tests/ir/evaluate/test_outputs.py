"""Stored outputs by lane, patch and vertex."""

from __future__ import annotations

import numpy as np

from nirls.ir.evaluate.launch import launch_for, tess_ctrl_launch
from nirls.ir.evaluate.outputs import OutputStore
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.evaluate.value import Value
from tests.ir.evaluate.shader_text import shader_of

KEY = OutputKey(32, 0)
NUMBERS = Value(np.arange(8, dtype=np.uint32)[None], 32)
ALL = np.ones(8, np.bool_)


def test_lanes_have_outputs_of_their_own() -> None:
    store = OutputStore(launch_for(shader_of("    block b0:"), 8))
    store.store(KEY, NUMBERS, np.arange(8) < 4)
    found = store.load(KEY, 32, 8)
    assert found.poison is not None
    assert found.poison.tolist() == [[False] * 4 + [True] * 4]
    assert found.bits[0, :4].tolist() == [0, 1, 2, 3]
    assert store.load(OutputKey(33, 0), 32, 8).poison is not None


def test_a_patch_has_its_outputs_in_common() -> None:
    store = OutputStore(tess_ctrl_launch(2, 3, 4))
    store.store(KEY, NUMBERS, ALL)
    assert store.load(KEY, 32, 8).bits.tolist() == [[3] * 4 + [7] * 4]
    vertex = np.arange(8) % 4
    store.store(OutputKey(33, 0), NUMBERS, ALL, vertex)
    assert store.load(OutputKey(33, 0), 32, 8, 3 - vertex).bits.tolist() == [[3, 2, 1, 0, 7, 6, 5, 4]]
    beyond = store.load(OutputKey(33, 0), 32, 8, vertex + 1).poison
    assert beyond is not None
    assert beyond.tolist() == [[False, False, False, True] * 2]


def test_a_snapshot_stays_and_forgetting_is_for_some_lanes() -> None:
    store = OutputStore(launch_for(shader_of("    block b0:"), 8))
    store.store(KEY, NUMBERS, ALL)
    before = store.snapshot()
    store.forget(np.arange(8) < 2)
    assert before[KEY].written.all()
    assert store.planes[KEY].written[:, 0].tolist() == [False] * 2 + [True] * 6
