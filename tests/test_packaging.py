"""The installed package holds every module of the source tree."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent


def listed_packages(project: Path) -> set[str]:
    return set(runpy.run_path(str(PROJECT / "setup.py"))["packages"](project))


def folders_with_modules(project: Path) -> set[str]:
    return {"nirls"} | {
        ".".join(("nirls", *module.parent.relative_to(project).parts))
        for folder in ("ir", "verification", "passes", "server")
        for module in (project / folder).rglob("*.py")
    }


def test_every_folder_with_modules_is_a_package() -> None:
    assert folders_with_modules(PROJECT) == listed_packages(PROJECT)


def test_a_folder_without_init_is_noticed(tmp_path: Path) -> None:
    for folder in ("ir", "verification", "passes", "server"):
        (tmp_path / folder / "part").mkdir(parents=True)
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "ir" / "part" / "module.py").touch()
    assert folders_with_modules(tmp_path) - listed_packages(tmp_path) == {"nirls.ir.part"}


def test_every_top_folder_has_its_import_name() -> None:
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text())
    assert settings["tool"]["setuptools"]["package-dir"] == {
        "nirls": "api",
        "nirls.ir": "ir",
        "nirls.verification": "verification",
        "nirls.passes": "passes",
        "nirls.server": "server",
    }


def test_data_files_go_with_the_package(tmp_path: Path) -> None:
    """By the build step that fills a wheel, without the compiler."""
    command = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, timeout=120)
    built = tmp_path / "nirls"
    for folder, pattern in (
        ("passes/varyings/pages", "*.md"),
        ("passes/varyings/interface", "*.toml"),
        ("ir/analysis", "*.txt"),
        ("ir/effects", "*.txt"),
        ("ir/tables", "*.txt"),
        ("ir/validation/pages", "*.md"),
        ("server/engine/pages", "*.md"),
        ("server/ide/report", "*.j2"),
        ("server/ide/report", "*.css"),
        ("ir/text/grammar", "grammar.js"),
        ("ir/text/grammar/queries", "*.scm"),
        ("ir/text/grammar/src", "*.c"),
    ):
        source = {path.name for path in (PROJECT / folder).glob(pattern)}
        assert source
        assert {path.name for path in (built / folder).glob(pattern)} == source
    assert {path.name for path in built.iterdir() if path.is_file()} == {
        "__init__.py",
        "__main__.py",
        "logs.py",
        "py.typed",
        "shaders.py",
    }


def test_a_missing_compiler_is_named_with_its_package(tmp_path: Path) -> None:
    (tmp_path / "apt-get").touch(0o755)
    command = [
        sys.executable,
        "setup.py",
        "--quiet",
        "build_ext",
        "--build-lib",
        str(tmp_path),
        "--build-temp",
    ]
    ran = subprocess.run(
        [*command, str(tmp_path)],
        cwd=PROJECT,
        env={**os.environ, "PATH": str(tmp_path), "CC": "no-such-cc"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.returncode != 0
    assert "there is no C compiler: 'no-such-cc' is not on PATH. Install gcc libc6-dev." in ran.stderr


def test_missing_headers_are_named_with_their_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "apt-get").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    setup = runpy.run_path(str(PROJECT / "setup.py"))
    message = setup["missing"]("the headers are not installed", setup["HEADER_PACKAGES"])
    assert message == "nirls compiles its grammar, and the headers are not installed. Install python3-dev."
