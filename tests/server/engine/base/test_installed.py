"""Versions of installed packages."""

from __future__ import annotations

from nirls.server.engine.base.installed import version_of


def test_a_package_that_is_not_installed_has_no_version() -> None:
    assert version_of("pygls")[0].isdigit()
    assert version_of("no-such-package") == ""
    assert version_of("no-such-package", "0") == "0"
