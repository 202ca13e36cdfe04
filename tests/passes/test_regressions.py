"""Every dump on which a pass once went wrong, as `nirls reduce` left it: PASS.what.nir.

The pass must run, and its result must be valid and the same program.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.text.parse import parse_shaders
from nirls.ir.validation import new_errors
from nirls.passes import registry
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.conftest import DATA

CASES = sorted((DATA / "regressions").glob("*.nir"))


@pytest.mark.parametrize("path", CASES, ids=[path.name for path in CASES])
def test_regression(path: Path) -> None:
    declared = registry.find(path.name.partition(".")[0])
    assert declared is not None, "the file's name begins with the name of the pass"
    shaders = parse_shaders(path.read_bytes())
    assert shaders
    assert not any(shader.unreadable for shader in shaders)
    groups = [shaders] if declared.scope == "pipeline" else [[shader] for shader in shaders]
    for before in groups:
        after = [clone_shader(shader) for shader in before]
        declared().run(after)
        assert new_errors(before, after) == []
        assert isinstance(verify_shaders(before, after), Equivalent)


def test_there_are_cases() -> None:
    assert CASES
