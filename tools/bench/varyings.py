"""The time of `opt_varyings` and of each of its steps, on pairs with a varying for every ten instructions."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings import link_pair, opt_varyings
from tools.bench.timing import milliseconds, since
from tools.synthetic import dump

SIZES = (500, 5_000)
"""Instructions of each of the two stages."""

TARGET = "150"
"""Milliseconds for all of it on the first of SIZES."""

TOTAL = "opt_varyings, with clean-up"
FINDINGS = "findings of opt_varyings"
_MOST_VARYINGS = 120
_UNIFORM = "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)\n"
_STEPS = {
    "read_interface": "classification",
    "remove_dead": "dead inputs and outputs",
    "propagate": "propagation",
    "deduplicate": "deduplication",
    "opt_cse": "equal loads of the consumer",
    "find_convergent": "convergent outputs",
    "move_backward": "backward motion",
    "move_forward": "forward motion",
    "pack": "packing",
}


def varying_step_times(size: int, runs: int = 3) -> dict[str, float]:
    """Milliseconds of each step, of the whole pass with its clean-up, and of its findings (medians)."""
    pair = linked_pair(size)
    measured: list[dict[str, float]] = []
    for _ in range(max(1, runs)):
        copies = [clone_shader(shader) for shader in pair]
        with _timed_steps() as times:
            whole = milliseconds(lambda copies=copies: opt_varyings.OptVaryings().run(copies))  # type: ignore[misc]
        findings = milliseconds(lambda: list(opt_varyings.OptVaryings().find(pair)))
        measured.append({**times, TOTAL: whole, FINDINGS: findings})
    return {what: statistics.median(one[what] for one in measured) for what in measured[0]}


@contextmanager
def _timed_steps() -> Iterator[dict[str, float]]:
    """Adds up the time that each step takes where `link_pair` calls it."""
    times = dict.fromkeys(_STEPS.values(), 0.0)
    own = {name: getattr(link_pair, name) for name in _STEPS}

    def timed(name: str, step: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            started = time.perf_counter()
            try:
                return step(*arguments)
            finally:
                times[_STEPS[name]] += since(started)

        return run

    for name, step in own.items():
        setattr(link_pair, name, timed(name, step))
    try:
        yield times
    finally:
        for name, step in own.items():
            setattr(link_pair, name, step)


def producer_dump(instructions: int) -> str:
    """A vertex shader of about so many instructions, whose outputs give every step something to do."""
    lines = [
        "32    %0 = load_const (0x00000000 = 0.000000)",
        "32    %1 = load_const (0x3f800000 = 1.000000)",
        "32    %2 = deref_var &u (uniform vec4)",
        "32x4  %3 = @load_deref (%2) (access=none)",
        "32    %4 = fmul %3.x, %3.y",
        *(
            f"32    %{5 + component} = @load_input (%0) (base=0, range=1, component={component},"
            " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"
            for component in range(4)
        ),
    ]
    count = _varyings(instructions)
    last = _arithmetic(lines, 5, 9, instructions - len(lines) - count)
    for number in range(count):
        # Constants, uniform expressions, duplicates and what nobody reads among the rest.
        value = {3: 1, 5: 4, 7: last}.get(number % 10, last - number * 3 % (last - 8))
        lines.append(
            f"           @store_output (%{value}, %0) (base=0, range=0, wrmask=x, component={number % 4},"
            f" src_type=float32, io location=VARYING_SLOT_VAR{number // 4} slots=1, xfb(), xfb2())"
        )
    return dump("VERTEX", lines, _UNIFORM)


def consumer_dump(instructions: int) -> str:
    """A fragment shader of about so many instructions that reads most of that: sums of inputs, and others."""
    lines = [
        "32    %0 = load_const (0x00000000 = 0.000000)",
        "32    %1 = load_const (0x3f800000 = 1.000000)",
        "32    %2 = deref_var &u (uniform vec4)",
        "32x4  %3 = @load_deref (%2) (access=none)",
        "32x2  %4 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
    ]
    number = 5
    inputs = []
    for varying in range(_varyings(instructions)):
        if varying % 10 == 9:
            continue
        place = (
            f"component={varying % 4}, dest_type=float32, io location=VARYING_SLOT_VAR{varying // 4} slots=1)"
        )
        smooth = varying % 3 > 0
        name = "load_interpolated_input (%4, %0) (base=0," if smooth else "load_input (%0) (base=0, range=1,"
        lines.append(f"32    %{number} = @{name} {place}")
        inputs.append((number, smooth))
        number += 1
    values = []
    for (one, smooth), (other, also) in zip(inputs[::2], inputs[1::2], strict=False):
        op = "fadd" if smooth and also else "fmax"
        lines += [f"32    %{number} = {op} %{one}, %{other}", f"32    %{number + 1} = fmul %{number}, %3.x"]
        values.append(number + 1)
        number += 2
    first = number
    for value in values:
        lines.append(f"32    %{number} = fsin %{value}")
        number += 1
    last = _arithmetic(lines, first, number, instructions - len(lines) - 1)
    lines.append(
        f"           @store_output (%{last}, %0) (base=0, range=1, wrmask=x, component=0, src_type=float32,"
        " io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())"
    )
    return dump("FRAGMENT", lines, _UNIFORM)


def _varyings(instructions: int) -> int:
    return max(4, min(_MOST_VARYINGS, instructions // 10))


def _arithmetic(lines: list[str], oldest: int, first: int, count: int) -> int:
    """Instructions that use all values from `oldest` on; returns the number of the last one."""
    number = first
    operations = ("fadd", "fmul", "fmax", "fsub")
    for number in range(first, first + max(count, 8)):
        other = oldest + number * 7 % (number - oldest)
        lines.append(f"32    %{number} = {operations[number % 4]} %{number - 1}, %{other}")
    return number


def linked_pair(size: int) -> list[Shader]:
    """The two stages, parsed."""
    return [parse_dump(text.encode()) for text in (producer_dump(size), consumer_dump(size))]
