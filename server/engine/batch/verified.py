"""Verification of pass results by execution, for `nirls opt --verify`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.model.shader import Shader
from nirls.ir.validation import new_errors
from nirls.server.engine.checks.fix_verdicts import FixVerdict
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict
from nirls.verification.verify_shaders import verify_shaders


@dataclass(frozen=True, slots=True)
class Verified:
    """The verdict on a pass result.

    `where` names the dumps; it is "" in a unit of work, which has no names. `error` is set for an invalid
    result. A wrong result is discarded, and so is an unchecked one unless `allows_unchecked`.
    """

    pass_name: str
    where: str
    verdict: Verdict
    error: str | None = None
    allows_unchecked: bool = False

    @property
    def is_wrong(self) -> bool:
        return self.error is not None or isinstance(self.verdict, Different)

    @property
    def is_left_out(self) -> bool:
        return self.is_wrong or (not self.allows_unchecked and not isinstance(self.verdict, Equivalent))

    def plain(self) -> dict[str, object]:
        """Convert to JSON values; `tried` is set for an equivalent result."""
        fix_verdict = FixVerdict.of(self.verdict)
        return {
            "pass": self.pass_name,
            "dumps": self.where,
            "verdict": "different" if self.is_wrong else fix_verdict.verdict,
            "reason": self._reason,
            "tried": fix_verdict.tried,
            "left_out": self.is_left_out,
        }

    @property
    def _reason(self) -> str:
        return f"not valid: {self.error}" if self.error is not None else str(self.verdict)

    def __str__(self) -> str:
        text = f"{self.pass_name} on {self.where}: {self._reason}"
        return f"{text}\n  this result was left out" if self.is_left_out else text


def verified(
    pass_name: str,
    before: Sequence[Shader],
    after: Sequence[Shader],
    assumptions: Assumptions,
    *,
    allows_unchecked: bool = False,
) -> Verified:
    """Verify a pass result: it must be valid, and equivalent under the assumptions of the pass."""
    errors = new_errors(before, after)
    if errors:
        return Verified(pass_name, "", Unchecked("it is not valid"), errors[0].message)
    verdict = verify_shaders(before, after, VerificationOptions(assumptions=assumptions))
    return Verified(pass_name, "", verdict, allows_unchecked=allows_unchecked)


def summary(results: Iterable[Verified]) -> str:
    """Return one line with the numbers of equivalent, wrong and unchecked results."""
    verifieds = list(results)
    wrong = sum(one.is_wrong for one in verifieds)
    right = sum(isinstance(one.verdict, Equivalent) for one in verifieds)
    return f"{right} equivalent, {wrong} wrong, {len(verifieds) - right - wrong} unchecked"
