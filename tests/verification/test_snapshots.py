from __future__ import annotations

from collections.abc import Sequence

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.verification.snapshots import (
    LINKED,
    Losses,
    RunnableSnapshot,
    compare_linked_snapshots,
    compare_snapshots,
)
from nirls.verification.verdict import Different, Equivalent, Unchecked
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store

POSITION = load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB")
UNDEFINED = "32 %9 = undefined"


def vertex(*lines: str) -> str:
    return shader_text("VERTEX", ZERO, ONE, POSITION, *lines)


def snapshot(text: str) -> RunnableSnapshot:
    return RunnableSnapshot(parse_dump(text.encode()))


def color(value: str) -> str:
    return store("DATA0", value).replace("VARYING_SLOT", "FRAG_RESULT")


def verdict(before: str, after: str, pass_name: str = "nir_opt_dce") -> str:
    found = compare_snapshots(snapshot(before), snapshot(after), pass_name)
    return type(found.verdict).__name__


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((store("VAR0", "%2"),), (store("VAR0", "%2"),), "Equivalent"),
        ((store("VAR0", "%2"),), (store("VAR0", "%1"),), "Different"),
        ((store("VAR0", "%2"),), (), "Different"),
        # Unwritten or undefined before: anything after.
        ((store("VAR0", "%2"),), (store("VAR0", "%2"), UNDEFINED, store("PSIZ", "%9")), "Equivalent"),
        ((store("VAR0", "%2"),), (store("VAR0", "%2"), store("PSIZ", "%1")), "Equivalent"),
        (
            (store("VAR0", "%2"), UNDEFINED, store("PSIZ", "%9")),
            (store("VAR0", "%2"), store("PSIZ", "%1")),
            "Equivalent",
        ),
        # The reverse is a difference.
        (
            (store("VAR0", "%2"), store("PSIZ", "%1")),
            (store("VAR0", "%2"), UNDEFINED, store("PSIZ", "%9")),
            "Different",
        ),
    ],
)
def test_outputs_of_successive_snapshots(
    before: tuple[str, ...], after: tuple[str, ...], expected: str
) -> None:
    assert verdict(vertex(*before), vertex(*after)) == expected


def test_undefined_outputs_are_named() -> None:
    text = vertex(store("VAR0", "%2"), UNDEFINED, store("PSIZ", "%9"))
    after = vertex(store("VAR0", "%2"), store("PSIZ", "%1"))
    found = compare_snapshots(snapshot(text), snapshot(after), "nir_opt_dce")
    assert isinstance(found.verdict, Equivalent)
    assert "undefined before: VARYING_SLOT_PSIZ.x" in found.reason


def test_a_pass_may_change_what_its_rule_says() -> None:
    before = vertex(store("VAR0", "%2"), store("PSIZ", "%2"))
    after = vertex(store("VAR0", "%2"), store("PSIZ", "%1"))
    assert verdict(before, after, "nir_lower_point_size") == "Unchecked", "to which size is not known"
    assert verdict(before, after) == "Different"
    wrong = vertex(store("VAR0", "%1"), store("PSIZ", "%1"))
    assert verdict(before, wrong, "nir_lower_point_size") == "Different"
    assert verdict(before, vertex(store("PSIZ", "%2")), "lower_binning") == "Equivalent"
    assert verdict(before, vertex(store("VAR0", "%2")), "lower_binning") == "Different", "binning uses PSIZ"


def test_a_pass_that_sets_outputs_does_not_remove_them() -> None:
    before = vertex(store("VAR0", "%2"), store("CLIP_DIST0", "%2"))
    assert (
        verdict(before, vertex(store("VAR0", "%2"), store("CLIP_DIST0", "%1")), "nir_lower_clip_disable")
        == "Unchecked"
    )
    assert verdict(before, vertex(store("VAR0", "%2")), "nir_lower_clip_disable") == "Different"


def test_a_pass_whose_results_may_differ_proves_nothing() -> None:
    before, after = vertex(store("VAR0", "%2")), vertex(store("VAR0", "%1"))
    found = compare_snapshots(snapshot(before), snapshot(after), "nir_lower_flatshade")
    assert isinstance(found.verdict, Unchecked)
    assert "state of the API" in found.reason


