"""Fuzzing with random shaders: each pass result is valid, as text too, and is run against what went in."""

from __future__ import annotations

import random
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from nirls.ir.io.access import io_access
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import CfNode, If, instrs_of
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.ir.validation import new_errors
from nirls.passes import registry
from nirls.passes.declaration import OptionValue, Pass
from nirls.passes.varyings.interface.driver_profiles import NAMES
from nirls.server.engine.checks.pass_jobs import run_in_place
from nirls.verification.evaluate.pipeline import run_pipeline
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.options import VerificationOptions
from nirls.verification.random_shaders.odd_pipelines import odd_pipeline
from nirls.verification.random_shaders.patches import random_patch
from nirls.verification.random_shaders.payloads import payload_pipeline
from nirls.verification.random_shaders.pipelines import random_pipeline
from nirls.verification.random_shaders.registers import random_register_shader
from nirls.verification.random_shaders.shaders import random_shader
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tools.fuzz.tally import in_time

Outcome = Literal["same", "unchanged", "unchecked", "restless", "different", "invalid", "crash"]
WRONG: frozenset[Outcome] = frozenset(("different", "invalid", "crash"))

RESTS_AT_ONCE = frozenset(
    (
        *("copy_prop", "opt_dce", "opt_cse", "opt_constant_folding", "opt_dead_cf", "opt_algebraic"),
        *("lower_alu_to_scalar", "lower_phis_to_scalar", "lower_io_to_scalar", "clean_up"),
        *("opt_move_discards_to_top", "lower_regs_to_ssa", "lower_vars_to_ssa", "lower_dynamic_bo_access"),
    )
)
"""Passes that a second run finds nothing to do after. Others, as in Mesa, may have to be repeated."""

_STORES = ("store_output", "store_per_vertex_output")
_SWITCHES = (
    *("clean_up", "flexible_interpolation", "move_code", "move_forward", "pack", "preserve_infs"),
    *("preserve_nans", "rotate_colors", "supports_16bit_io", "use_pos"),
)


@dataclass(frozen=True, slots=True)
class TrialKind:
    """A kind of random input: how a number becomes shaders, the passes to run, and how results are run."""

    name: str
    make: Callable[[int], list[Shader]]
    passes: tuple[str, ...]
    runs: VerificationOptions


def pipeline_of(number: int) -> list[Shader]:
    """The linked stages of a number; every fourth is an odd pair, and every third as of Mesa 22.3."""
    made = odd_pipeline(number) if number % 4 == 3 else random_pipeline(number)
    return made if number % 3 else _as_classic(made)


def _sometimes_classic(make: Callable[[int], list[Shader]]) -> Callable[[int], list[Shader]]:
    """Make every fourth input as Mesa 22.3 would have printed it."""
    return lambda number: _as_classic(make(number)) if number % 4 == 3 else make(number)


def _as_classic(shaders: list[Shader]) -> list[Shader]:
    return [parse_dump(convert(shader, Dialect.CLASSIC)) for shader in shaders]


KINDS = (
    TrialKind("pipelines", pipeline_of, ("opt_varyings",), VerificationOptions(runs=2, most_runs=2)),
    TrialKind(
        "payloads",
        _sometimes_classic(payload_pipeline),
        ("opt_varyings",),
        VerificationOptions(runs=2, most_runs=2),
    ),
    TrialKind(
        "patches",
        _sometimes_classic(random_patch),
        ("restructure_tcs_flow", "opt_barriers", "inline_vs_in_tcs", "optimize_tcs"),
        VerificationOptions(runs=3, most_runs=3),
    ),
    TrialKind(
        "shaders",
        _sometimes_classic(lambda number: [random_shader(number)]),
        (
            *("copy_prop", "opt_dce", "opt_cse", "opt_constant_folding", "opt_dead_cf", "opt_remove_phis"),
            *("opt_undef", "opt_algebraic", "lower_alu_to_scalar", "lower_phis_to_scalar", "clean_up"),
            *("opt_discard_if", "opt_move_discards_to_top", "lower_regs_to_ssa", "convert_from_ssa"),
            *("lower_vec_and_coalesce", "lower_vars_to_ssa", "lower_dynamic_bo_access"),
            *("lower_io_to_scalar", "opt_barriers", "opt_loop_unroll", "opt_if"),
        ),
        VerificationOptions(runs=3, most_runs=3, lanes=32, iteration_limit=200),
    ),
    TrialKind(
        "registers",
        lambda number: [random_register_shader(number)],
        ("lower_vec_and_coalesce", "lower_regs_to_ssa"),
        VerificationOptions(runs=3, most_runs=3),
    ),
)


