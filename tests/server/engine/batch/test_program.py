from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from nirls.passes import registry
from nirls.server.engine.batch import program
from tests.declared_pass import declare


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    def forget() -> None:
        program.program_version.cache_clear()
        program.code_version.cache_clear()

    forget()
    yield
    forget()


def version() -> str:
    program.program_version.cache_clear()
    program.code_version.cache_clear()
    return program.program_version()


def test_it_stays_while_nothing_changes() -> None:
    assert version() == version()
    assert program.program_version() != program.code_version()


def test_it_follows_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    code, compiled = tmp_path / "sub" / "a.py", tmp_path / "b.so"
    monkeypatch.setattr(program, "_own_folders", lambda: [tmp_path])
    seen = []
    # As long as before, and written within one tick of the clock.
    for text, machine_code in (("a = 1", b"1"), ("a = 2", b"1"), ("a = 2", b"2")):
        code.write_text(text)
        compiled.write_bytes(machine_code)
        seen.append((version(), program.code_version()))
    assert len({all_code for all_code, _ in seen}) == 3
    assert len({portable for _, portable in seen}) == 2
    code.rename(tmp_path / "sub" / "c.py")
    assert version() not in {all_code for all_code, _ in seen}


def test_it_follows_the_code_of_packages_that_add_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "odd_passes"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text("a = 1")
    monkeypatch.syspath_prepend(tmp_path)
    before = version()
    monkeypatch.setattr(
        registry, "passes_of_packages", lambda: (declare("odd", __module__="odd_passes.one"),)
    )
    with_package = version()
    (package / "one.py").write_text("a = 2")
    assert len({before, with_package, version()}) == 3
    assert "odd_passes" not in sys.modules


def test_a_package_that_is_gone_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        registry, "passes_of_packages", lambda: (declare("odd", __module__="no_such_package.one"),)
    )
    assert version()


def test_a_library_that_is_not_installed_as_one_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert version()
