"""Small shaders for the tests of the evaluator, and what they store."""

from __future__ import annotations

import numpy as np

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult

DATA0 = 4
VAR0 = 32


def shader_of(body: str, stage: str = "VERTEX", head: str = "", locals_: str = "") -> Shader:
    """A shader with one function of the given lines."""
    text = (
        f"shader: MESA_SHADER_{stage}\n{head}decl_function main () (entrypoint)\n\n"
        f"impl main {{\n{locals_}{body}\n    block b99:\n}}\n"
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    return shader


def store(value: str, zero: str, slot: str = "VARYING_SLOT_VAR0", component: int = 0) -> str:
    """A line that stores a scalar."""
    return (
        f"    @store_output (%{value}, %{zero}) (base=0, range=1, wrmask=x, component={component}, "
        f"src_type=float32, io location={slot} slots=1, xfb(), xfb2())"
    )


def run(shader: Shader, seed: int = 1, lanes: int = 8, track_error: bool = False) -> ShaderResult:
    """One run in a fresh environment."""
    return Machine(shader).run(
        Environment(seed), lanes=lanes, options=RunOptions(track_error=track_error, iteration_limit=50)
    )


def stored(result: ShaderResult, component: int = 0, slot: int = VAR0) -> list[int]:
    """The bits of one output on every lane; asserts that all of them were written and are defined."""
    plane = result.outputs[OutputKey(slot, component)]
    assert plane.written.all()
    assert not plane.poison.any()
    return [int(bits) for bits in plane.bits[:, 0]]


def floats(result: ShaderResult, component: int = 0, slot: int = VAR0) -> list[float]:
    """The same as float32."""
    bits = np.array(stored(result, component, slot), np.uint32)
    return [float(number) for number in bits.view(np.float32)]