HALF = ("16 %20 = f2f16 %2", "16 %21 = fmul %20, %20", "32 %22 = f2f32 %21")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (("32 %22 = fmul %2, %2",), HALF, "Equivalent"),
        (("32 %22 = mov %2",), (HALF[0], "32 %22 = f2f32 %20"), "Equivalent"),
        (("32 %22 = fmul %2, %2",), (HALF[0], "16 %21 = fadd %20, %20", HALF[2]), "Different"),
        # An integer bug beside it.
        (("32 %22 = umax %2, %1",), ("32 %22 = imax %2, %1",), "Different"),
        (("32 %22 = umax %2, %1",), (*HALF, "32 %24 = umin %2, %1"), "Different"),
        # Integers of medium precision lose their upper halves.
        (("32 %22 = umax %2, %1",), ("16 %20 = u2u16 %2", "32 %22 = u2u32 %20"), "Unchecked"),
    ],
)
def test_less_precision_excuses_no_other_difference(
    before: tuple[str, ...], after: tuple[str, ...], expected: str
) -> None:
    sides = (vertex(*lines, store("VAR0", "%22")) for lines in (before, after))
    assert verdict(*sides, "nir_lower_mediump_vars") == expected


@pytest.mark.parametrize(
    ("losses", "kept", "expected"),
    [
        (Losses.WRONG, "%2", "Different"),
        (Losses.UNCLEAR, "%2", "Unchecked"),
        (Losses.RIGHT, "%2", "Equivalent"),
        (Losses.UNCLEAR, "%1", "Different"),
        (Losses.RIGHT, "%1", "Different"),
    ],
)
def test_outputs_that_are_lost(losses: Losses, kept: str, expected: str) -> None:
    before, after = vertex(store("VAR0", "%2"), store("VAR1", "%2")), vertex(store("VAR0", kept))
    found = compare_snapshots(snapshot(before), snapshot(after), "", losses=losses)
    assert type(found.verdict).__name__ == expected
    is_named = "not written by this variant of the shader: VARYING_SLOT_VAR1" in found.reason
    assert is_named is (expected == "Equivalent")


def test_an_error_of_mesa_is_reported_as_that() -> None:
    broken = vertex(store("VAR0", "%1")).replace(
        "    // succs: b1\n", "error: bad (nir_validate.c:1)\n    // succs: b1\n", 1
    )
    found = compare_snapshots(snapshot(vertex(store("VAR0", "%2"))), snapshot(broken), "nir_opt_dce")
    assert isinstance(found.verdict, Unchecked)
    assert found.reason.startswith("Mesa printed an error in this dump: bad")
    assert verdict(broken, vertex(store("VAR0", "%2"))) == "Unchecked"


def test_a_line_that_cannot_be_read_is_reported_as_that() -> None:
    whole = vertex(store("VAR0", "%2"))
    for sides in ((whole, vertex("32 %9 = (", store("VAR0", "%2"))), (vertex("32 %9 = ("), whole)):
        found = compare_snapshots(*map(snapshot, sides), "nir_opt_dce")
        assert isinstance(found.verdict, Unchecked)
        assert found.reason == "a line of the dump cannot be read: 32 %9 = ("


def test_a_dump_that_is_cut_off_is_reported_as_that() -> None:
    """Drivers that compile in threads print a dump into another one."""
    whole = vertex(store("VAR0", "%2"))
    cut = whole[: whole.index("    block b0")]
    for sides in ((whole, cut), (cut, whole)):
        found = compare_snapshots(*map(snapshot, sides), "nir_opt_dce")
        assert isinstance(found.verdict, Unchecked)
        assert found.reason == "the dump is not whole: missing `}` of the function"


def test_an_operation_of_unknown_meaning_that_is_gone_proves_nothing() -> None:
    unknown = vertex("32 %9 = operation_of_2030 %2", store("VAR0", "%9"))
    found = compare_snapshots(snapshot(unknown), snapshot(vertex(store("VAR0", "%2"))), "nir_opt_algebraic")
    assert isinstance(found.verdict, Unchecked)
    assert "the first snapshot uses operation_of_2030" in found.reason
    added = compare_snapshots(snapshot(vertex(store("VAR0", "%2"))), snapshot(unknown), "nir_opt_algebraic")
    assert isinstance(added.verdict, Unchecked)
    assert "the second snapshot uses operation_of_2030" in added.reason


UBO = "decl_var ubo INTERP_MODE_NONE none block_t cb (~0, 0, 0)\n"
DEREFS = (
    "32x2 %10 = deref_var &cb (ubo block_t)",
    "32x2 %11 = deref_struct &%10->a (ubo float)",
    "32 %12 = @load_deref (%11) (access=none)",
    "32x2 %13 = deref_struct &%10->b (ubo float)",
    "32 %14 = @load_deref (%13) (access=none)",
)


def ubo_load(number: int, offset: str) -> str:
    return (
        f"32 %{number} = @load_ubo (%0 (0x0), {offset}) (access=none, align_mul=16, align_offset=0,"
        " range_base=0, range=-1)"
    )


