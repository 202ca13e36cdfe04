from __future__ import annotations

import pytest

from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import defect_of, errors_of, validate
from tests.ir.validation.conftest import dump_of
from tests.passes.shader_text import shader_text

ZERO = "32    %0 = load_const (0x00000000 = 0.000000)"
IO = "io location=VARYING_SLOT_VAR0 slots=1"
ATTRIBUTE = "io location=VERT_ATTRIB_POS slots=1"

BAD = [
    (
        "bad-source-count",
        "FRAGMENT",
        f"""
        {ZERO}
        32    %1 = @load_ubo (%0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "missing-destination",
        "COMPUTE",
        f"""
        {ZERO}
        @load_shared (%0) (base=0, align_mul=4, align_offset=0)
        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    (
        "unexpected-destination",
        "GEOMETRY",
        """
        32    %1 = @emit_vertex (stream_id=0)
              ^^
        """,
    ),
    (
        "bad-component-count",
        "FRAGMENT",
        """
        32x2  %0 = undefined
        32    %1 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=16)
                                  ^^
        """,
    ),
    (
        "bad-component-count",
        "FRAGMENT",
        """
        32    %1 = @load_frag_coord
              ^^
        """,
    ),
    (
        "bad-component-count",
        "COMPUTE",
        """
        32x2  %0 = undefined
        32    %1 = undefined
        32x3  %2 = @shuffle (%0, %1)
                             ^^
        """,
    ),
    (
        "bad-bit-size",
        "FRAGMENT",
        """
        16x4  %1 = @load_frag_coord
              ^^
        """,
    ),
    (
        "bad-bit-size",
        "COMPUTE",
        """
        16    %0 = undefined
        32    %1 = undefined
        32    %2 = @shuffle (%0, %1)
                             ^^
        """,
    ),
    (
        "bad-write-mask",
        "VERTEX",
        f"""
        {ZERO}
        @store_output (%0, %0) (base=0, range=1, wrmask=xy, component=0, src_type=float32, {IO})
                       ^^
        """,
    ),
]


@pytest.mark.parametrize(("code", "stage", "body"), BAD)
def test_bad(check, code: str, stage: str, body: str) -> None:
    # Operands that no known release has may be those of a newer one.
    check(code, body, stage=stage, severity="error" if code == "bad-write-mask" else "warning")


@pytest.mark.parametrize("body", [body for _, stage, body in BAD if stage == "COMPUTE"])
def test_no_pass_runs_on_unknown_operands(body: str) -> None:
    text = dump_of(body.replace("^", ""), "COMPUTE", "")
    shader = parse_dump(text.encode())
    assert defect_of(shader) == validate(shader)[0].message == errors_of(shader)[0].message


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        ("COMPUTE", "@emit_vertex (stream_id=0)"),
        ("VERTEX", "32x4  %0 = @load_frag_coord"),
        ("VERTEX", "32x2  %0 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)"),
        ("FRAGMENT", "32x3  %0 = @load_tess_coord"),
        ("VERTEX", "@demote"),
    ],
)
def test_wrong_stage(check, stage: str, line: str) -> None:
    check("wrong-stage", f"\n{line}\n{'^' * len(line)}\n", stage=stage)


@pytest.mark.parametrize(
    ("stage", "line"),
    [
        ("GEOMETRY", "@emit_vertex (stream_id=0)"),
        ("FRAGMENT", "32x4  %0 = @load_frag_coord"),
        ("TESS_EVAL", "32x3  %0 = @load_tess_coord"),
        ("FRAGMENT", "@demote"),
        # drivers run several stages as one workgroup
        ("TESS_EVAL", "@control_barrier"),
    ],
)
def test_right_stage(check_clean, stage: str, line: str) -> None:
    check_clean(line, stage=stage)


def test_missing_index(check) -> None:
    line = f"@store_output (%0, %0) (range=1, wrmask=x, component=0, src_type=float32, {IO}, xfb(), xfb2())"
    check("missing-index", f"\n{ZERO}\n{line}\n{'^' * len(line)}\n", stage="VERTEX")


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("@store_output (%0, %0) (range=1, wrmask=x)", ["missing-index"]),
        ("@store_output () (range=1, wrmask=x)", ["missing-index", "bad-source-count"]),
        ("32 %1 = @store_output (%0, %0) (range=1, wrmask=x)", ["missing-index", "unexpected-destination"]),
        ("@load_output (%0) (range=1)", ["missing-index", "missing-destination"]),
    ],
)
def test_beside_a_missing_index_only_what_no_form_has_is_reported(line: str, codes: list[str]) -> None:
    text = shader_text("VERTEX", ZERO, line)
    assert sorted(one.code for one in validate(parse_dump(text.encode()))) == sorted(codes)


@pytest.mark.parametrize(
    "line",
    [
        # Another release has these sources, indices and sizes.
        "@load_shared (%0, %0) (index_of_2030=1)",
        "16x3  %1 = @shared_atomic (%0) (index_of_2030=1)",
        "@export_amd (%0) (base=0, index_of_2030=1)",
    ],
)
def test_an_index_that_no_release_has_switches_the_table_off(check_clean, line: str) -> None:
    check_clean(f"{ZERO}\n{line}", stage="COMPUTE")


@pytest.mark.parametrize(
    "line",
    [
        "@export_amd (%0) (base=0, wrmask=x, flags=0)",
        "@export_amd (%0) (target=0, enabled_channels=1, flags=0)",
        "32    %1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)",
        "32    %1 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0, offset_shift=2)",
    ],
)
def test_forms_of_several_releases(check_clean, line: str) -> None:
    check_clean(f"{ZERO}\n{line}", stage="COMPUTE")


def test_full_accesses(check_clean) -> None:
    check_clean(
        f"""
        {ZERO}
        32x2  %1 = @load_input (%0) (base=0, range=1, component=2, dest_type=float32, {ATTRIBUTE})
        @store_output (%1, %0) (base=0, range=1, wrmask=xy, component=2, src_type=float32, {IO})
        32x4  %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)
        """,
        stage="VERTEX",
    )


def test_positional_indices_of_old_dumps(check_clean) -> None:
    check_clean(
        """
        vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
        vec4 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) () ()
        vec1 32 ssa_2 = intrinsic load_input (ssa_0) () (0, 0) /* base=0 */ /* component=0 */
        intrinsic store_output (ssa_1, ssa_0) () (0, 15, 0) /* base=0 */ /* wrmask=xyzw */ /* component=0 */
        """
    )


def test_unknown_intrinsic_is_warned_about_once(check) -> None:
    check(
        "unknown-intrinsic",
        f"""
        {ZERO}
        32    %1 = @load_quux (%0)
                    ^^^^^^^^^
        32    %2 = @load_quux (%1)
        """,
        severity="warning",
    )


def test_unknown_opcode_is_warned_about_once(check) -> None:
    check(
        "unknown-opcode",
        f"""
        {ZERO}
        32    %1 = fquux %0
                   ^^^^^
        32    %2 = fquux %1, %0
        """,
        severity="warning",
    )


def test_atomic_data_has_the_size_of_the_result(check) -> None:
    check(
        "bad-bit-size",
        """
        32    %0 = undefined
        64    %1 = undefined
        32    %2 = @ssbo_atomic (%0, %0, %1) (access=none, atomic_op=iadd)
                                         ^^
        """,
        stage="COMPUTE",
        severity="warning",
    )
