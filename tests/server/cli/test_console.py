from __future__ import annotations

import pytest

from nirls.server.cli.console import OutputConsole


class _Closed:
    """A stream whose reader is gone."""

    encoding = "utf-8"

    def write(self, text: str) -> int:
        raise BrokenPipeError

    def flush(self) -> None:
        raise BrokenPipeError

    def isatty(self) -> bool:
        return False


def test_a_reader_that_is_gone_is_not_an_exit_status_of_rich() -> None:
    console = OutputConsole(file=_Closed())  # type: ignore[arg-type]
    with pytest.raises(BrokenPipeError):
        console.print("text")
