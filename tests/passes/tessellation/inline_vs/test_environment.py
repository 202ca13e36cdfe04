"""System values that the vertex shader passes on."""

from __future__ import annotations

import pytest

from nirls.ir.model.access import VS_BINDINGS
from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.passes.tessellation.inline_vs.environment import (
    adopt_variables,
    clashing_variable,
    has_binding,
    pass_values,
    plan_passing,
    reads_resource,
    receive_values,
    use_vs_bindings,
    writes_memory,
)
from tests.passes.tessellation.patches import control, load, names, of_name, out, store, vertex


def test_each_gets_a_component_once() -> None:
    vs = vertex(
        *(
            f"32    %{number} = @load_{name}"
            for number, name in enumerate(
                ("vertex_id", "instance_id", "draw_id", "base_vertex", "vertex_id", "first_vertex"), 2
            )
        )
    )
    impl = vs.entrypoint
    assert impl is not None
    planned = plan_passing(list(impl.instrs()))
    assert [(value.name, value.slot - 32, value.component) for value in planned] == [
        ("vertex_id", 0, 0),
        ("instance_id", 0, 1),
        ("draw_id", 0, 2),
        ("base_vertex", 0, 3),
        ("first_vertex", 1, 0),
    ]


def test_both_sides_name_the_same_place() -> None:
    vs = vertex("32    %2 = @load_instance_id", store("%1", "VAR3", 2))
    tcs = control(load(3, "VAR3"), out("%3", "VAR1"))
    vs_impl, tcs_impl = vs.entrypoint, tcs.entrypoint
    assert vs_impl is not None
    assert tcs_impl is not None
    planned = plan_passing(list(vs_impl.instrs()))
    pass_values(vs_impl, planned, of_name(vs, "store_output")[0])
    builder = Builder(tcs_impl, tcs_impl.start_block)
    own, zero = list(tcs_impl.defs())[1::-1]
    received = receive_values(builder, planned, of_name(tcs, "load_per_vertex_input")[0], own, zero)
    sent, read = of_name(vs, "store_output")[-1], of_name(tcs, "load_per_vertex_input")[-1]
    assert received["instance_id"] is read.def_
    assert (sent.io_semantics, sent.indices["src_type"]) == (read.io_semantics, read.indices["dest_type"])
    assert names(vs)[-1] == "store_output"
    pass_values(vs_impl, [], sent)
    assert len(of_name(vs, "store_output")) == 2


UNIFORM = "decl_var uniform INTERP_MODE_NONE none float u ({}, 0, 0)"
TEMPORARY = "decl_var shader_temp INTERP_MODE_NONE none float t"
LOADS = (
    "32    %2 = deref_var &u (uniform float)",
    "32    %3 = @load_deref (%2) (access=none)",
    "32    %4 = deref_var &t (shader_temp float)",
    "32    %5 = @load_deref (%4) (access=none)",
)


def test_resources_are_flagged_and_temporaries_are_not() -> None:
    vs = vertex(*LOADS, header=(UNIFORM.format(0), TEMPORARY))
    impl = vs.entrypoint
    assert impl is not None
    use_vs_bindings(list(impl.instrs()))
    assert [read.int_index("access") for read in of_name(vs, "load_deref")] == [VS_BINDINGS, 0]


@pytest.mark.parametrize(
    ("line", "binds", "writes"),
    [
        (
            "32    %2 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)",
            True,
            False,
        ),
        ("32    %2 = @load_global (%3) (access=none, align_mul=4, align_offset=0)", False, False),
        ("@store_ssbo (%1, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)", False, True),
        (
            "@image_store (%0, %3, %0, %3, %0) (image_dim=2D, image_array=false, format=none, access=none)",
            False,
            True,
        ),
    ],
)
def test_kinds_of_intrinsics(line: str, binds: bool, writes: bool) -> None:
    vs = vertex("64    %3 = undefined", line)
    (instr,) = [
        one for name in ("load_ubo", "load_global", "store_ssbo", "image_store") for one in of_name(vs, name)
    ]
    assert (has_binding(instr), writes_memory(instr)) == (binds, writes)


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        *((name, True) for name in ("load_ubo", "load_deref", "image_size", "vulkan_resource_index")),
        *((name, True) for name in ("get_ssbo_size", "bindless_image_load", "load_global_constant")),
        *((name, False) for name in ("load_input", "load_shared", "load_subgroup_size", "image_store")),
        *((name, False) for name in ("load_ubo_uniform_block_intel", "ssbo_atomic", "ballot", "no_such")),
    ],
)
def test_intrinsics_that_only_read_resources(name: str, reads: bool) -> None:
    assert reads_resource(IntrinsicInstr(name, [], {})) is reads


def test_same_variable_is_shared_and_another_declared() -> None:
    for location, shared in ((0, True), (1, False)):
        vs = vertex(*LOADS, header=(UNIFORM.format(0), TEMPORARY))
        tcs = control(header=(UNIFORM.format(location), TEMPORARY))
        assert (clashing_variable(vs, tcs) is None) == shared
        if not shared:
            continue
        impl = vs.entrypoint
        assert impl is not None
        adopt_variables(list(impl.instrs()), tcs, ())
        assert [variable.name for variable in tcs.variables] == ["u", "t", "t_vs"]
