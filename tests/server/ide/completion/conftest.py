"""`check(text, labels)`: what is offered first at the `$0` of a dump."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nirls.server.ide.completion.complete import Completions, complete
from nirls.server.ide.cursor.outline import outline

CURSOR = b"$0"
Complete = Callable[[bytes], Completions]


@pytest.fixture
def completed() -> Complete:
    """Completes at the one `$0` of a text."""

    def make(text: bytes) -> Completions:
        assert text.count(CURSOR) == 1
        plain = text.replace(CURSOR, b"")
        return complete(plain, outline(plain), text.index(CURSOR))

    return make
