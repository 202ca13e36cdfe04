from __future__ import annotations

import pytest

from nirls.passes.uniforms.places import UniformWord, uniform_load
from tests.passes.expectation import parse_body

UBO = "(access=none, align_mul=4, align_offset=0, range_base=0, range=256)"


def loads(body: str) -> list[tuple[str, int] | None]:
    shader = parse_body(f"block b0:\n{body}\nblock b1:", valid=False)
    found = []
    for impl in shader.impls():
        for instr in impl.instrs():
            if instr.kind == "intrinsic" and getattr(instr, "name", "").startswith("load_"):
                load = uniform_load(instr)
                found.append(None if load is None else (load.buffer, load.offset))
    return found


CONSTANTS = "32 %0 = load_const (0x00000000)\n32 %1 = load_const (0x00000010)\n"


@pytest.mark.parametrize(
    ("load", "place"),
    [
        (f"32 %9 = @load_ubo (%0 (0x0), %1 (0x10)) {UBO}", ("0", 16)),
        (f"32 %9 = @load_ubo (%1 (0x10), %0 (0x0)) {UBO}", ("16", 0)),
        ("32 %9 = @load_ubo_vec4 (%0 (0x0), %1 (0x10)) (access=none, base=2, component=3)", ("0", 300)),
        (
            "32 %9 = @load_push_constant (%1 (0x10)) (base=8, range=64, align_mul=4, align_offset=0)",
            ("push", 24),
        ),
    ],
)
def test_places_of_loads(load: str, place: tuple[str, int]) -> None:
    assert loads(CONSTANTS + load) == [place]


def test_a_descriptor_names_its_buffer() -> None:
    body = (
        CONSTANTS
        + "32x2 %2 = @vulkan_resource_index (%0 (0x0)) (desc_set=1, binding=31, desc_type=UBO)\n"
        + "32x2 %3 = @load_vulkan_descriptor (%2) (desc_type=UBO)\n"
        + "32 %4 = iadd %3.y, %1 (0x10)\n32 %5 = mov %3.x\n"
        + f"32 %6 = @load_ubo (%5, %4) {UBO}"
    )
    assert loads(body) == [None, ("1.31", 16)]


def test_the_offset_of_a_descriptor_alone_is_the_start_of_its_buffer() -> None:
    body = (
        CONSTANTS
        + "32x2 %2 = @vulkan_resource_index (%0 (0x0)) (desc_set=1, binding=31, desc_type=UBO)\n"
        + "32x2 %3 = @load_vulkan_descriptor (%2) (desc_type=UBO)\n"
        + "32 %4 = mov %3.x\n32 %5 = mov %3.y\n"
        + f"32 %6 = @load_ubo (%4, %5) {UBO}\n32 %7 = @load_ubo (%4, %4) {UBO}"
    )
    assert loads(body) == [None, ("1.31", 0), None]


def test_variable_places_and_volatile_loads_are_none() -> None:
    body = (
        CONSTANTS
        + "32 %2 = @load_sample_id\n"
        + f"32 %3 = @load_ubo (%2, %1 (0x10)) {UBO}\n32 %4 = @load_ubo (%0 (0x0), %2) {UBO}\n"
        + f"32 %5 = @load_ubo (%0 (0x0), %1 (0x10)) {UBO.replace('none', 'volatile')}"
    )
    assert loads(body) == [None, None, None, None]


def test_components_of_other_sizes_are_in_words() -> None:
    shader = parse_body(
        f"block b0:\n{CONSTANTS}64x2 %2 = @load_ubo (%0 (0x0), %1 (0x10)) {UBO}\n"
        f"16x2 %3 = @load_ubo (%0 (0x0), %1 (0x10)) {UBO}\nblock b1:"
    )
    wide, narrow = (
        load
        for impl in shader.impls()
        for instr in impl.instrs()
        if (load := uniform_load(instr)) is not None
    )
    assert wide.words(1) == (UniformWord("0", 24), UniformWord("0", 28))
    assert narrow.words(1) == (UniformWord("0", 16),)
    assert narrow.byte(1) == 18
