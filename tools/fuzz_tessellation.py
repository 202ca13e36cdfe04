"""`make fuzz`: random patches through the tessellation passes; each result is run against what went in.

Prints, for each pass and for the chain of them, how many results are the same program, how many patches it
left alone, how many cannot be told, and the number of every one that differs, which
`patch_of` turns into the pipeline.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from nirls.ir.evaluate.environment import Environment
from nirls.ir.evaluate.io_variables import io_place
from nirls.ir.evaluate.pipeline import run_pipeline
from nirls.ir.evaluate.result import OutputKey
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import Block, CfNode, If
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import convert
from nirls.ir.validation import validate
from nirls.passes import registry
from nirls.passes.translation_validation import Different, Equivalent, ValidationOptions, validate_pass
from tools.random_tessellation import random_patch

_RUNS = ValidationOptions(runs=3, most_runs=3)
_STORES = ("store_output", "store_per_vertex_output")
PASSES = ("restructure_tcs_flow", "opt_barriers", "inline_vs_in_tcs", "optimize_tcs")


def check(number: int, pass_name: str) -> tuple[str, str]:
    """What came of one pipeline: `same`, `unchanged`, `unchecked`, `different` or `invalid`, and a text."""
    before = patch_of(number)
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
    if pass_name == "restructure_tcs_flow":
        wasted = work_for_culled_patches(after, number)
        if wasted is not None:
            return "different", wasted
    return ("same" if isinstance(verdict, Equivalent) else "unchecked"), str(verdict)


def patch_of(number: int) -> list[Shader]:
    """The random patch of that number; every fourth as Mesa 22.3 would have printed it."""
    shaders = random_patch(number)
    if number % 4 != 3:
        return shaders
    return [parse_dump(convert(shader, Dialect.CLASSIC)) for shader in shaders]


def work_for_culled_patches(shaders: list[Shader], seed: int) -> str | None:
    """What a divided control shader stores for patches that are culled, although it has a guard against that.

    Validation does not see it: whatever is stored for such patches is right.
    """
    control = next(shader for shader in shaders if shader.stage is Stage.TESS_CTRL)
    impl = control.entrypoint
    assert impl is not None
    guard = next((node for node in reversed(impl.body) if isinstance(node, If)), None)
    if guard is None:
        return "there is no guard"
    # Levels that every invocation knows are stored at the end of both branches.
    guarded = _stored(_blocks(guard.then_body)) - _stored(_blocks(guard.else_body))
    first = _stored([block for node in impl.body if node is not guard for block in _blocks([node])])
    result = run_pipeline(shaders, Environment(seed))
    control_result = result.result_of(Stage.TESS_CTRL)
    assert control_result is not None
    for key in guarded - first:
        plane = control_result.outputs.get(key)
        if plane is not None and plane.written[result.culled].any():
            return f"{key} is stored for culled patches"
    return None


def _stored(blocks: Iterable[Block]) -> set[OutputKey]:
    """The outputs that some blocks store to, whatever the index of an array."""
    found: set[OutputKey] = set()
    for block in blocks:
        for instr in block:
            if isinstance(instr, IntrinsicInstr) and instr.name in _STORES:
                place = io_place(instr)
                for lane in range(instr.sources[0].num_components):
                    for element in range(place.num_slots):
                        slot, component = place.at(lane, instr.sources[0].bit_size)
                        found.add(OutputKey(slot + element, component, place.high_16bits))
    return found


def _blocks(body: Sequence[CfNode]) -> list[Block]:
    work, found = list(body), []
    while work:
        node = work.pop()
        if isinstance(node, Block):
            found.append(node)
        else:
            work += [inner for nested in node.bodies() for inner in nested]
    return found


def _apply(pass_name: str, shaders: list[Shader]) -> bool:
    """Run a pass as the command line does; whether it changed anything."""
    declared = registry.find(pass_name)
    assert declared is not None
    if declared.scope == "pipeline":
        return bool(declared().run(shaders))
    changed = [declared().run([shader]) for shader in shaders if declared.applies_to([shader])]
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
