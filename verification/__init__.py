"""Translation validation: run shaders before and after a pass, and compare their visible results."""

from nirls.verification.verdict import (
    Counterexample,
    Different,
    Equivalent,
    InputValue,
    Tried,
    Unchecked,
    Verdict,
    plain_tried,
)
from nirls.verification.verify_shaders import VerificationOptions, verify_shaders

__all__ = [
    "Counterexample",
    "Different",
    "Equivalent",
    "InputValue",
    "Tried",
    "Unchecked",
    "Verdict",
    "VerificationOptions",
    "plain_tried",
    "verify_shaders",
]
