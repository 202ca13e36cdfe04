from __future__ import annotations

from nirls.server.cli.log_verdicts import verdicts_in
from tests.server.cli.commands.test_verify import FIRST, MOVED, WRONG


def test_verdicts_are_by_the_second_dump() -> None:
    verdicts = verdicts_in(f"nir_a\n{FIRST}nir_b\n{MOVED}nir_c\n{MOVED}nir_d\n{WRONG}".encode())
    assert [verdicts[dump][0] for dump in (1, 2, 3)] == ["equivalent", "unchanged", "different"]
    assert "VARYING_SLOT_POS.x" in verdicts[3][1]
