"""Random pipelines as text: all stages before the fragment shader, and it; see `stages`.

Varyings have all interpolations, 32 or 16 bits, are arrays with an index that is not constant, colors,
texture coordinates, patch or per-primitive varyings, and are captured by transform feedback. What is made
depends on the seed only.
"""

from __future__ import annotations

import random
from itertools import pairwise

from nirls.ir.model.shader import Shader
from nirls.verification.random_shaders.body import parsed
from nirls.verification.random_shaders.interfaces import (
    RandomVarying,
    by_declaration,
    fragment_inputs,
    patch_inputs,
    vertex_inputs,
)
from nirls.verification.random_shaders.stages import StageInterface, write_stage

KINDS: tuple[tuple[str, ...], ...] = (
    ("VERTEX", "FRAGMENT"),
    ("VERTEX", "FRAGMENT"),
    ("VERTEX", "FRAGMENT"),
    ("TESS_EVAL", "FRAGMENT"),
    ("VERTEX", "GEOMETRY", "FRAGMENT"),
    ("VERTEX", "GEOMETRY"),
    ("VERTEX", "TESS_EVAL", "FRAGMENT"),
    ("VERTEX", "TESS_CTRL", "TESS_EVAL"),
    ("TESS_CTRL", "TESS_EVAL", "FRAGMENT"),
    ("VERTEX", "TESS_CTRL", "TESS_EVAL", "FRAGMENT"),
    ("TESS_EVAL", "GEOMETRY", "FRAGMENT"),
    ("VERTEX", "TESS_CTRL", "TESS_EVAL", "GEOMETRY", "FRAGMENT"),
    ("MESH", "FRAGMENT"),
)
"""The pipelines that are made; pairs of a vertex and a fragment shader are the most frequent ones."""


def random_pipeline(number: int) -> list[Shader]:
    """Two to five linked stages."""
    return parsed(random_texts(number))


def random_texts(number: int) -> list[str]:
    """The dumps of a pipeline."""
    seed = random.Random(number)
    names = seed.choice(KINDS)
    interfaces = [_interface(seed, *pair) for pair in pairwise(names)]
    declares_inputs = names[-1] == "FRAGMENT" and seed.random() < 0.3
    if declares_inputs:
        interfaces[-1] = by_declaration(interfaces[-1])
    # A geometry shader gets triangles; without one a patch may be a quad. Without a control shader it is one.
    vertices = 3 if "GEOMETRY" in names else seed.choice((3, 4))
    if "TESS_EVAL" in names and "TESS_CTRL" not in names:
        vertices = 4
    texts = []
    for position, name in enumerate(names):
        inputs = interfaces[position - 1] if position else _outside(seed, name)
        outputs = interfaces[position] if position < len(interfaces) else _outside(seed, name)
        follows = names[position - 1] if position else ""
        precedes = names[position + 1] if position + 1 < len(names) else ""
        stage = StageInterface(
            name, inputs, outputs, follows, precedes, 3 if name == "GEOMETRY" else vertices
        )
        if precedes == "FRAGMENT" and name != "MESH":
            stage.captured = {
                place: 4 * place
                for place, varying in enumerate(outputs)
                if varying.bits == 32 and varying.elements == 1 and seed.random() < 0.1
            }
        stage.declares_inputs = declares_inputs and name == "FRAGMENT"
        texts.append(write_stage(seed, stage))
    return texts


def _interface(seed: random.Random, producer: str, consumer: str) -> list[RandomVarying]:
    if consumer == "FRAGMENT":
        return fragment_inputs(seed, producer)
    random_varyings = vertex_inputs(seed)
    if (producer, consumer) == ("TESS_CTRL", "TESS_EVAL"):
        random_varyings += patch_inputs(seed)
    return random_varyings


def _outside(seed: random.Random, name: str) -> list[RandomVarying]:
    """The inputs of a first stage, or the outputs of a last one."""
    return vertex_inputs(seed) if name in ("TESS_CTRL", "TESS_EVAL", "GEOMETRY") else []
