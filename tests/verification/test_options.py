"""Options of a comparison."""

from __future__ import annotations

from nirls.verification.options import VerificationOptions


def test_extra_runs_are_made_unless_their_number_is_fixed() -> None:
    assert VerificationOptions().has_extra_runs
    assert not VerificationOptions(runs=3, most_runs=3).has_extra_runs
