"""Wrong changes to a shader: each kind finds places, changes a copy, and leaves the shader as it was."""

from __future__ import annotations

from nirls.ir.analysis.compare import difference
from nirls.ir.model.shader import Shader
from nirls.ir.text.printing import fresh
from nirls.verification.random_shaders.odd_pipelines import odd_pipeline
from nirls.verification.random_shaders.pipelines import random_pipeline
from tools.corpus.mutations import KINDS, mutant, mutations


def shaders() -> list[Shader]:
    return [shader for number in range(6) for shader in (*random_pipeline(number), *odd_pipeline(number))]


def test_mutants_differ_from_the_shader_which_stays() -> None:
    for shader in shaders()[:6]:
        text = fresh(shader)
        found = list(mutations(shader))
        assert found == list(mutations(shader))
        for mutation in found[::7]:
            broken, line = mutant(shader, mutation)
            assert line
            assert difference(shader, broken) is not None, mutation
        assert fresh(shader) == text


def test_random_pipelines_have_places_for_many_kinds() -> None:
    """Compute memory, textures and exchanges of invocations are for the real shaders of the corpus."""
    found = {mutation.kind for shader in shaders() for mutation in mutations(shader)}
    assert found <= set(KINDS)
    assert len(found) >= 60, sorted(found)


def test_chosen_kinds_alone_are_found() -> None:
    shader = shaders()[0]
    every = [one for one in mutations(shader) if one.kind == "drop a store"]
    assert every
    assert list(mutations(shader, ["drop a store"])) == every