def options_of(number: int) -> dict[str, OptionValue]:
    """Options of opt_varyings for a pipeline: the defaults for half of the numbers, else any."""
    seed = random.Random(number)
    if seed.random() < 0.5:
        return {"clean_up": seed.random() < 0.5}
    found: dict[str, OptionValue] = {name: seed.random() < 0.5 for name in _SWITCHES}
    found["max_cost"] = seed.choice((-1, -1, 0, 1, 4))
    found["max_ubos"] = seed.choice((15, 15, 0))
    found["driver"] = seed.choice(NAMES)
    return found


def fuzz(kind: TrialKind, numbers: Iterable[int], passes: Sequence[str], seconds: float | None) -> bool:
    """Run passes on the inputs of some numbers, for so long at most; print what came of them.

    Returns whether a result was wrong. `check` with the number that is printed does it again.
    """
    counts: Counter[tuple[str, Outcome]] = Counter()
    for number in in_time(numbers, seconds):
        for name in passes:
            outcome, text = check(kind, number, _found(name))
            counts[name, outcome] += 1
            if outcome in WRONG or outcome == "restless":
                print(f"{name} on {kind.name} {number}: {outcome}: {text}", flush=True)
    for name in passes:
        parts = [f"{count} {outcome}" for (of, outcome), count in sorted(counts.items()) if of == name]
        print(f"{kind.name}: {name}: {', '.join(parts)}", flush=True)
    return any(counts[name, outcome] for name in passes for outcome in WRONG)


def _found(name: str) -> type[Pass]:
    declared = registry.find(name)
    assert declared is not None, name
    return declared


def check(kind: TrialKind, number: int, declared: type[Pass]) -> tuple[Outcome, str]:
    """The outcome of a pass on the input of a number, and what is wrong."""
    before = kind.make(number)
    after = [clone_shader(shader) for shader in before]
    options = options_of(number) if declared.name == "opt_varyings" else {}
    made = declared.with_options(options)
    try:
        changed = run_in_place(made, after)
    except Exception:
        return "crash", traceback.format_exc()
    if not changed:
        return "unchanged", ""
    # The text of the result, as in an editor.
    after = [
        parse_dump(apply_edits(old.source, text_edits(old, new)))
        for old, new in zip(before, after, strict=True)
    ]
    error = _new_error(before, after)
    if error:
        return "invalid", error
    is_restless = declared.name in RESTS_AT_ONCE and run_in_place(
        made, [clone_shader(shader) for shader in after]
    )
    runs = replace(kind.runs, assumptions=made.assumptions(before), proves=False)
    try:
        verdict = verify_shaders(before, after, runs)
    except Exception:
        return "crash", traceback.format_exc()
    if isinstance(verdict, Different):
        return "different", str(verdict)
    wasted = work_for_culled_patches(after, number) if declared.name == "restructure_tcs_flow" else None
    if wasted is not None:
        return "different", wasted
    if is_restless:
        return "restless", "a second run changes more"
    return ("same" if isinstance(verdict, Equivalent) else "unchecked"), str(verdict)


def _new_error(before: Sequence[Shader], after: Sequence[Shader]) -> str:
    for shader in after:
        if shader.unreadable:
            return f"unreadable: {shader.unreadable[0].text}"
    return next(map(str, new_errors(before, after)), "")


def work_for_culled_patches(shaders: list[Shader], seed: int) -> str | None:
    """An output that a divided control shader stores for culled patches although it has a guard.

    Validation does not see it: whatever is stored for such patches is right.
    """
    control = next(shader for shader in shaders if shader.stage is Stage.TESS_CTRL)
    impl = control.entrypoint
    assert impl is not None
    guard = next((node for node in reversed(impl.body) if isinstance(node, If)), None)
    if guard is None:
        return "there is no guard"
    # Levels that every invocation knows are stored at the end of both branches.
    guarded = _stored(guard.then_body) - _stored(guard.else_body)
    first = _stored([node for node in impl.body if node is not guard])
    result = run_pipeline(shaders, Environment(seed))
    control_result = result.result_of(Stage.TESS_CTRL)
    assert control_result is not None
    for key in guarded - first:
        plane = control_result.outputs.get(key)
        if plane is not None and plane.written[result.culled].any():
            return f"{key} is stored for culled patches"
    return None


def _stored(body: Sequence[CfNode]) -> set[OutputKey]:
    """The outputs that some control flow stores to, whatever the index of an array."""
    found: set[OutputKey] = set()
    for instr in instrs_of(body):
        if isinstance(instr, IntrinsicInstr) and instr.name in _STORES:
            access = io_access(instr, Stage.TESS_CTRL)
            if access is not None:
                found |= {OutputKey(*place, access.half == 1) for place in access.places}
    return found
