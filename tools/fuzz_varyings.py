"""`make fuzz`: random pipelines through opt_varyings; each result is run against what went in.

Prints how many are the same program, how many cannot be told, and the number of every one that differs, which
`tools.random_pipelines.random_pair` turns into the pipeline.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from nirls.ir.clone import clone_shader
from nirls.ir.validation import validate
from nirls.passes.translation_validation import Different, ValidationOptions, validate_pass
from nirls.passes.varyings import opt_varyings
from tools.random_pipelines import random_pair

_RUNS = ValidationOptions(runs=2, most_runs=2)


def check(number: int) -> tuple[str, str]:
    """The outcome for one pipeline: `same`, `unchecked`, `different` or `invalid`, and a text."""
    before = random_pair(number)
    after = [clone_shader(shader) for shader in before]
    opt_varyings.run(after, {"clean_up": number % 2 == 0})
    for shader in after:
        for problem in validate(shader):
            if problem.severity == "error":
                return "invalid", str(problem)
    verdict = validate_pass(before, after, _RUNS)
    if isinstance(verdict, Different):
        return "different", str(verdict)
    return ("same" if str(verdict).startswith("equivalent") else "unchecked"), ""


def main() -> int:
    """1 if a result is invalid or differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    for number in range(arguments.start, arguments.start + arguments.count):
        outcome, text = check(number)
        counts[outcome] += 1
        if text:
            print(f"{number}: {outcome}: {text}")
    print(
        "  ".join(f"{outcome} {counts[outcome]}" for outcome in ("same", "unchecked", "different", "invalid"))
    )
    return int(counts["different"] + counts["invalid"] > 0)


if __name__ == "__main__":
    sys.exit(main())
