"""Verification of passes: run shaders before and after one, and compare their visible results."""

from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import (
    Counterexample,
    Different,
    Equivalent,
    InputCoverage,
    InputValue,
    Unchecked,
    Verdict,
    plain_coverage,
)
from nirls.verification.verify_shaders import verify_shaders

__all__ = [
    "Counterexample",
    "Different",
    "Equivalent",
    "InputCoverage",
    "InputValue",
    "Unchecked",
    "Verdict",
    "VerificationOptions",
    "plain_coverage",
    "verify_shaders",
]
