"""`make fuzz`: random patches through the tessellation passes; each result is run against what went in.

Prints, for each pass and for the chain of them, how many results are the same program, how many patches it
left alone, how many cannot be told, and the number of every one that differs, which
`tools.random_tessellation.random_patch` turns into the pipeline.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping

from nirls.ir.clone import clone_shader
from nirls.ir.edits import apply_edits, text_edits
from nirls.ir.parse import parse_dump
from nirls.ir.shader import Shader
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.options import resolve_options
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from tools.random_tessellation import random_patch

_RUNS = ValidationOptions(runs=3, most_runs=3)
PASSES = ("restructure_tcs_flow", "opt_barriers", "inline_vs_in_tcs", "optimize_tcs")


def check(number: int, pass_name: str) -> tuple[str, str]:
    """What came of one pipeline: `same`, `unchanged`, `unchecked`, `different` or `invalid`, and a text."""
    before = random_patch(number)
    after = [clone_shader(shader) for shader in before]
    if not _apply(pass_name, after):
        return "unchanged", ""
    # What an editor would get: the text of the result.
    after = [
        parse_dump(apply_edits(old.source, text_edits(old, new)))
        for old, new in zip(before, after, strict=True)
    ]
    for shader in after:
        if shader.unreadable:
            return "invalid", f"unreadable: {shader.unreadable[0].text}"
        for problem in validate(shader):
            if problem.severity == "error":
                return "invalid", str(problem)
    verdict = validate_pass(before, after, _RUNS)
    if isinstance(verdict, Different):
        return "different", str(verdict)
    return ("same" if isinstance(verdict, Equivalent) else "unchecked"), str(verdict)


def _apply(pass_name: str, shaders: list[Shader]) -> bool:
    """Run a pass as the command line does; whether it changed anything."""
    declared = registry.find(pass_name)
    assert declared is not None
    options: Mapping[str, object] = {}
    resolved = resolve_options(declared, options)
    if declared.scope == "pipeline":
        return bool(declared.run(shaders, resolved))
    changed = [declared.run([shader], resolved) for shader in shaders if declared.applies_to(shader.stage)]
    return any(changed)


def main() -> int:
    """1 if a result is invalid or differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--passes", nargs="*", default=PASSES)
    arguments = parser.parse_args()
    failed = False
    for pass_name in arguments.passes:
        counts: Counter[str] = Counter()
        for number in range(arguments.first, arguments.first + arguments.count):
            outcome, text = check(number, pass_name)
            counts[outcome] += 1
            if outcome in ("different", "invalid"):
                print(f"{pass_name} on patch {number}: {outcome}: {text}", flush=True)
        words = ("same", "unchanged", "unchecked", "different", "invalid")
        told = ", ".join(f"{counts[word]} {word}" for word in words)
        print(f"{pass_name}, {arguments.count} random patches: {told}", flush=True)
        failed = failed or counts["different"] + counts["invalid"] > 0
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
