"""The validation errors that a pass brought into a shader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate


def new_errors(before: Sequence[Shader], after: Sequence[Shader]) -> list[Finding]:
    """As many errors of each kind as there are more than before, the last ones.

    The numbers of values and blocks may be others than before, so single errors cannot be told apart.
    """
    found: list[Finding] = []
    for one, other in zip(before, after, strict=True):
        errors = _errors(other)
        if not errors:
            continue
        allowed = Counter(problem.code for problem in _errors(one))
        for problem in errors:
            allowed[problem.code] -= 1
            if allowed[problem.code] < 0:
                found.append(problem)
    return found


def _errors(shader: Shader) -> list[Finding]:
    return [problem for problem in validate(shader) if problem.severity == "error"]
