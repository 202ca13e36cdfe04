from __future__ import annotations

import re

import pytest

from nirls.ir.text.structure import DIRECTIVE
from tools.regular_expressions.uses import pattern_uses

pytestmark = pytest.mark.sweep  # imports every module


def test_patterns_are_found_with_their_flags_and_methods() -> None:
    own = [use for use in pattern_uses() if use.place.startswith("ir/text/structure.py:")]
    assert DIRECTIVE.pattern in [use.pattern for use in own]
    assert any(use.flags & re.MULTILINE and "finditer" in use.methods for use in own)


def test_patterns_made_of_others_are_evaluated() -> None:
    own = [use for use in pattern_uses() if use.place.startswith("verification/tracing/given_values.py:")]
    assert any(isinstance(use.pattern, bytes) and use.pattern.startswith(DIRECTIVE.pattern) for use in own)
