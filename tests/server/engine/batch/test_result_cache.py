from __future__ import annotations

import errno
import hashlib
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nirls.server.engine.batch.result_cache import LARGEST, ResultCache
from nirls.server.engine.batch.unit import UnitFindings, check_unit
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.files.located_findings import Check
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict, verify_unit
from tests.passes.shader_text import store
from tests.server.engine.verification.test_transitions import vertex

from .test_unit import FRAGMENT, VERTEX, WRONG, workspace_of

KEY = "ab" + "0" * 62


@pytest.fixture
def found() -> UnitFindings:
    workspace = workspace_of(a_vert=f"é 𝄞\n{VERTEX}", a_frag=FRAGMENT, b_frag=WRONG)
    units = Check.of(workspace, CheckSettings(), edits_of=("one",), totals=True).units
    found = [check_unit(unit) for unit in units]
    findings = tuple(one for each in found for one in each.findings)
    total = next(each.total for each in found if each.total is not None)
    return UnitFindings(findings, tuple(pair for each in found for pair in each.made), total)


@pytest.fixture
def cache(tmp_path: Path) -> ResultCache:
    return ResultCache(tmp_path / "check")


def test_what_was_put_comes_back_equal(cache: ResultCache, found: UnitFindings) -> None:
    assert any(made.edits for made in found.fixes.values())
    assert any(one.related for one in found.findings)
    cache.put(KEY, found)
    assert cache.get(KEY, UnitFindings) == found
    assert cache.get("cd" + KEY[2:], UnitFindings) is None


def test_a_verdict_with_its_counterexample_comes_back_equal(cache: ResultCache) -> None:
    before = vertex("32 %3 = fsub %2, %1", store("POS", "%3"))
    after = vertex("32 %3 = fsub %1, %2", store("POS", "%3"))
    verdict = verify_unit(TransitionUnit(before.encode(), after.encode(), "nir_opt_dce"))
    assert verdict.counterexample is not None
    assert verdict.instruction is not None
    cache.put(KEY, verdict)
    assert cache.get(KEY, TransitionVerdict) == verdict


@pytest.mark.parametrize("length", [0, 1, 64, 65, 200])
def test_a_cut_entry_is_as_good_as_none(cache: ResultCache, found: UnitFindings, length: int) -> None:
    cache.put(KEY, found)
    (entry,) = cache.folder.glob("*/*")
    entry.write_bytes(entry.read_bytes()[:length])
    assert cache.get(KEY, UnitFindings) is None
    cache.put(KEY, found)
    assert cache.get(KEY, UnitFindings) == found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_a_flipped_byte_is_noticed(cache: ResultCache, found: UnitFindings, position: int, byte: int) -> None:
    cache.put(KEY, found)
    (entry,) = cache.folder.glob("*/*")
    data = bytearray(entry.read_bytes())
    data[position % len(data)] = byte
    entry.write_bytes(data)
    assert cache.get(KEY, UnitFindings) in (None, found)


def test_a_right_checksum_over_nonsense_is_no_result(cache: ResultCache) -> None:
    for payload in (b"", b"{}", b"[1]", b'[{"file": 3}]', b"\xff", b"null", b"[" * 100_000):
        path = cache.folder / KEY[:2] / KEY[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
        assert cache.get(KEY, UnitFindings) is None


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path, found: UnitFindings) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ResultCache(tmp_path / "file")
    cache.put(KEY, found)
    assert cache.get(KEY, UnitFindings) is None
    cache.shrink()


def test_nothing_half_written_is_left(cache: ResultCache, found: UnitFindings) -> None:
    cache.put(KEY, found)
    assert [path.name for path in cache.folder.rglob("*") if path.is_file()] == [KEY[2:]]


def test_a_full_disk_leaves_nothing_behind(
    cache: ResultCache, found: UnitFindings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", full)
        cache.put(KEY, found)
    assert not [path for path in cache.folder.rglob("*") if path.is_file()]
    assert cache.get(KEY, UnitFindings) is None
    cache.put(KEY, found)
    assert cache.get(KEY, UnitFindings) == found


def _with_ages(cache: ResultCache, found: UnitFindings, ages: list[float]) -> list[str]:
    """Entries that were used so many seconds ago."""
    keys = [f"{number:02}" + "0" * 62 for number in range(len(ages))]
    now = time.time()
    for key, age in zip(keys, ages, strict=True):
        cache.put(key, found)
        os.utime(cache.folder / key[:2] / key[2:], (now - age, now - age))
    return keys


def test_the_oldest_go_first(cache: ResultCache, found: UnitFindings) -> None:
    keys = _with_ages(cache, found, [400, 300, 200, 100])
    cache.get(keys[0], UnitFindings)  # used just now
    count, size = cache.size()
    assert count == 4
    cache.shrink(size // 2)
    assert [cache.get(key, UnitFindings) is not None for key in keys] == [True, False, False, True]


def test_what_nobody_used_for_long_goes(cache: ResultCache, found: UnitFindings) -> None:
    day = 24 * 3600
    keys = _with_ages(cache, found, [31 * day, 29 * day])
    cache.shrink(LARGEST)
    assert [cache.get(key, UnitFindings) is not None for key in keys] == [False, True]


def test_what_was_half_written_goes_when_its_run_must_be_over(cache: ResultCache) -> None:
    folder = cache.folder / "ab"
    folder.mkdir(parents=True)
    for name, age in ((".new", 60), (".old", 7200)):
        (folder / name).write_bytes(b"half")
        os.utime(folder / name, (time.time() - age, time.time() - age))
    cache.shrink()
    assert [path.name for path in folder.iterdir()] == [".new"]


def test_a_cache_can_be_cleared(cache: ResultCache, found: UnitFindings) -> None:
    _with_ages(cache, found, [0, 1])
    cache.clear()
    assert cache.size() == (0, 0)


def test_a_user_without_a_home_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ResultCache.of_user() is not None
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert ResultCache.of_user() is None
