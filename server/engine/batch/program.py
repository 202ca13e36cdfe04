"""Hashes of the code of nirls and of the packages that add passes, as a part of cache keys."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

from nirls.passes import registry
from nirls.server.engine.base.installed import version_of

_PORTABLE = frozenset({".py", ".json", ".scm", ".txt"})
_COMPILED = frozenset({".so", ".pyd"})
_LIBRARIES = ("numpy", "tree-sitter")


@cache
def program_version() -> str:
    """Return a hash of all code that affects results, including compiled code and library versions."""
    versions = [code_version(), platform.python_version(), *map(version_of, _LIBRARIES)]
    return _digest(versions, _files(_own_folders(), _COMPILED))


@cache
def code_version() -> str:
    """Return a hash of the sources alone, equal on all machines with the same nirls and pass packages."""
    packages = sorted(_packages_of_passes())
    files = [*_files(_own_folders(), _PORTABLE), *_files(map(_place_of, packages), {".py"})]
    return _digest(packages, files)


def _own_folders() -> list[Path]:
    server = Path(__file__).resolve().parents[2]
    return [server, server.parent / "ir", server.parent / "verification", server.parent / "passes"]


def _packages_of_passes() -> set[str]:
    """Top-level packages of pass entry points and of the pass classes themselves."""
    declaring = [entry.module for entry in metadata.entry_points(group=registry.ENTRY_POINT_GROUP)]
    modules = declaring + [declared.__module__ for declared in registry.passes_of_packages()]
    return {module.partition(".")[0] for module in modules} - {"nirls"}


def _place_of(package: str) -> Path:
    """Folder of a package, or file of a module; `Path(package)` if missing, as its passes fail later."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return Path(package)
    folders = spec.submodule_search_locations
    return Path(folders[0] if folders else spec.origin or package)


def _files(places: Iterable[Path], suffixes: Iterable[str]) -> Iterator[tuple[str, Path]]:
    """Yield (relative name, path) for the files with these suffixes in folders."""
    for place in places:
        if place.is_file():
            yield place.name, place
        for path in sorted(place.rglob("*")):
            if path.suffix in suffixes:
                yield path.relative_to(place).as_posix(), path


def _digest(words: Iterable[str], files: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256("\n".join(words).encode())
    is_empty = True
    for name, path in files:
        content = path.read_bytes()
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
        is_empty = False
    if is_empty:
        # A program bundled without its sources is a single file.
        status = Path(sys.executable).stat()
        digest.update(f"{sys.executable} {status.st_size} {status.st_mtime_ns}".encode())
    return digest.hexdigest()
