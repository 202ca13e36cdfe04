"""`make fuzz`: random shaders through every pass on single shaders; each result is run against what went in.

Prints for each pass how many results are the same program, how many shaders it left alone, how many cannot be
told, how many were changed by a second run, and the number of every one that differs, which
`shader_of` turns into the shader.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.ir.text.printing.print_shader import print_shader
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from tools.random_shaders import random_shader

_RUNS = ValidationOptions(runs=3, most_runs=3, lanes=32, iteration_limit=200)
PASSES = (
    "copy_prop",
    "opt_dce",
    "opt_cse",
    "opt_constant_folding",
    "opt_dead_cf",
    "opt_remove_phis",
    "opt_undef",
    "opt_algebraic",
    "lower_alu_to_scalar",
    "lower_phis_to_scalar",
    "clean_up",
    "opt_discard_if",
    "opt_move_discards_to_top",
    "lower_regs_to_ssa",
    "convert_from_ssa",
    "lower_vec_and_coalesce",
    "lower_vars_to_ssa",
    "lower_dynamic_bo_access",
    "lower_io_to_scalar",
    "opt_barriers",
)
RESTS_AT_ONCE = (
    frozenset(PASSES)
    - {"convert_from_ssa", "lower_vec_and_coalesce", "opt_discard_if"}
    - {
        # As in Mesa: what goes away leaves less for what stands above it to be read by.
        *("opt_undef", "opt_remove_phis")
    }
)
"""Passes that a second run finds nothing to do after; `clean_up` repeats the others until that is so."""


def check(number: int, declared: type[Pass]) -> tuple[str, str]:
    """What came of one shader: `same`, `unchanged`, `unchecked`, `restless`, `different` or `invalid`."""
    before = shader_of(number)
    after = clone_shader(before)
    if not declared.applies_to([before]) or not declared().run([after]):
        return "unchanged", ""
    result = parse_dump(print_shader(after))
    if result.unreadable:
        return "invalid", f"unreadable: {result.unreadable[0].text}"
    known = {problem.code for problem in validate(before)}
    for problem in validate(result):
        if problem.severity == "error" and problem.code not in known:
            return "invalid", str(problem)
    again = clone_shader(result)
    moves = declared.name in RESTS_AT_ONCE and bool(declared().run([again]))
    verdict = validate_pass(before, result, _RUNS)
    if isinstance(verdict, Different):
        return "different", str(verdict)
    if moves:
        return "restless", "a second run changes more"
    return ("same" if isinstance(verdict, Equivalent) else "unchecked"), str(verdict)


def shader_of(number: int) -> Shader:
    """The random shader of that number; every fourth as Mesa 22.3 would have printed it."""
    shader = random_shader(number)
    return shader if number % 4 != 3 else parse_dump(convert(shader, Dialect.CLASSIC))


def main() -> int:
    """1 if a result is invalid or differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=None, help="stop after this long")
    parser.add_argument("--passes", nargs="*", default=PASSES)
    arguments = parser.parse_args()
    counts: Counter[tuple[str, str]] = Counter()
    started, number = time.monotonic(), arguments.first
    for number in range(arguments.first, arguments.first + arguments.count):
        if arguments.seconds is not None and time.monotonic() - started > arguments.seconds:
            break
        for name in arguments.passes:
            declared = registry.find(name)
            assert declared is not None
            outcome, text = check(number, declared)
            counts[name, outcome] += 1
            if outcome in ("different", "invalid", "restless"):
                print(f"{name} on shader {number}: {outcome}: {text}", flush=True)
    words = ("same", "unchanged", "unchecked", "restless", "different", "invalid")
    for name in arguments.passes:
        told = ", ".join(f"{counts[name, word]} {word}" for word in words)
        print(f"{name}, random shaders {arguments.first} to {number}: {told}", flush=True)
    return int(any(counts[name, word] for name in arguments.passes for word in ("different", "invalid")))


if __name__ == "__main__":
    sys.exit(main())
