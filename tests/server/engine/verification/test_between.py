from __future__ import annotations

import pytest

from nirls.server.engine.verification.between import shared_shaders
from nirls.server.engine.verification.log import read_log
from tests.server.engine.verification.test_transitions import CONSUMER, NEW_CONSUMER, NEW_PRODUCER, PRODUCER


def nameless(text: str) -> str:
    return text.replace("name: v\n", "").replace("name: f\n", "")


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (PRODUCER, NEW_PRODUCER, [("VS v", 0, 0)]),
        (f"{PRODUCER}{CONSUMER}", f"{CONSUMER}x_y\n{NEW_CONSUMER}", [("FS f", 1, 1)]),
        (PRODUCER, CONSUMER, []),
        (PRODUCER, PRODUCER.replace("name: v", "name: w"), []),
        # The only one of its stage, in a log that names none.
        (PRODUCER, nameless(NEW_PRODUCER), [("VS v", 0, 0)]),
    ],
)
def test_shaders_of_two_logs(one: str, other: str, expected: list[tuple[str, int, int]]) -> None:
    found = shared_shaders(read_log(one.encode()), read_log(other.encode()))
    assert [(shared.shader, shared.first, shared.second) for shared in found] == expected
