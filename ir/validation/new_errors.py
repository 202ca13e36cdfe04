"""Validation errors that a pass introduced into a shader."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from nirls.ir.finding import Finding
from nirls.ir.model.shader import Shader
from nirls.ir.validation.validate import errors_of


def new_errors(before: Sequence[Shader], after: Sequence[Shader]) -> list[Finding]:
    """Return the errors in excess of those before, counted by code; the last ones of each code.

    The numbers of values and blocks may change, so single errors cannot be matched.
    """
    found: list[Finding] = []
    for one, other in zip(before, after, strict=True):
        errors = errors_of(other)
        if not errors:
            continue
        allowed = Counter(problem.code for problem in errors_of(one))
        for problem in errors:
            allowed[problem.code] -= 1
            if allowed[problem.code] < 0:
                found.append(problem)
    return found
