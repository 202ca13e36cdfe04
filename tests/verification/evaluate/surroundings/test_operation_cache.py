from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings import operation_cache
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.operation_cache import OperationCache
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.value import Value
from tests.verification.evaluate.shader_text import VAR0, shader_of, store

INEXACT = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    32     %2 = u2f32 %1
    32     %3 = fsqrt %2
{store("3", "0")}
                // succs: b99"""


def value(*rows: list[int], **marks: np.ndarray) -> Value:
    return Value(np.array(rows, np.uint32), 32, **marks)


def test_rows_with_equal_contents_have_equal_numbers() -> None:
    shared = OperationCache()
    first, second = value([1, 2], [3, 4]), value([3, 4])
    assert shared.rows(first, (1,)) == shared.rows(second, (0,))
    assert shared.rows(first, (0,)) != shared.rows(first, (1,))


def test_a_value_does_not_keep_the_cache_that_numbered_its_rows() -> None:
    """Constants of a program outlive a run, and with it the results of all its operations."""
    constant, first, second = value([1], [2]), OperationCache(), OperationCache()
    second.rows(value([2]), (0,))
    assert first.rows(constant, (0, 1)) == [0, 1]
    assert not any(isinstance(one, OperationCache) for one in gc.get_referents(constant.numbers))
    assert second.rows(constant, (0, 1)) == [1, 0]


@pytest.mark.parametrize("mark", ["poison", "fragile", "error"])
def test_marks_make_another_row_unless_they_mark_nothing(mark: str) -> None:
    shared = OperationCache()
    plain = shared.rows(value([1, 2]), (0,))
    assert shared.rows(value([1, 2], **{mark: np.array([[False, True]])}), (0,)) != plain
    assert shared.rows(value([1, 2], **{mark: np.zeros((1, 2), np.bool_)}), (0,)) == plain


def test_sizes_of_equal_numbers_are_told_apart() -> None:
    shared = OperationCache()
    narrow = Value(np.array([[1, 0]], np.uint16), 16)
    assert shared.rows(narrow, (0,)) != shared.rows(Value(np.array([[1, 0]], np.uint32), 32), (0,))


def test_numbers_of_another_environment_do_not_count() -> None:
    row = value([5, 6])
    first, second = OperationCache(), OperationCache()
    second.rows(value([1, 1]), (0,))
    first.rows(row, (0,))
    assert second.rows(row, (0,)) == second.rows(value([5, 6]), (0,))


def test_only_so_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation_cache, "_MOST_BYTES", 12)
    shared = OperationCache()
    for key in range(4):
        assert shared.keep(key, value([1, 2])).bits.shape == (1, 2)
    assert [shared.get(key) is None for key in range(4)] == [False, False, True, True]


def test_only_so_many_rows_are_recognized(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation_cache, "_MOST_BYTES", 12)
    shared = OperationCache()
    numbers = [shared.rows(value([number, number]), (0,))[0] for number in (1, 2, 3, 1, 2, 3)]
    assert numbers == [0, 1, 2, 0, 1, 3]


def test_results_without_errors_are_not_those_with_them() -> None:
    machine = Machine(shader_of(INEXACT))
    environment = Environment(1)
    machine.run(environment, lanes=8, options=RunOptions(marks_inexact=True))
    tracked = machine.run(environment, lanes=8, options=RunOptions(track_error=True))
    assert (tracked.outputs[OutputKey(VAR0, 0)].error[1:] > 0).all()


@pytest.mark.sweep
@pytest.mark.parametrize("tracks", [False, True])
@pytest.mark.parametrize("name", ["hand_interp_quals", "hand_discard_nested", "hand_fullscreen_loop"])
def test_sharing_changes_no_result(
    corpus: Path, name: str, tracks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = sorted((corpus / "pipelines" / name / "modern").glob("frag.*.nir"))
    machines = [Machine(parse_dump(path.read_bytes())) for path in paths]
    options = RunOptions(track_error=tracks)
    environment = Environment(3)
    shared = [one.run(environment, options=options) for one in (*machines, *machines)]
    monkeypatch.setattr(operation_cache, "_MOST_BYTES", 0)
    environment = Environment(3)
    for number, one in enumerate((*machines, *machines)):
        alone, twin = one.run(environment, options=options), shared[number]
        assert alone.outputs.keys() == twin.outputs.keys()
        for key, plane in alone.outputs.items():
            for field in plane.__slots__:
                np.testing.assert_array_equal(getattr(plane, field), getattr(twin.outputs[key], field))
        assert (alone.discarded == twin.discarded).all()
        assert (alone.fragile == twin.fragile).all()
