"""Storage is bits: stores of different widths to the same bits destroy each other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader

LOADS = (
    ZERO,
    "32x4 %1 = @load_input (%0) (base=0, range=0, component=0, dest_type=uint32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)",
    "32 %2 = mov %1.x",
    "32 %3 = mov %1.y",
    "16 %4 = u2u16 %1.z",
    "16 %5 = u2u16 %1.w",
    "64 %6 = pack_64_2x32_split %1.x, %1.y",
)
VALUES = {"x": ("%2", 32), "y": ("%3", 32), "z": ("%4", 16), "w": ("%5", 16), "xy": ("%6", 64)}
"""What a store may store: components of the input, with their widths."""


def _store(what: str, place: str, xfb: str = "") -> str:
    """A store of a value to a place such as `VAR0.x` or `VAR0.x.high`."""
    value, width = VALUES[what]
    slot, component, *high = place.split(".")
    return (
        f"@store_output ({value}, %0) (base=0, range=0, wrmask=x, component={'xyzw'.index(component)},"
        f" src_type=uint{width}, io location=VARYING_SLOT_{slot} slots=1{' high_16bits' if high else ''},"
        f" xfb({xfb}), xfb2())"
    )


def vertex(*stores: tuple[str, ...]) -> Shader:
    """A vertex shader with these stores, in order."""
    return shader("VERTEX", *LOADS, *(_store(*store) for store in stores), header=("num_inputs: 1",))


def fragment(*reads: tuple[str, int]) -> Shader:
    """A fragment shader that reads places at some width, and stores each to a color."""
    lines = [ZERO]
    for number, (place, width) in enumerate(reads, 10):
        slot, component, *high = place.split(".")
        lines.append(
            f"{width} %{number} = @load_input (%0) (base=0, range=0, component={'xyzw'.index(component)},"
            f" dest_type=uint{width}, io location=VARYING_SLOT_{slot} slots=1"
            f"{' high_16bits' if high else ''})"
        )
        shown = f"%{number}"
        if width == 64:
            lines.append(f"32x2 %{number + 20} = unpack_64_2x32 %{number}")
            lines.append(f"32 %{number + 40} = ixor %{number + 20}.x, %{number + 20}.y")
            shown = f"%{number + 40}"
        elif width == 16:
            lines.append(f"32 %{number + 20} = u2u32 %{number}")
            shown = f"%{number + 20}"
        lines.append(
            f"@store_output ({shown}, %0) (base=0, range=0, wrmask=x, component={number - 10},"
            " src_type=uint32, io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())"
        )
    return shader("FRAGMENT", *lines)


def linked(stores: Sequence[tuple[str, ...]], reads: Sequence[tuple[str, int]]) -> list[Shader]:
    return [vertex(*stores), fragment(*reads)]


APART = linked([("x", "VAR0.x"), ("z", "VAR1.x")], [("VAR0.x", 32), ("VAR1.x", 16)])
TWO_HALVES = linked([("z", "VAR0.x"), ("w", "VAR1.x")], [("VAR0.x", 16), ("VAR1.x", 16)])
DOUBLE = linked([("xy", "VAR0.x"), ("x", "VAR1.x")], [("VAR0.x", 64), ("VAR1.x", 32)])

WRONG_LINKS = {
    "the upper half of a 32-bit varying": (
        APART,
        linked([("x", "VAR0.x"), ("z", "VAR0.x.high")], [("VAR0.x", 32), ("VAR0.x.high", 16)]),
    ),
    "the upper half, stored first": (
        APART,
        linked([("z", "VAR0.x.high"), ("x", "VAR0.x")], [("VAR0.x", 32), ("VAR0.x.high", 16)]),
    ),
    "the lower half of a 32-bit varying": (
        APART,
        linked([("x", "VAR0.x"), ("z", "VAR0.x")], [("VAR0.x", 32), ("VAR0.x", 16)]),
    ),
    "the component after a 64-bit varying starts": (
        DOUBLE,
        linked([("xy", "VAR0.x"), ("x", "VAR0.y")], [("VAR0.x", 64), ("VAR0.y", 32)]),
    ),
    "the same, stored first": (
        DOUBLE,
        linked([("x", "VAR0.y"), ("xy", "VAR0.x")], [("VAR0.x", 64), ("VAR0.y", 32)]),
    ),
    "two 16-bit varyings in one half": (
        TWO_HALVES,
        linked([("z", "VAR0.x.high"), ("w", "VAR0.x.high")], [("VAR0.x.high", 16), ("VAR0.x.high", 16)]),
    ),
    "a 16-bit varying in the upper word of a 64-bit one": (
        linked([("xy", "VAR0.x"), ("z", "VAR1.x")], [("VAR0.x", 64), ("VAR1.x", 16)]),
        linked([("xy", "VAR0.x"), ("z", "VAR0.y.high")], [("VAR0.x", 64), ("VAR0.y.high", 16)]),
    ),
    "a 64-bit varying over two 32-bit ones": (
        linked(
            [("y", "VAR0.z"), ("x", "VAR0.w"), ("xy", "VAR1.x")],
            [("VAR0.z", 32), ("VAR0.w", 32), ("VAR1.x", 64)],
        ),
        linked(
            [("y", "VAR0.z"), ("x", "VAR0.w"), ("xy", "VAR0.z")],
            [("VAR0.z", 32), ("VAR0.w", 32), ("VAR0.z", 64)],
        ),
    ),
    "half of a varying is never stored": (
        linked([("x", "VAR0.x")], [("VAR0.x", 32)]),
        linked([("z", "VAR0.x")], [("VAR0.x", 32)]),
    ),
    "the words of a 64-bit varying exchanged": (
        linked([("xy", "VAR0.x")], [("VAR0.x", 32), ("VAR0.y", 32)]),
        linked([("x", "VAR0.y"), ("y", "VAR0.x")], [("VAR0.x", 32), ("VAR0.y", 32)]),
    ),
}


@pytest.mark.parametrize("name", WRONG_LINKS)
def test_varyings_that_share_bits_destroy_each_other(name: str) -> None:
    before, after = WRONG_LINKS[name]
    assert isinstance(verify_shaders(before, after), Different)


RIGHT_LINKS = {
    "both halves of a component": (
        TWO_HALVES,
        linked([("z", "VAR0.x"), ("w", "VAR0.x.high")], [("VAR0.x", 16), ("VAR0.x.high", 16)]),
    ),
    "the upper half of another component": (
        APART,
        linked([("x", "VAR0.x"), ("z", "VAR0.y.high")], [("VAR0.x", 32), ("VAR0.y.high", 16)]),
    ),
    "a 64-bit varying and the component behind it": (
        DOUBLE,
        linked([("xy", "VAR0.x"), ("x", "VAR0.z")], [("VAR0.x", 64), ("VAR0.z", 32)]),
    ),
    "a 64-bit varying stored as two words": (
        linked([("xy", "VAR0.x")], [("VAR0.x", 64)]),
        linked([("x", "VAR0.x"), ("y", "VAR0.y")], [("VAR0.x", 64)]),
    ),
    "a 64-bit varying read as two words": (
        linked([("x", "VAR0.x"), ("y", "VAR0.y")], [("VAR0.x", 32), ("VAR0.y", 32)]),
        linked([("xy", "VAR0.x")], [("VAR0.x", 32), ("VAR0.y", 32)]),
    ),
    "a dead store beneath": (
        linked([("x", "VAR0.x")], [("VAR0.x", 32)]),
        linked([("z", "VAR0.x.high"), ("x", "VAR0.x")], [("VAR0.x", 32)]),
    ),
}


@pytest.mark.parametrize("name", RIGHT_LINKS)
def test_varyings_that_share_no_bits_stay(name: str) -> None:
    before, after = RIGHT_LINKS[name]
    assert isinstance(verify_shaders(before, after), Equivalent)


CAPTURE = "component={} buffer={} offset={}"
WRONG_ALONE = {
    "a store of half of an output": (
        vertex(("z", "VAR0.x.high"), ("x", "VAR0.x")),
        vertex(("x", "VAR0.x"), ("z", "VAR0.x.high")),
    ),
    "an output narrowed": (vertex(("x", "VAR0.x")), vertex(("z", "VAR0.x"))),
    "the second word of a 64-bit output": (
        vertex(("xy", "VAR0.x")),
        vertex(("x", "VAR0.x"), ("x", "VAR0.y")),
    ),
    "another output is captured": (
        vertex(("x", "VAR0.x", CAPTURE.format(0, 0, 0)), ("y", "VAR1.x")),
        vertex(("x", "VAR0.x"), ("y", "VAR1.x", CAPTURE.format(0, 0, 0))),
    ),
    "two outputs are captured to the same word": (
        vertex(("x", "VAR0.x", CAPTURE.format(0, 0, 0)), ("y", "VAR1.x", CAPTURE.format(0, 0, 4))),
        vertex(("x", "VAR0.x", CAPTURE.format(0, 0, 0)), ("y", "VAR1.x", CAPTURE.format(0, 0, 2))),
    ),
    "the second word of a captured 64-bit output": (
        vertex(("xy", "VAR0.x", "component=0 buffer=0 offset=0 component=1 buffer=0 offset=4")),
        vertex(("xy", "VAR0.x", "component=0 buffer=0 offset=0 component=0 buffer=0 offset=4")),
    ),
}


@pytest.mark.parametrize("name", WRONG_ALONE)
def test_outputs_and_captured_words_of_one_shader(name: str) -> None:
    before, after = WRONG_ALONE[name]
    assert isinstance(verify_shaders(before, after), Different)


RIGHT_ALONE = {
    "a 64-bit output as two words": (
        vertex(("xy", "VAR0.x")),
        vertex(("x", "VAR0.x"), ("y", "VAR0.y")),
    ),
    "two words as a 64-bit output": (
        vertex(("x", "VAR0.x"), ("y", "VAR0.y")),
        vertex(("xy", "VAR0.x")),
    ),
    "halves in another order": (
        vertex(("z", "VAR0.x"), ("w", "VAR0.x.high")),
        vertex(("w", "VAR0.x.high"), ("z", "VAR0.x")),
    ),
}


@pytest.mark.parametrize("name", RIGHT_ALONE)
def test_the_same_bits_of_one_shader(name: str) -> None:
    before, after = RIGHT_ALONE[name]
    assert isinstance(verify_shaders(before, after), Equivalent)


def _shared(*lines: str) -> Shader:
    """A compute shader with shared memory, which stores %9 to a buffer."""
    return shader(
        "COMPUTE",
        ZERO,
        "32 %1 = @load_local_invocation_index",
        "32 %2 = load_const (0x00000003)",
        "32 %3 = ishl %1, %2",
        "32 %4 = imul %1, %1",
        "16 %5 = u2u16 %1",
        "64 %6 = pack_64_2x32_split %1, %4",
        *lines,
        "@store_ssbo (%9, %0, %3) (wrmask=x, access=none, align_mul=8, align_offset=0)",
        header=("workgroup_size: 32, 1, 1", "shared_size: 512"),
    )


def _shared_store(value: str, base: int) -> str:
    return f"@store_shared ({value}, %3) (base={base}, wrmask=x, align_mul=8, align_offset={base})"


READ_WORD = "32 %9 = @load_shared (%3) (base=0, align_mul=8, align_offset=0)"
WRONG_SHARED = {
    "a 16-bit store moved across the store of its word": (
        _shared(_shared_store("%4", 0), _shared_store("%5", 2), READ_WORD),
        _shared(_shared_store("%5", 2), _shared_store("%4", 0), READ_WORD),
    ),
    "a 64-bit store moved across the store of its first word": (
        _shared(_shared_store("%6", 0), _shared_store("%4", 0), READ_WORD),
        _shared(_shared_store("%4", 0), _shared_store("%6", 0), READ_WORD),
    ),
    "a load that sees through a 16-bit store": (
        _shared(_shared_store("%4", 0), _shared_store("%5", 0), READ_WORD),
        _shared(_shared_store("%4", 0), _shared_store("%5", 0), "32 %9 = mov %4"),
    ),
}


@pytest.mark.parametrize("name", WRONG_SHARED)
def test_words_of_shared_memory(name: str) -> None:
    before, after = WRONG_SHARED[name]
    assert isinstance(verify_shaders(before, after), Different)
