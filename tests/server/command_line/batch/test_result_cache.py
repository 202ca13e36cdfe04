from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nirls.server.checking import CheckSettings
from nirls.server.command_line.batch.result_cache import ResultCache, program_version
from nirls.server.command_line.batch.unit import check_unit, units_of
from nirls.server.command_line.reported import Reported

from .test_unit import FRAGMENT, VERTEX, WRONG, workspace_of

KEY = "ab" + "0" * 62


@pytest.fixture
def found() -> list[Reported]:
    workspace = workspace_of(a_vert=f"é 𝄞\n{VERTEX}", a_frag=FRAGMENT, b_frag=WRONG)
    units = units_of(workspace, CheckSettings(), with_edits=True)
    return [one for unit in units for one in check_unit(unit)]


@pytest.fixture
def cache(tmp_path: Path) -> ResultCache:
    return ResultCache(tmp_path / "check")


def test_what_was_put_comes_back_equal(cache: ResultCache, found: list[Reported]) -> None:
    assert any(fix.edits for one in found for fix in one.fixes)
    assert any(one.related for one in found)
    cache.put(KEY, found)
    assert cache.get(KEY) == found
    assert cache.get("cd" + KEY[2:]) is None


@pytest.mark.parametrize("length", [0, 1, 64, 65, 200])
def test_a_cut_entry_is_as_good_as_none(cache: ResultCache, found: list[Reported], length: int) -> None:
    cache.put(KEY, found)
    (entry,) = cache.folder.glob("*/*")
    entry.write_bytes(entry.read_bytes()[:length])
    assert cache.get(KEY) is None
    cache.put(KEY, found)
    assert cache.get(KEY) == found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(position=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_a_flipped_byte_is_noticed(
    cache: ResultCache, found: list[Reported], position: int, byte: int
) -> None:
    cache.put(KEY, found)
    (entry,) = cache.folder.glob("*/*")
    data = bytearray(entry.read_bytes())
    data[position % len(data)] = byte
    entry.write_bytes(data)
    assert cache.get(KEY) in (None, found)


def test_a_right_checksum_over_nonsense_is_no_result(cache: ResultCache) -> None:
    for payload in (b"", b"{}", b"[1]", b'[{"file": 3}]', b"\xff", b"null"):
        path = cache.folder / KEY[:2] / KEY[2:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)
        assert cache.get(KEY) in (None, [])


def test_a_folder_that_cannot_be_used_is_no_error(tmp_path: Path, found: list[Reported]) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = ResultCache(tmp_path / "file")
    cache.put(KEY, found)
    assert cache.get(KEY) is None
    cache.shrink()


def test_nothing_half_written_is_left(cache: ResultCache, found: list[Reported]) -> None:
    cache.put(KEY, found)
    assert [path.name for path in cache.folder.rglob("*") if path.is_file()] == [KEY[2:]]


def test_the_oldest_go_first(cache: ResultCache, found: list[Reported]) -> None:
    keys = [f"{number:02}" + "0" * 62 for number in range(4)]
    for age, key in enumerate(keys):
        cache.put(key, found)
        os.utime(cache.folder / key[:2] / key[2:], (age, age))
    cache.get(keys[0])  # used just now
    size = (cache.folder / keys[0][:2] / keys[0][2:]).stat().st_size
    cache.shrink(2 * size)
    assert [cache.get(key) is not None for key in keys] == [True, False, False, True]


def test_the_program_has_a_version() -> None:
    assert len(program_version()) == 64
