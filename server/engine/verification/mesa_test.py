"""The unit test for Mesa of a transition: its first snapshot is built, and the second one expected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from nirls.ir.mesa_test import OLDEST, Expectation, MesaApi, UnitTest, mesa_api, unit_test
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.release import estimated_release
from nirls.server.engine.verification.unit import UNCHANGED, TransitionUnit, TransitionVerdict

_MOST_INPUTS = 12
_MOST_LINES = 24
_PASS_NAME = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


def mesa_test_of(
    unit: TransitionUnit,
    verdict: TransitionVerdict | None,
    api: MesaApi,
    *,
    expected: bytes | None = None,
    changed_lines: str = "",
) -> UnitTest:
    """Write the test of a transition. Raises NotBuildableError.

    The test expects the second snapshot, or the dump `expected`; where the verdict is "different", the
    shader as it was, with a comment on what came out (`changed_lines` is a diff) and for which inputs it is
    wrong.
    """
    before = parse_dump(unit.before)
    name = called(unit.pass_name)
    if expected is not None:
        expectation = Expectation(parse_dump(expected))
    elif verdict is not None and verdict.verdict == "different":
        comment = tuple(_what_is_wrong(unit.pass_name, verdict, changed_lines))
        expectation = Expectation(before, comment, changes=False)
    else:
        expectation = Expectation(parse_dump(unit.after), changes=unit.before != unit.after)
    test = unit_test(before, name, expectation, api, name_of_test(before))
    expects_change = expected is None and unit.before != unit.after
    return replace(test, notes=(*test.notes, *_doubts(unit, verdict if expects_change else UNCHANGED)))


def _doubts(unit: TransitionUnit, verdict: TransitionVerdict | None) -> Iterator[str]:
    """Yield what is not known of the expected snapshot."""
    if unit.unprinted:
        made = ", ".join(unit.unprinted)
        yield f"{unit.pass_name} cannot make {made}: the test also expects the work of a step not in the log"
    if verdict is None:
        yield f"what {unit.pass_name} did is expected, but was not verified"
    elif verdict.verdict == "unchecked":
        yield f"what {unit.pass_name} did is expected, but could not be verified: {verdict.reason}"


def api_for(dump: bytes) -> MesaApi:
    """Return the API of the Mesa that printed a dump; for older releases, that of the oldest supported."""
    release = estimated_release(dump)
    try:
        return mesa_api(release)
    except ValueError:
        return mesa_api(OLDEST)


def called(pass_name: str) -> str:
    """Return the identifier by which a pass is called: logs may name it with more words."""
    words = pass_name.split()
    return next((word for word in words if _PASS_NAME.match(word)), "nir_pass")


def name_of_test(shader: Shader) -> str:
    """Return a name for the test of a shader: its stage, as in `fragment_shader`."""
    stage = (shader.header_value("shader") or "").removeprefix("MESA_SHADER_").lower()
    return f"{stage}_shader" if stage else "shader"


def _what_is_wrong(pass_name: str, verdict: TransitionVerdict, changed_lines: str) -> Iterator[str]:
    yield f"{pass_name} must not change this shader so that it computes something else: {verdict.reason}."
    example = verdict.counterexample
    if example is not None:
        inputs = [str(value) for value in example.inputs[:_MOST_INPUTS]]
        more = len(example.inputs) - len(inputs)
        if inputs:
            yield ""
            yield f"It is wrong on invocation {example.lane} with these inputs:"
            yield from (f"  {text}" for text in inputs)
            if more > 0:
                yield f"  and {more} more"
    start = verdict.instruction
    if start is not None:
        yield ""
        yield "The first instruction that gives another value:"
        for text in (start.before, start.after):
            if text:
                yield f"  {text}"
    lines = [line for line in changed_lines.split("\n") if line.startswith(("+", "-"))][2:]
    if lines:
        yield ""
        yield "What came out, as a diff of the shader before and after:"
        yield from (f"  {line[:1]} {' '.join(line[1:].split())}" for line in lines[:_MOST_LINES])
        if len(lines) > _MOST_LINES:
            yield f"  and {len(lines) - _MOST_LINES} more lines"
