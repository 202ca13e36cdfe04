"""What a shell offers, asked as shells do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nirls.server.cli.completion import complete_code, complete_passes

NIRLS = Path(sys.executable).with_name("nirls")


def test_the_last_pass_of_a_list_is_completed() -> None:
    assert ("opt_dce,opt_cse", "Eliminate common subexpressions") in list(complete_passes("opt_dce,opt_c"))
    assert list(complete_passes("opt_dce,no_such")) == []


def test_codes_are_completed() -> None:
    assert [code for code, _ in complete_code("dead-")] == ["dead-output", "dead-value"]


@pytest.mark.parametrize(
    ("words", "offered"),
    [("nirls opt -p opt_dc", "opt_dce"), ("nirls explain dead-o", "dead-output"), ("nirls ch", "check")],
)
def test_bash_is_told(words: str, offered: str) -> None:
    asked = {
        "_NIRLS_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
    }
    told = subprocess.run(
        [NIRLS], env=os.environ | asked, capture_output=True, text=True, timeout=120, check=True
    )
    assert offered in told.stdout.split()
