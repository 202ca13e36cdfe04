"""Inputs that an environment makes up."""

from __future__ import annotations

import numpy as np

from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.surroundings.inputs import EnvironmentInputs
from nirls.verification.evaluate.surroundings.launch import launch_for
from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import shader_of

LAUNCH = launch_for(shader_of("    block b0:", "FRAGMENT"), 64)
KEY = OutputKey(32, 0)
SLOTS = np.full(64, 32)


def test_fragments_of_a_primitive_share_their_vertices() -> None:
    bits = EnvironmentInputs(Environment(1)).read(LAUNCH, SLOTS, KEY, "float", 32, np.zeros(64)).bits[0]
    by_primitive = bits.reshape(-1, 8)
    assert (by_primitive == by_primitive[:, :1]).all()
    assert len(set(by_primitive[:, 0].tolist())) > 4


def test_vertices_read_attributes_of_their_own_and_a_quad_reads_one() -> None:
    def read(stage: str) -> list[int]:
        launch = launch_for(shader_of("    block b0:", stage), 64)
        slots = np.full(launch.lanes, 32)
        return EnvironmentInputs(Environment(1)).read(launch, slots, KEY, "uint", 32, None).bits[0].tolist()

    vertices, fragments = read("VERTEX"), read("FRAGMENT")
    quads = [fragments[first : first + 4] for first in range(0, 64, 4)]
    assert all(len(set(quad)) == 1 for quad in quads)
    assert not all(len(set(vertices[first : first + 4])) == 1 for first in range(0, 64, 4))


def test_slots_components_and_vertices_differ() -> None:
    inputs = EnvironmentInputs(Environment(1, special=0))
    first = inputs.read(LAUNCH, SLOTS, KEY, "float", 32, np.zeros(64)).bits
    others = (
        inputs.read(LAUNCH, SLOTS + 1, KEY, "float", 32, np.zeros(64)),
        inputs.read(LAUNCH, SLOTS, OutputKey(32, 1), "float", 32, np.zeros(64)),
        inputs.read(LAUNCH, SLOTS, OutputKey(32, 0, True), "float", 32, np.zeros(64)),
        inputs.read(LAUNCH, SLOTS, KEY, "float", 32, np.ones(64)),
    )
    assert all((other.bits != first).any() for other in others)


def test_the_first_reader_settles_the_kind() -> None:
    environment = Environment(1, special=0)
    numbers = EnvironmentInputs(environment).read(LAUNCH, SLOTS, KEY, "uint", 32, None).bits
    again = EnvironmentInputs(environment).read(LAUNCH, SLOTS, KEY, "float", 32, None).bits
    assert (numbers == again).all()
    assert np.median(numbers) < 100
