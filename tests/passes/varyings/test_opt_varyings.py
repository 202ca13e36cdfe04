"""The pass over whole pipelines: the order of the pairs, clean-up, vectors, options."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ZERO, load, printed_kinds, shader, store, use
from tests.passes.varyings.pairs import fragment, interpolated, loads, stores, vertex


def test_constant_travels_down_and_dead_code_up() -> None:
    first = vertex(store("VAR0"), "32    %20 = fsin %10", store("VAR1", "%20"))
    second = shader(
        "GEOMETRY",
        ZERO,
        load(4, "VAR0", name="load_per_vertex_input"),
        load(5, "VAR1", name="load_per_vertex_input"),
        *(store("VAR0", "%4"), store("VAR1", "%5"), "           @emit_vertex (stream_id=0)") * 3,
        "           @end_primitive (stream_id=0)",
    )
    third = fragment(load(4, "VAR0"), use("%4"))
    shaders = [first, second, third]
    before = [clone_shader(item) for item in shaders]
    changed = OptVaryings().run(shaders)
    assert changed == shaders
    assert loads(third) == []
    assert stores(second) == []
    assert stores(first) == []
    assert "fsin" not in printed_kinds(first)
    assert isinstance(verify_shaders(before, shaders), Equivalent)


def test_vectors_become_scalars_first() -> None:
    producer = shader(
        "VERTEX",
        ZERO,
        "32x2  %1 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)",
        "           @store_output (%1, %0 (0x0)) (base=0, range=0, wrmask=xy, component=0, src_type=float32,"
        " io location=VARYING_SLOT_VAR4 slots=1, xfb(), xfb2())",
    )
    consumer = fragment(interpolated(4, "VAR4"), "32    %5 = fsin %4", use("%5"))
    OptVaryings().run([producer, consumer])
    assert stores(producer) == [(32, 0)]
    assert loads(consumer) == [("load_interpolated_input", 32, 0)]


def test_pipeline_without_varyings_stays() -> None:
    assert OptVaryings().run([vertex(), fragment()]) == []


@pytest.mark.parametrize("index_value", ["%1", "%10"])
def test_input_that_only_gave_a_vertex_index_goes_with_the_load_that_used_it(index_value: str) -> None:
    """Whether it is to be propagated itself or to be a duplicate, nothing is left of it to do that to."""
    producer = vertex(store("VAR0"), store("VAR1", "%10"), store("VAR2", index_value))
    consumer = shader(
        "GEOMETRY",
        ZERO,
        load(4, "VAR2", name="load_per_vertex_input"),
        "32    %5 = f2i32 %4",
        load(6, "VAR0", name="load_per_vertex_input").replace("(%0 (0x0), ", "(%5, ", 1),
        load(7, "VAR1", name="load_per_vertex_input"),
        use("%6"),
        use("%7"),
    )
    before = [clone_shader(producer), clone_shader(consumer)]
    OptVaryings().run([producer, consumer])
    assert not isinstance(verify_shaders(before, [producer, consumer]), Different)
    assert len(stores(producer)) == 1


def test_payload_and_varyings_of_a_mesh_shader_are_linked_in_one_run() -> None:
    task = shader(
        "TASK",
        ZERO,
        "32    %1 = load_const (0x3f800000 = 1.000000)",
        "           @store_task_payload (%1, %0) (base=0, wrmask=x, align_mul=4, align_offset=0)",
        "32x3  %2 = vec3 %1, %1, %1",
        "           @launch_mesh_workgroups (%2) (base=0, range=4)",
    )
    mesh = shader(
        "MESH",
        ZERO,
        "32    %1 = @load_task_payload (%0) (base=0, range=4, align_mul=4, align_offset=0)",
        "32    %2 = @load_local_invocation_index",
        "           @store_per_vertex_output (%1, %2, %0) (base=0, range=1, wrmask=x, component=0,"
        " src_type=float32, io location=VARYING_SLOT_VAR3 slots=1)",
        "           @store_per_vertex_output (%2, %2, %0) (base=0, range=1, wrmask=x, component=1,"
        " src_type=float32, io location=VARYING_SLOT_VAR4 slots=1)",
        header=("workgroup_size: 8, 1, 1",),
    )
    consumer = fragment(interpolated(4, "VAR3"), use("%4"))
    shaders = [task, mesh, consumer]
    before = [clone_shader(item) for item in shaders]
    assert OptVaryings().run(shaders) == shaders
    assert "store_task_payload" not in printed_kinds(task)
    assert "load_task_payload" not in printed_kinds(mesh)
    assert "store_per_vertex_output" not in printed_kinds(mesh)
    assert loads(consumer) == []
    assert isinstance(verify_shaders(before, shaders), Equivalent)


def test_a_load_that_nobody_reads_keeps_no_output_alive() -> None:
    producer = vertex(
        "32    %20 = fsin %10", store("VAR0", "%20"), "32    %21 = fcos %11", store("VAR1", "%21")
    )
    consumer = fragment(interpolated(4, "VAR0"), "32    %5 = fexp2 %4", interpolated(6, "VAR1"), use("%6"))
    OptVaryings().run([producer, consumer])
    assert "fsin" not in printed_kinds(producer)
    assert "fexp2" not in printed_kinds(consumer)
    assert len(stores(producer)) == len(loads(consumer)) == 1
    assert OptVaryings().run([producer, consumer]) == []


def test_what_clean_up_uncovers_is_linked_again() -> None:
    """An expression that is too expensive to be sent is a constant once it is folded."""
    producer = vertex("32    %20 = fadd %1, %1", store("VAR0", "%20"), store("VAR1", "%10"))
    consumer = fragment(load(4, "VAR0"), use("%4"))
    shaders = [producer, consumer]
    before = [clone_shader(item) for item in shaders]
    OptVaryings.with_options({"max_cost": 0}).run(shaders)
    assert loads(consumer) == []
    assert isinstance(verify_shaders(before, shaders), Equivalent)
    assert OptVaryings.with_options({"max_cost": 0}).run(shaders) == []


@pytest.mark.parametrize(("flag", "left"), [("", []), ("!", [("load_input", 32, 0)])])
def test_input_that_a_propagated_zero_makes_unread_goes(flag: str, left: list[tuple[str, int, int]]) -> None:
    """The derivative of a constant is 0, and so is its product with anything."""
    producer = vertex(store("VAR0", "%10"), store("VAR1"))
    consumer = fragment(
        load(4, "VAR0"),
        interpolated(5, "VAR1"),
        "32    %6 = @ddx (%5)",
        f"32    %7 = fmul{flag} %4, %6",
        use("%7"),
    )
    before = [clone_shader(producer), clone_shader(consumer)]
    OptVaryings().run([producer, consumer])
    assert loads(consumer) == left
    assert isinstance(verify_shaders(before, [producer, consumer]), Equivalent)
