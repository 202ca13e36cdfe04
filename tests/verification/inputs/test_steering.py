from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, shader, store
from tests.passes.varyings.pairs import fragment, interpolated, vertex
from tools.corpus.mutations import mutant, mutations
from tools.corpus.pass_results import mesa_results

LOADS = {
    "uniform": ("32 %1 = deref_var &u (uniform uint)", "32 %2 = @load_deref (%1) (access=none)"),
    "ubo": (
        "32 %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
    ),
    "ssbo": ("32 %2 = @load_ssbo (%0, %0) (access=none, align_mul=16, align_offset=0)",),
    "push constant": ("32 %2 = @load_push_constant (%0) (base=4, range=4, align_mul=4, align_offset=0)",),
    "texture": (
        "32x2 %1 = vec2 %0, %0",
        "32x4 %3 = (uint32)txf %1 (coord), %0 (lod), 0 (texture)",
        "32 %2 = mov %3.y",
    ),
}
LOADS["integer attribute"] = (
    "32 %2 = @load_input (%0) (base=0, range=1, component=0, dest_type=uint32,"
    " io location=VERT_ATTRIB_GENERIC0 slots=1)",
)
FLOAT_LOAD = ("32 %1 = deref_var &f (uniform float)", "32 %2 = @load_deref (%1) (access=none)")


def compared(*lines: str) -> Shader:
    """A vertex shader that stores one of two numbers, as the condition %9 says."""
    return shader(
        "VERTEX",
        ZERO,
        *lines,
        "32 %10 = load_const (0x3f800000)",
        "32 %11 = bcsel %9, %0, %10",
        store("VAR0", "%11"),
        header=(
            "decl_var uniform INTERP_MODE_NONE none uint u (0, 0, 0)",
            "decl_var uniform INTERP_MODE_NONE none float f (0, 0, 0)",
        ),
    )


@pytest.mark.parametrize("source", LOADS)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1 %9 = ieq %2, %8", "1 %9 = load_const (false)"),
        ("1 %9 = ult %2, %8", "1 %9 = uge %8, %2"),
        ("1 %9 = ige %8, %2", "1 %9 = ilt %2, %8"),
    ],
)
def test_one_number_in_four_billion_is_found(source: str, before: str, after: str) -> None:
    constant = "32 %8 = load_const (0x12345678)"
    one, other = (compared(*LOADS[source], constant, line) for line in (before, after))
    assert isinstance(verify_shaders(one, other), Different)
    assert isinstance(verify_shaders(one, one), Equivalent)


def test_the_float_next_to_a_constant_is_found() -> None:
    constant = "32 %8 = load_const (0x3e99999a)"  # 0.3
    one, other = (
        compared(*FLOAT_LOAD, constant, line) for line in ("1 %9 = flt! %2, %8", "1 %9 = fge! %8, %2")
    )
    assert isinstance(verify_shaders(one, other), Different)


@pytest.mark.parametrize("component", ["x", "y", "z"])
def test_each_component_of_a_vector_is_steered(component: str) -> None:
    lines = (
        "32x3 %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32x3 %8 = load_const (0x12345678, 0x12345679, 0x12345677)",
    )
    one, other = (
        compared(*lines, f"1x3 %7 = {compares}", f"1 %9 = mov %7.{component}")
        for compares in ("ilt %2, %8", "ige %8, %2")
    )
    assert isinstance(verify_shaders(one, other), Different)
    assert isinstance(verify_shaders(one, one), Equivalent)


def test_a_special_case_that_another_stage_mostly_hides_is_found(corpus: Path) -> None:
    """The geometry shader emits only some of the points, so that it is not enough to meet the case once."""
    result = next(mesa_results(corpus / "pipelines" / "hand_geom_billboard" / "modern"))
    vertex, geometry = result.after
    special = [one for one in mutations(vertex) if one.kind == "wrong for one input"]
    for seed, mutation in [(1, special[0]), (11, special[1]), (3, special[2])]:
        options = VerificationOptions(seed=seed)
        broken, _ = mutant(vertex, mutation)
        assert isinstance(verify_shaders(result.before, [broken, geometry], options), Different)
        assert isinstance(verify_shaders(result.before, result.after, options), Equivalent)


@pytest.mark.parametrize("op", ["flt!", "fge!", "feq!"])
def test_a_compared_product_with_the_next_float_is_found(op: str) -> None:
    """Both are 0 in some runs, which meets equality, but does not show the difference."""
    lines = (
        *FLOAT_LOAD,
        "32 %3 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32 %4 = fmul! %2, %8",
        f"1 %9 = {op} %3, %4",
    )
    one, other = (compared(f"32 %8 = load_const ({bits})", *lines) for bits in ("0x3f7f0000", "0x3f7f0001"))
    assert isinstance(verify_shaders(one, other), Different)
    assert isinstance(verify_shaders(one, one), Equivalent)


def test_a_sampled_texture_is_steered() -> None:
    lines = (
        "32x2 %1 = vec2 %0, %0",
        "32x4 %3 = (float32)txl %1 (coord), %0 (lod), 0 (texture), 0 (sampler)",
        "32 %7 = load_const (0x406ccccd)",  # 3.7
        "32 %2 = fmul! %3.y, %7",
        "32 %8 = load_const (0x3e99999a)",  # 0.3
    )
    one, other = (compared(*lines, line) for line in ("1 %9 = flt! %2, %8", "1 %9 = fge! %8, %2"))
    assert isinstance(verify_shaders(one, other), Different)
    assert isinstance(verify_shaders(one, one), Equivalent)


