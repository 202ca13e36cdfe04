"""Versions of installed packages."""

from __future__ import annotations

from importlib import metadata


def version_of(package: str, otherwise: str = "") -> str:
    """Return the version of a package; `otherwise` if it is not installed as one, as in a bundled program."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return otherwise
