"""`make fuzz`: random pipelines through opt_varyings; each result is run against what went in.

Prints how many are the same program, how many cannot be told, and the number of every one that differs, is
not valid or ends the pass. Every fourth number makes a pair of `tools.odd_pipelines`, the others a pipeline
of `tools.random_pipelines`; `pipeline_of` turns the number into shaders.
"""

from __future__ import annotations

import argparse
import random
import sys
import traceback
from collections import Counter

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.validation import validate
from nirls.passes.translation_validation import (
    Different,
    Equivalent,
    ValidationOptions,
    validate_pass,
)
from nirls.passes.varyings.opt_varyings import OptVaryings
from tools.odd_pipelines import odd_pipeline
from tools.random_pipelines import random_pipeline

OUTCOMES = ("same", "unchecked", "different", "invalid", "crash")
_WRONG = frozenset(("different", "invalid", "crash"))
_SWITCHES = (
    "clean_up",
    "flexible_interpolation",
    "move_code",
    "move_forward",
    "pack",
    "preserve_infs",
    "preserve_nans",
    "rotate_colors",
    "supports_16bit_io",
    "use_pos",
)
_RUNS = ValidationOptions(runs=2, most_runs=2)


def pipeline_of(number: int) -> list[Shader]:
    """The linked stages of a number."""
    return odd_pipeline(number) if number % 4 == 3 else random_pipeline(number)


def options_of(number: int) -> dict[str, bool | int]:
    """What the pass is told for one pipeline: the defaults for every other one, any of its options else."""
    seed = random.Random(number)
    if seed.random() < 0.5:
        return {"clean_up": seed.random() < 0.5}
    found: dict[str, bool | int] = {name: seed.random() < 0.5 for name in _SWITCHES}
    found["max_cost"] = seed.choice((-1, -1, 0, 1, 4))
    found["max_ubos"] = seed.choice((15, 15, 0))
    return found


def check(number: int) -> tuple[str, str]:
    """The outcome for one pipeline, one of OUTCOMES, and a text for the wrong ones."""
    before = pipeline_of(number)
    after = [clone_shader(shader) for shader in before]
    try:
        OptVaryings.with_options(options_of(number)).run(after)
    except Exception:
        return "crash", traceback.format_exc()
    for shader in after:
        for problem in validate(shader):
            if problem.severity == "error":
                return "invalid", str(problem)
    verdict = validate_pass(before, after, _RUNS)
    if isinstance(verdict, Different):
        return "different", str(verdict)
    return ("same" if isinstance(verdict, Equivalent) else "unchecked"), ""


def main() -> int:
    """1 if a result is invalid or differs, or there is none."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    kinds: dict[str, Counter[str]] = {}
    for number in range(arguments.start, arguments.start + arguments.count):
        outcome, text = check(number)
        counts[outcome] += 1
        kinds.setdefault(_stages(number), Counter())[outcome] += 1
        if text:
            print(f"{number}: {outcome}: {text}", flush=True)
    for stages, found in sorted(kinds.items()):
        print(f"{stages:20} {_counted(found)}")
    print(f"{'all':20} {_counted(counts)}")
    return int(any(counts[outcome] for outcome in _WRONG))


def _counted(counts: Counter[str]) -> str:
    return "  ".join(f"{outcome} {counts[outcome]}" for outcome in OUTCOMES)


def _stages(number: int) -> str:
    """`VS TCS TES`."""
    return " ".join(
        "?" if shader.stage is None else shader.stage.abbreviation for shader in pipeline_of(number)
    )


if __name__ == "__main__":
    sys.exit(main())