@pytest.mark.parametrize(
    ("store", "load"),
    [
        ("@store_deref (%5, %4) (wrmask=x, access=none)", "32 %2 = @load_deref (%5) (access=none)"),
        (
            "@store_scratch (%4, %6) (wrmask=x, align_mul=4, align_offset=0)",
            "32 %2 = @load_scratch (%6) (align_mul=4, align_offset=0)",
        ),
    ],
)
def test_a_number_kept_in_private_memory_is_found(store: str, load: str) -> None:
    lines = (
        "32 %3 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)",
        "32 %7 = load_const (0x00000003)",
        "32 %4 = iadd %3, %7",
        "32 %5 = deref_var &local (function_temp uint)",
        "32 %6 = load_const (0x00000000)",
        store,
        load,
        "32 %8 = load_const (0x12345678)",
    )
    one, other = (compared(*lines, line) for line in ("1 %9 = ieq %2, %8", "1 %9 = load_const (false)"))
    assert isinstance(verify_shaders(one, other), Different)


def test_a_number_that_all_vertices_give_is_found() -> None:
    """The varying is computed, so no input is the constant, and only equal vertices keep a number exactly."""
    producer = vertex("32 %20 = fmul! %10, %9.x", store("VAR0", "%20"))
    one, other = (
        fragment(
            interpolated(4, "VAR0"),
            "32 %5 = load_const (0x449a5000)",  # 1234.5
            line,
            "32 %7 = bcsel %6, %0, %1",
            store("VAR0", "%7").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
        )
        for line in ("1 %6 = feq! %4, %5", "1 %6 = load_const (false)")
    )
    assert isinstance(verify_shaders([producer, one], [producer, other]), Different)


def test_bits_under_a_mask_are_found() -> None:
    lines = (*LOADS["ubo"], "32 %7 = load_const (0x00400000)", "32 %8 = iand %2, %7")
    one, other = (compared(*lines, line) for line in ("1 %9 = ine %8, %0", "1 %9 = load_const (false)"))
    assert isinstance(verify_shaders(one, other), Different)


def test_a_limit_is_found() -> None:
    constant = "32 %8 = load_const (0x00012345)"
    lines = ("32 %7 = umin %2, %8", "32 %7 = mov %2")
    one, other = (compared(*LOADS["ubo"], constant, line, "1 %9 = ult %8, %7") for line in lines)
    assert isinstance(verify_shaders(one, other), Different)


def test_two_conditions_at_once_are_found() -> None:
    second = (
        "32 %3 = load_const (0x00000010)",
        "32 %4 = @load_ubo (%0, %3) (access=none, align_mul=16, align_offset=0, range_base=0, range=32)",
        "32 %8 = load_const (0x12345678)",
        "32 %5 = load_const (0x87654321)",
        "1 %6 = ieq %2, %8",
        "1 %7 = ieq %4, %5",
    )
    one, other = (
        compared(*LOADS["ubo"], *second, line) for line in ("1 %9 = iand %6, %7", "1 %9 = load_const (false)")
    )
    assert isinstance(verify_shaders(one, other), Different)


def test_a_power_that_no_float_reaches_is_left_out() -> None:
    lines = (*FLOAT_LOAD, "32 %8 = load_const (0x0da24260)", "32 %3 = load_const (0x40400000)")
    one = compared(*lines, "32 %4 = fpow %2, %8", "1 %9 = flt %3, %4")
    assert isinstance(verify_shaders(one, one), Equivalent)


def test_no_more_runs_than_asked_for() -> None:
    one = compared(*LOADS["ubo"], "1 %9 = ieq %2, %0")
    verdict = verify_shaders(one, one, VerificationOptions(runs=2, most_runs=2))
    assert isinstance(verdict, Equivalent)
    assert verdict.runs == 2


def _indexed(number: int) -> Shader:
    return shader(
        "VERTEX",
        ZERO,
        *LOADS["integer attribute"],
        f"32    %3 = load_const (0x{number:08x})",
        "32    %4 = iadd %2, %3",
        "32    %5 = deref_var &u (uniform float[5000])",
        "32    %6 = deref_array &(*%5)[%4] (uniform float)",
        "32    %7 = @load_deref (%6) (access=none)",
        store("VAR0", "%7"),
        header=("decl_var uniform INTERP_MODE_NONE none float[5000] u (0, 0, 0)",),
    )


def test_indices_meet_both_bounds() -> None:
    verdict = verify_shaders(_indexed(7), _indexed(7))
    assert isinstance(verdict, Equivalent)
    assert (verdict.tried.indices, verdict.tried.indices_at_bounds) == (2, 2)
    assert "2 of 2 indices met both bounds" in str(verdict)


def test_an_index_that_no_input_moves_to_its_bounds_is_named() -> None:
    text = _indexed(7).source.replace(b"iadd %2, %3", b"imod %3, %3")
    verdict = verify_shaders(parse_dump(text), parse_dump(text))
    assert isinstance(verdict, Equivalent)
    assert "before VS %4 as index: last" in verdict.tried.not_met
