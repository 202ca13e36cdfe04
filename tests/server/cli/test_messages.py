from __future__ import annotations

import pytest

from nirls.server.cli.messages import complain


@pytest.mark.parametrize(
    ("message", "written"),
    [
        ("one", "nirls: one\n"),
        ("one\n  two", "nirls: one\n  |   two\n"),
        ("a\n::error::b", "nirls: a\n  | ::error::b\n"),
        ("\x1b]0;x\x07\r##[error]", "nirls: \\x1b]0;x\\x07\\r##\\x5berror]\n"),
    ],
)
def test_messages_go_to_standard_error_and_steer_nothing(
    capsys: pytest.CaptureFixture[str], message: str, written: str
) -> None:
    complain(message)
    assert capsys.readouterr() == ("", written)
