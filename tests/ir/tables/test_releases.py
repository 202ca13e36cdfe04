from __future__ import annotations

import pytest

from nirls.ir.tables.releases import RELEASES, format_releases, parse_releases, releases_from


@pytest.mark.parametrize("text", ["", "26.2", "10.5-26.2", "10.5-11.2 12.0", "17.3-18.1 20.0 25.0-26.2"])
def test_ranges_are_read_and_written_alike(text: str) -> None:
    releases = parse_releases(text)
    assert parse_releases(format_releases(reversed(releases))) == releases
    assert format_releases(releases) == text.replace("11.2 12.0", "12.0").replace("10.5-12.0", "10.5-12.0")


def test_a_range_covers_the_releases_between() -> None:
    assert parse_releases("17.3-18.2") == ("17.3", "18.0", "18.1", "18.2")
    assert releases_from("25.0") == {"25.0", "25.1", "26.2"}
    assert releases_from(RELEASES[0]) == set(RELEASES)


@pytest.mark.parametrize("text", ["2015", "22.3-22.9", "x"])
def test_unknown_releases_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="unknown Mesa release"):
        parse_releases(text)
