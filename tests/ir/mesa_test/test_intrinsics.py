from __future__ import annotations

from tests.ir.mesa_test.building import built_lines, reasons_of
from tests.passes.shader_text import ONE, ZERO, store


def test_a_call_without_indices_is_plain() -> None:
    assert built_lines("32x4  %0 = @load_frag_coord") == ["nir_def *ssa_0 = nir_load_frag_coord(b);"]


def test_width_and_size_are_given_where_nothing_else_gives_them() -> None:
    indices = "access=reorderable, align_mul=16, align_offset=0, range_base=0, range=-1"
    load = f"32x4  %2 = @load_ubo (%0, %1) ({indices})"
    lines = built_lines(ZERO, ONE, load)
    indices = "{.access = ACCESS_CAN_REORDER, .align_mul = 16, .range = 0xffffffff}"
    assert lines[-1] == f"nir_def *ssa_2 = _nir_build_load_ubo(b, 4, 32, ssa_0, ssa_1, {indices});"


def test_what_the_function_sets_by_itself_is_left_out() -> None:
    lines = built_lines(ZERO, ONE, store("VAR0"), stage="VERTEX")
    semantics = "{.io_semantics = {.location = VARYING_SLOT_VAR0}}"
    assert lines[-1] == f"_nir_build_store_output(b, ssa_1, ssa_0, {semantics});"


def test_semantics_and_captures() -> None:
    line = store("VAR1", component=2, extra=" no_varying invariant|component=0 buffer=1 offset=12")
    lines = built_lines(ZERO, ONE, line.replace("src_type=float32", "src_type=int32"), stage="VERTEX")
    assert ".component = 2, .src_type = nir_type_int32" in lines[-1]
    assert ".io_semantics = {.location = VARYING_SLOT_VAR1, .invariant = 1, .no_varying = 1}" in lines[-1]
    assert ".io_xfb = {.out = {{.num_components = 1, .buffer = 1, .offset = 3}}}" in lines[-1]


def test_the_name_of_a_variable() -> None:
    lines = built_lines(ZERO, ONE, f"{store('VAR0')}  // color", stage="VERTEX")
    assert lines[-1].endswith('->name = "color";')
    load = (
        "32  %2 = @load_input (%0) (base=0, range=0, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_POS slots=1)  // place"
    )
    lines = built_lines(ZERO, load, stage="VERTEX")
    assert lines[-1] == 'nir_instr_as_intrinsic(ssa_2->parent_instr)->name = "place";'


def test_enumerations() -> None:
    barrier = (
        "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
        " mem_modes=ssbo|shared)"
    )
    members = (
        ".execution_scope = SCOPE_WORKGROUP, .memory_scope = SCOPE_WORKGROUP,"
        " .memory_semantics = (nir_memory_semantics)(NIR_MEMORY_ACQUIRE | NIR_MEMORY_RELEASE),"
        " .memory_modes = (nir_variable_mode)(nir_var_mem_ssbo | nir_var_mem_shared)"
    )
    assert built_lines(barrier, stage="COMPUTE") == [f"_nir_build_barrier(b, {{{members}}});"]
    reduce = "32  %2 = @reduce (%1) (reduction_op=iadd, cluster_size=4)"
    assert built_lines(ONE, reduce)[-1] == (
        "nir_def *ssa_2 = _nir_build_reduce(b, ssa_1, {.reduction_op = nir_op_iadd, .cluster_size = 4});"
    )


def test_registers() -> None:
    lines = built_lines(
        "32  %0 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=1)".replace(
            " ()", ""
        ),
        "32  %1 = @load_reg (%0) (base=0, legacy_fabs=0, legacy_fneg=0)",
        "@store_reg (%1, %0) (base=0, wrmask=x, legacy_fsat=0)",
    )
    members = "{.num_components = 1, .bit_size = 32, .divergent = 1}"
    assert lines[0] == f"nir_def *ssa_0 = _nir_build_decl_reg(b, 32, {members});"
    assert lines[1:] == [
        "nir_def *ssa_1 = nir_build_load_reg(b, 1, 32, ssa_0);",
        "nir_build_store_reg(b, ssa_1, ssa_0);",
    ]


def test_what_is_not_in_the_release_is_named() -> None:
    assert reasons_of(ONE, "@abort (%1)") == ["the intrinsic @abort, which Mesa 25.0 has not"]
    unknown = store("VAR0").replace("VARYING_SLOT_VAR0", "UNKNOWN")
    assert reasons_of(ZERO, ONE, unknown) == [
        "an access to a slot without a name, whose number is not printed"
    ]


def test_newer_words_are_set_after_the_others() -> None:
    line = store("VAR1", extra=" no_varying no_signed_zero").replace(", xfb2()", "")
    lines = built_lines(ZERO, ONE, line, stage="VERTEX", mesa="26")
    assert lines[2].startswith("nir_intrinsic_instr *store_output = _nir_build_store_output(")
    assert lines[3:] == [
        "nir_io_semantics semantics = nir_intrinsic_io_semantics(store_output);",
        "semantics.no_signed_zero = 1;",
        "nir_intrinsic_set_io_semantics(store_output, semantics);",
    ]
    assert reasons_of(ZERO, ONE, line, stage="VERTEX") == [
        "the word no_signed_zero of the I/O semantics of @store_output"
    ]
