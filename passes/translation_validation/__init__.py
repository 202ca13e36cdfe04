"""Translation validation: run shaders before and after a pass, and compare their visible results."""

from nirls.passes.translation_validation.validate_pass import ValidationOptions, validate_pass
from nirls.passes.translation_validation.verdict import (
    Counterexample,
    Different,
    Equivalent,
    InputValue,
    Tried,
    Unchecked,
    Verdict,
    plain_tried,
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
    "plain_tried",
    "validate_pass",
]
