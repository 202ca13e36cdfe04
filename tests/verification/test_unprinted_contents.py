"""What a dump does not print is an unknown function of its operands on both sides."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent, Unchecked, Verdict
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader

HEAD = (
    ZERO,
    "32 %1 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32,"
    " io location=VARYING_SLOT_VAR0 slots=1)",
    "32 %2 = load_const (0x00000003)",
    "32 %3 = load_const (0x00000007)",
    "32 %4 = load_const (0x00000002)",
)
COLOR = (
    "@store_output (%9, %0) (base=0, range=0, wrmask=x, component=0, src_type=float32,"
    " io location=FRAG_RESULT_DATA0 slots=1, xfb(), xfb2())"
)
TABLE = "decl_var shader_temp INTERP_MODE_NONE none float[4] c = {{ {} }}"


def showing(*lines: str, declared: str = "") -> Shader:
    """A fragment shader that stores %9."""
    return shader("FRAGMENT", *HEAD, *lines, COLOR, header=(declared,) if declared else ())


def from_variable(*index: str, contents: str = "1.5, 2.5, 4.0, 8.0") -> Shader:
    """The element %5 of a table."""
    return showing(
        *index,
        "32 %6 = deref_var &c (shader_temp float[4])",
        "32 %7 = deref_array &(*%6)[%5] (shader_temp float)",
        "32 %9 = @load_deref (%7) (access=none)",
        declared=TABLE.format(contents),
    )


def from_constant_data(*offset: str) -> Shader:
    """The word of constant data at the offset %6."""
    return showing(*offset, "32 %9 = @load_constant (%6) (base=0, range=16, align_mul=4, align_offset=0)")


def lowered(before: Shader, after: Shader) -> Verdict:
    return compare_snapshots(*map(RunnableSnapshot, (before, after)), "nir_opt_large_constants").verdict


INDEX = "32 %5 = iand %1, %2"
IN_TABLE = from_variable(INDEX)


@pytest.mark.parametrize(
    ("offset", "verdict"),
    [
        ((INDEX, "32 %6 = ishl %5, %4"), Equivalent),
        (("32 %8 = ishl %1, %4", "32 %7 = load_const (0xc)", "32 %6 = iand %8, %7"), Equivalent),
        (("32 %5 = iand %1, %4", "32 %6 = ishl %5, %4"), Different),
        (("32 %7 = load_const (0x1)", "32 %5 = iand %1, %7", "32 %6 = ishl %5, %4"), Different),
        (("32 %6 = iand %1, %0",), Different),
        ((INDEX, "32 %7 = ushr %5, %4", "32 %6 = ishl %7, %4"), Different),
    ],
)
def test_a_table_that_becomes_constant_data(offset: tuple[str, ...], verdict: type[Verdict]) -> None:
    assert isinstance(lowered(IN_TABLE, from_constant_data(*offset)), verdict)


def test_another_mask_is_right_where_the_contents_are_the_same() -> None:
    twice = from_variable(INDEX, contents="1.5, 2.5, 1.5, 2.5")
    low = from_constant_data("32 %7 = load_const (0x1)", "32 %5 = iand %1, %7", "32 %6 = ishl %5, %4")
    assert isinstance(lowered(twice, low), Equivalent)


def test_constant_data_beside_another_form_stays_unchecked() -> None:
    wrong = showing(
        "32 %6 = iand %1, %0",
        "32 %8 = @load_constant (%6) (base=0, range=16, align_mul=4, align_offset=0)",
        "32 %7 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
        "32 %9 = iadd %8, %7",
    )
    assert isinstance(lowered(IN_TABLE, wrong), Unchecked)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("32 %6 = iand %5.x, %2", "32 %6 = iand %5.x, %3"),
        ("32 %6 = iand %5.x, %2", "32 %6 = iand %5.y, %2"),
        ("32 %6 = ushr %5.x, %4", "32 %6 = ushr %5.x, %2"),
    ],
)
def test_what_is_made_of_the_size_of_a_texture(before: str, after: str) -> None:
    size = "32x2 %5 = (int32)txs %0 (lod), 0 (texture), 0 (sampler)"
    shaders = (showing(size, line, "32 %9 = u2f32 %6") for line in (before, after))
    assert isinstance(verify_shaders(*shaders), Different)


def test_the_level_whose_size_is_asked_counts() -> None:
    sizes = (f"32x2 %5 = (int32)txs {level} (lod), 0 (texture), 0 (sampler)" for level in ("%0", "%4"))
    shaders = (showing(size, "32 %9 = u2f32 %5.x") for size in sizes)
    assert isinstance(verify_shaders(*shaders), Different)


def test_the_offset_of_constant_data_counts_on_both_sides() -> None:
    masks = ("%2", "%3")
    shaders = (from_constant_data(f"32 %5 = iand %1, {mask}", "32 %6 = ishl %5, %4") for mask in masks)
    assert isinstance(verify_shaders(*shaders), Different)
