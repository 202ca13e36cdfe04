from __future__ import annotations

from tests.ir.mesa_test.building import built_lines, reasons_of

VECTOR = "32x2  %0 = load_const (0x3f800000, 0x40000000) = (1.000000, 2.000000)"
SCALAR = "32    %1 = load_const (0x3f800000 = 1.000000)"


def test_whole_sources_are_plain_arguments() -> None:
    assert "nir_def *ssa_2 = nir_fadd(b, ssa_1, ssa_1);" in built_lines(
        VECTOR, SCALAR, "32  %2 = fadd %1, %1"
    )


def test_swizzles_are_taken_into_the_source_at_the_end() -> None:
    lines = built_lines(VECTOR, SCALAR, "32  %2 = fadd %0.y, %1", "32x3  %3 = vec3 %0.x, %0.y, %1")
    assert "nir_def *ssa_2 = nir_fadd(b, nir_channel(b, ssa_0, 1), ssa_1);" in lines
    assert lines[-1] == "fold_swizzles();"


def test_a_scalar_beside_a_vector_is_repeated_by_the_builder() -> None:
    lines = built_lines(VECTOR, SCALAR, "32x2  %2 = fadd %0, %1.xx")
    assert lines[-1] == "nir_def *ssa_2 = nir_fadd(b, ssa_0, ssa_1);"


def test_other_swizzles() -> None:
    lines = built_lines(VECTOR, SCALAR, "32x2  %2 = fadd %0.yx, %1.xx", "32x2  %3 = fneg %1.xx")
    assert "nir_def *ssa_2 = nir_fadd(b, swizzle(b, ssa_0, {1, 0}), swizzle(b, ssa_1, {0, 0}));" in lines
    wide = "32x4  %2 = vec4 %1, %1, %1, %1"
    lines = built_lines(SCALAR, wide, "32x2  %3 = fneg %2.xz")
    assert "nir_def *ssa_3 = nir_fneg(b, nir_channels(b, ssa_2, 0x5));" in lines


def test_a_mov_of_the_dump_stays_where_others_go() -> None:
    assert built_lines(VECTOR, "32  %2 = mov %0.y")[-1] == "nir_def *ssa_2 = nir_channel(b, ssa_0, 1);"
    lines = built_lines(VECTOR, "32  %2 = mov %0.y", "32  %3 = fneg %0.x", "32x2  %4 = mov %0")
    assert "nir_def *ssa_2 = keep_mov(nir_channel(b, ssa_0, 1));" in lines
    assert "nir_def *ssa_4 = keep_mov(nir_mov(b, ssa_0));" in lines


def test_exact_is_switched_on_and_off() -> None:
    lines = built_lines(SCALAR, "32  %2 = fadd! %1, %1", "32  %3 = fmul! %2, %1", "32  %4 = fneg %3")
    assert [line for line in lines if "exact" in line] == ["b->exact = true;", "b->exact = false;"]
    assert lines.index("b->exact = false;") == lines.index("nir_def *ssa_4 = nir_fneg(b, ssa_3);") - 1


def test_the_words_of_newer_printers() -> None:
    line = "32  %2 = fadd %1, %1  // exact, preserve:sz,nan"
    assert (
        "b->fp_math_ctrl = nir_fp_exact | nir_fp_preserve_signed_zero | nir_fp_preserve_nan;"
        in built_lines(SCALAR, line, mesa="26")
    )
    older = built_lines(SCALAR, line)
    kept = "FLOAT_CONTROLS_SIGNED_ZERO_PRESERVE_FP32 | FLOAT_CONTROLS_NAN_PRESERVE_FP32"
    assert f"b->fp_fast_math = {kept};" in older
    assert "b->exact = true;" in older


def test_no_wrap() -> None:
    lines = built_lines(SCALAR, "32  %2 = iadd.nuw %1, %1")
    assert lines[-1] == "nir_instr_as_alu(ssa_2->parent_instr)->no_unsigned_wrap = true;"


def test_a_conversion_to_the_same_size_is_not_left_out() -> None:
    lines = built_lines(SCALAR, "32  %2 = u2u32 %1", "64  %3 = u2u64 %1")
    assert "nir_def *ssa_2 = nir_build_alu1(b, nir_op_u2u32, ssa_1);" in lines
    assert "nir_def *ssa_3 = nir_u2u64(b, ssa_1);" in lines


def test_an_opcode_of_another_release_is_named() -> None:
    assert reasons_of(SCALAR, "32  %2 = fnot %1") == ["the opcode fnot, which Mesa 25.0 has not"]