def test_a_ubo_found_by_offset_holds_what_its_members_held() -> None:
    sub = ("32 %15 = fsub %12, %14", store("VAR0", "%15"))
    before = vertex(*DEREFS, *sub).replace("decl_function", UBO + "decl_function", 1)
    four = "32 %16 = load_const (0x00000004)"
    lowered = vertex(four, ubo_load(12, "%0 (0x0)"), ubo_load(14, "%16 (0x4)"), *sub)
    assert verdict(before, lowered, "nir_lower_explicit_io") == "Equivalent"
    same_place = vertex(four, ubo_load(12, "%0 (0x0)"), ubo_load(14, "%0 (0x0)"), *sub)
    found = compare_snapshots(snapshot(before), snapshot(same_place), "nir_lower_explicit_io")
    assert isinstance(found.verdict, Unchecked)
    assert "UBOs by index" in found.reason


def test_a_change_of_two_stages_is_compared_as_a_pipeline() -> None:
    producer = vertex(store("POS", "%2"), store("VAR0", "%1"))
    consumer = shader_text("FRAGMENT", ZERO, ONE, load(2, "VAR0"), color("%2"))
    new_producer = vertex(store("POS", "%2"))
    new_consumer = shader_text("FRAGMENT", ZERO, ONE, color("%1"))
    wrong = shader_text("FRAGMENT", ZERO, ONE, color("%0"))
    before = [snapshot(producer), snapshot(consumer)]
    assert verdict(producer, new_producer) == "Different"
    after = [snapshot(new_producer), snapshot(new_consumer)]
    assert isinstance(compare_linked_snapshots(before, after), Equivalent)
    assert isinstance(compare_linked_snapshots(before, [after[0], snapshot(wrong)]), Different)
    pushed = "32 %3 = @load_push_constant (%0 (0x0)) (base=0, range=4)"
    same, other = (shader_text("FRAGMENT", ZERO, ONE, pushed, color(value)) for value in ("%1", "%3"))
    assert isinstance(compare_linked_snapshots(before, [after[0], snapshot(same)]), Equivalent)
    assert isinstance(compare_linked_snapshots(before, [after[0], snapshot(other)]), Unchecked)


def test_stages_that_do_not_belong_together_prove_nothing() -> None:
    producer = vertex(store("POS", "%2"))
    color = store("VAR0", "%3").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")
    consumer = shader_text("FRAGMENT", ZERO, load(3, "VAR5"), color)
    before = [snapshot(producer), snapshot(consumer)]
    after = [before[0], snapshot(shader_text("FRAGMENT", ZERO, load(3, "VAR5")))]
    assert isinstance(compare_linked_snapshots(before, after), Unchecked)


