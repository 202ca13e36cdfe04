"""The passes that come with nirls are data: complete, without doubles, and nothing runs to list them."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter

import pytest

from nirls.passes.builtin import PASSES
from nirls.passes.registry import Pass

MODULES = [one.module for one in PASSES]


def test_names_and_codes_are_unique() -> None:
    names = Counter(one.name for one in PASSES)
    codes = Counter(code.code for one in PASSES for code in one.codes)
    assert max(names.values()) == 1
    assert max(codes.values()) == 1
    assert all(one.part_of in names for one in PASSES if one.part_of)


@pytest.mark.parametrize("one", PASSES, ids=lambda one: one.name)
def test_a_pass_that_declares_findings_looks_for_them(one: Pass) -> None:
    module = importlib.import_module(one.module)
    assert callable(module.run)
    assert hasattr(module, "find") or not one.codes
    assert one.summary[0].isupper()
    assert not one.summary.endswith(".")


def test_listing_the_passes_imports_none_of_them() -> None:
    program = (
        "import sys; import nirls.passes.builtin;"
        f" print([name for name in {MODULES!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
