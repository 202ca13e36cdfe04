"""Translation validation: run what a pass got and what it made of it, and see whether anybody could tell."""

from nirls.passes.translation_validation.new_errors import new_errors
from nirls.passes.translation_validation.validate_pass import ValidationOptions, validate_pass
from nirls.passes.translation_validation.verdict import (
    Counterexample,
    Different,
    Equivalent,
    InputValue,
    Tried,
    Unchecked,
    Verdict,
)

__all__ = [
    "Counterexample",
    "Different",
    "Equivalent",
    "InputValue",
    "Tried",
    "Unchecked",
    "ValidationOptions",
    "Verdict",
    "new_errors",
    "validate_pass",
]