def test_a_store_of_an_earlier_stage_has_no_inputs_of_the_last_one() -> None:
    """A vertex shader has three invocations for one of the geometry shader."""

    def producer(value: str) -> RunnableSnapshot:
        lines = (
            load(5, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"),
            "1 %6 = fneu! %5, %5",
            f"32 %7 = bcsel %6, {value}, %0",
            "@store_ssbo (%7, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)",
            store("VAR0", "%5"),
        )
        return snapshot(shader_text("VERTEX", ZERO, ONE, *lines))

    read = load(3, "VAR0").replace("@load_input (", "@load_per_vertex_input (%0 (0x0), ")
    primitives = ("input_primitive: TRIANGLES", "vertices_in: 3", "vertices_out: 3")
    geometry = snapshot(
        shader_text(
            "GEOMETRY", ZERO, read, store("VAR0", "%3"), "@emit_vertex (stream_id=0)", header=primitives
        )
    )
    found = compare_linked_snapshots([producer("%1"), geometry], [producer("%0"), geometry])
    assert isinstance(found, Different)
    assert found.counterexample.what == "memory ssbo0[0]"
    assert found.counterexample.inputs == ()


def test_stages_are_not_linked_by_slots_that_two_varyings_have() -> None:
    """As GLSL's linker numbers them before it knows how many slots each takes."""
    declared = [
        f"decl_var shader_out INTERP_MODE_NONE none {name} (VARYING_SLOT_VAR0.x, 0, 0)"
        for name in ("float[2] a", "float b")
    ]
    before = [
        snapshot(shader_text("VERTEX", ZERO, ONE, store("VAR0", "%1"), header=declared)),
        snapshot(shader_text("FRAGMENT", ZERO, load(2, "VAR0"), color("%2"))),
    ]
    after = [before[0], snapshot(shader_text("FRAGMENT", ZERO, color("%0")))]
    found = compare_linked_snapshots(before, after)
    assert isinstance(found, Unchecked)
    assert found.reason == "a and b are declared in one slot, so that the stages are not linked by slots"


def test_a_pipeline_is_proved_where_its_stage_alone_is_not() -> None:
    producer = vertex(store("POS", "%2"), store("VAR0", "%1"))
    consumer = shader_text("FRAGMENT", ZERO, ONE, load(2, "VAR0"), color("%2"))
    new_consumer = shader_text("FRAGMENT", ZERO, ONE, color("%1"))
    wrong = shader_text("FRAGMENT", ZERO, ONE, color("%0"))
    first, one, other = map(snapshot, (producer, consumer, new_consumer))
    alone = compare_snapshots(one, other, "nir_opt_varyings")
    assert not (isinstance(alone.verdict, Equivalent) and alone.verdict.same_expressions)
    found = compare_snapshots(one, other, "nir_opt_varyings", pipelines=[((first, one), (first, other))])
    assert isinstance(found.verdict, Equivalent)
    assert found.verdict.same_expressions
    assert found.remark == LINKED
    broken = snapshot(wrong)
    found = compare_snapshots(one, broken, "nir_opt_dce", pipelines=[((first, one), (first, broken))])
    assert isinstance(found.verdict, Different)


def stores_by_offset(*values: str) -> list[str]:
    return [
        store("POS", value).replace("base=0", f"base={base}").replace("range=1, ", "")
        for base, value in enumerate(values)
    ]


def test_snapshots_in_different_languages_are_never_different() -> None:
    slots = vertex(store("VAR0", "%2"), store("POS", "%1"))
    offsets = vertex(*stores_by_offset("%2", "%1", "%0", "%0"))
    assert verdict(slots, offsets, "x_nir_lower_io") == "Unchecked"
    assert verdict(offsets, slots, "nir_opt_dce") == "Unchecked"


def test_stores_by_offset_are_compared_by_offset() -> None:
    before = vertex(*stores_by_offset("%2", "%1", "%0", "%0"))
    swapped = vertex(*reversed(stores_by_offset("%2", "%1", "%0", "%0")))
    assert verdict(before, swapped) == "Equivalent"
    assert verdict(before, vertex(*stores_by_offset("%2", "%0", "%1", "%0"))) == "Different"


@pytest.mark.parametrize(
    ("pass_name", "expected"),
    [
        ("nir_lower_x", "Different"),
        ("nir_opt_dce", "Different"),
        ("x_nir_lower_y", "Unchecked"),
        ("x_nir_y_lowering", "Unchecked"),
        ("lower_y", "Unchecked"),
        ("nir_shader_instructions_pass", "Unchecked"),
        ("x_nir_opt_y", "Different"),
    ],
)
def test_a_lowering_of_a_driver_may_mean_something_else(pass_name: str, expected: str) -> None:
    assert verdict(vertex(store("VAR0", "%2")), vertex(store("VAR0", "%1")), pass_name) == expected


def test_a_pass_of_a_driver_may_leave_outputs_to_another_variant() -> None:
    both, one = vertex(store("VAR0", "%2"), store("POS", "%1")), vertex(store("VAR0", "%2"))
    assert verdict(both, one, "x_nir_specialize_y") == "Unchecked"
    assert verdict(both, one, "nir_specialize_y") == "Different"


def test_scaled_coordinates_of_a_cube_map_are_unchecked() -> None:
    fetch = "32x4 %24 = (float32)txl %23 (coord), %0 (lod), 0 (texture), 0 (sampler)"
    plain = ("32x3 %23 = vec3 %2, %1, %2",)
    scaled = ("32x3 %20 = vec3 %2, %1, %2", "32 %21 = frcp %2", "32x3 %23 = fmul %20, %21.xxx")
    before, after = (
        vertex(*lines, fetch, "32 %25 = mov %24.x", store("VAR0", "%25")) for lines in (plain, scaled)
    )
    assert verdict(before, after, "nir_normalize_cubemap_coords") == "Unchecked"
    assert verdict(before, after, "nir_opt_cse") == "Different"


def test_swizzled_texels_are_unchecked() -> None:
    fetch = "32x4 %24 = (float32)tex %23 (coord), 0 (texture), 0 (sampler)"
    coordinates = ("32x2 %23 = vec2 %2, %1", "32x2 %22 = vec2 %1, %2")
    read = "32 %25 = fmul {}, %2"
    before = vertex(*coordinates, fetch, read.format("%24.x"), store("VAR0", "%25"))
    swizzle = "32x4 %26 = mov %24.zyxw"
    after = vertex(*coordinates, fetch, swizzle, read.format("%26.x"), store("VAR0", "%25"))
    assert verdict(before, after, "nir_lower_tex") == "Unchecked"
    assert verdict(before, after, "nir_opt_cse") == "Different"
    elsewhere = vertex(*coordinates, fetch.replace("%23", "%22"), read.format("%24.x"), store("VAR0", "%25"))
    assert verdict(before, elsewhere, "nir_lower_tex") == "Different"


def test_a_lowering_may_know_a_system_value() -> None:
    value, known, other = (
        vertex(f"32 %10 = {source}", "32 %13 = iadd %10, %1", store("VAR0", "%13"))
        for source in ("@load_num_subgroups", "load_const (0x00000004)", "@load_subgroup_id")
    )
    assert verdict(value, known, "nir_lower_subgroups") == "Unchecked"
    assert verdict(value, known, "nir_opt_algebraic") == "Different"
    assert verdict(value, other, "nir_lower_subgroups") == "Different"


def test_a_pass_that_gives_uniforms_their_values_proves_nothing() -> None:
    before, after = vertex(ubo_load(9, "%0 (0x0)"), store("VAR0", "%9")), vertex(store("VAR0", "%1"))
    assert verdict(before, after, "nir_inline_uniforms") == "Unchecked"
    assert verdict(before, after, "nir_opt_constant_folding") == "Different"


def test_a_memory_access_of_a_driver_may_take_another_form() -> None:
    def loaded(address: str, offset: str, added: str) -> str:
        return vertex(
            "32 %10 = @load_push_constant (%0 (0x0)) (base=0, range=8, align_mul=8, align_offset=0)",
            "32 %11 = iadd %10, %1",
            f"32 %12 = @load_global_etna ({address}, {offset}) (access=none, align_mul=4, align_offset=0)",
            f"32 %13 = iadd %12, {added}",
            store("VAR0", "%13"),
        )

    before, moved, wrong = loaded("%11", "%0", "%1"), loaded("%10", "%1", "%1"), loaded("%11", "%0", "%0")
    assert verdict(before, moved, "nir_opt_offsets") == "Unchecked"
    assert verdict(before, wrong, "nir_opt_offsets") == "Different"


@pytest.mark.parametrize("qualifier", ["sample", "centroid"])
@pytest.mark.parametrize(
    ("pass_name", "expected"),
    [("elk_nir_move_interpolation_to_top", "Unchecked"), ("nir_opt_algebraic", "Different")],
)
def test_only_a_driver_knows_that_a_pixel_has_one_sample(
    qualifier: str, pass_name: str, expected: str
) -> None:
    def fragment(*lines: str, declared: Sequence[str] = ()) -> str:
        return shader_text(
            "FRAGMENT", ZERO, *lines, "32 %7 = mov %6.y", color("%7 (1.000000)"), header=declared
        )

    before = fragment(
        "32 %5 = deref_var &v (shader_in vec4)",
        "32x4 %6 = @load_deref (%5) (access=none)",
        declared=[
            f"decl_var {qualifier} shader_in INTERP_MODE_NONE none vec4 v (VARYING_SLOT_VAR0.xyzw, 0, 0)"
        ],
    )
    after = fragment(
        "32x2 %5 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        "32x4 %6 = @load_interpolated_input (%5, %0) (base=0, component=0, dest_type=float32,"
        " io location=VARYING_SLOT_VAR0 slots=1)",
    )
    assert verdict(before, after, pass_name) == expected
    assert verdict(before, before, pass_name) == "Equivalent"


def test_the_sign_of_a_zero_is_free_where_its_operation_stays() -> None:
    """A pass may make `(-a) . b` of `-(a . b)`, and leave `a . b` behind."""
    inputs = [
        f"32x3 %{10 + number} = @load_input (%0 (0x0)) (base={number}, range=1, component=0,"
        f" dest_type=float32, io location=VERT_ATTRIB_GENERIC{number} slots=1)"
        for number in range(2)
    ]
    product = (*inputs, "32 %12 = fdot3_replicated %10, %11", "32 %16 = load_const (0x40000000 = 2.000000)")
    used = ("32 %14 = fmul %13, %16", "32 %15 = ffma %14, %10.y, %11.y", store("VAR0", "%15"))
    before = vertex(*product, "32 %13 = fneg %12", *used)
    after = vertex(*product, "32x3 %17 = fneg %10", "32 %13 = fdot3_replicated %17, %11", *used)
    assert verdict(before, after, "nir_opt_algebraic_distribute_src_mods") == "Equivalent"
