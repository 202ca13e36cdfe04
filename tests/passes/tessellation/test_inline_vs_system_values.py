"""System values that the vertex shader passes on."""

from __future__ import annotations

from nirls.ir.model.builder import Builder
from nirls.passes.tessellation.inline_vs_system_values import pass_values, plan_passing, receive_values
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
