"""System values that nothing is known of."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.steps.opaque_values import opaque_system_values
from nirls.verification.evaluate.supported import supported_intrinsics
from tests.verification.evaluate.shader_text import run, shader_of, store, stored


def values(*loads: str) -> list[list[int]]:
    lines = "\n".join(f"    32     %{number} = {load}" for number, load in enumerate(loads, 1))
    stores = "\n".join(store(str(number), "0", component=number - 1) for number in range(1, len(loads) + 1))
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
{lines}
{stores}
                // succs: b99"""
    result = run(shader_of(text))
    return [stored(result, component) for component in range(len(loads))]


def test_one_value_for_one_name() -> None:
    one, again, other = values(
        "@load_lshs_vertex_stride_amd", "@load_lshs_vertex_stride_amd", "@load_esgs_vertex_stride_amd"
    )
    assert one == again
    assert one != other
    assert len(set(one)) == 1


def test_the_divergence_rules_say_whom_it_is_the_same_for() -> None:
    (per_lane,) = values("@load_gs_vertex_offset_amd (base=0)")
    assert len(set(per_lane)) > 1


def test_indices_tell_values_apart() -> None:
    one, other = values("@load_gs_vertex_offset_amd (base=0)", "@load_gs_vertex_offset_amd (base=1)")
    assert one != other


def test_scalar_arguments_are_the_same_for_all_and_vector_arguments_are_not() -> None:
    scalar, vector, again = values(
        "@load_scalar_arg_amd (base=1)",
        "@load_vector_arg_amd (base=1)",
        "@load_scalar_arg_amd (base=1, arg_upper_bound_u32_amd=64)",
    )
    assert len(set(scalar)) == 1
    assert len(set(vector)) > 1
    assert scalar == again, "a bound says nothing of which argument it is"


@pytest.mark.parametrize("name", ["load_color0", "load_ubo", "load_preamble"])
def test_what_is_known_better_is_not_made_up(name: str) -> None:
    assert name not in opaque_system_values()


def test_they_count_as_supported() -> None:
    assert {"load_lshs_vertex_stride_amd", "load_sysval_agx"} <= opaque_system_values()
    assert opaque_system_values() <= supported_intrinsics()
    assert all(name.startswith("load_") for name in opaque_system_values())
