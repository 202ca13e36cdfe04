from __future__ import annotations

import pytest
from hypothesis import given, settings

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.passes.registers.coalesce_plan import plan_vectors
from nirls.passes.registers.lower_vec_and_coalesce import LowerVecAndCoalesce, lower_vec_and_coalesce
from nirls.verification.options import VerificationOptions
from nirls.verification.random_shaders.registers import random_register_shader
from nirls.verification.verdict import Different, Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body

from .programs import EXAMPLES, Statement, old_shader, programs

OPTIONS = VerificationOptions(runs=3, most_runs=3, lanes=16, least_lanes=1)

HEAD = """shader: MESA_SHADER_COMPUTE
local-size: 8, 1, 1
inputs: 0
outputs: 0
uniforms: 0
shared: 0
decl_function main (0 params)

impl main {
\tdecl_reg vec4 32 r0
\tdecl_reg vec4 32 r1
\tdecl_reg vec4 32 r2
\tblock block_0:
\tvec1 32 ssa_0 = load_const (0x00000000 BITS)
\tvec4 32 ssa_1 = intrinsic load_ubo (ssa_0, ssa_0) UBO
\tvec1 32 ssa_2 = load_const (0x00000010 BITS)
\tvec4 32 ssa_3 = intrinsic load_ubo (ssa_0, ssa_2) UBO
\tr0 = mov ssa_3
"""
TAIL = """\tintrinsic store_ssbo (r0, ssa_0, ssa_0) SSBO
\tblock block_1:
}
"""
UBO = "(0, 16, 0, 0, 16) /* access=0 */ /* align_mul=16 */ /* align_offset=0 */"
SSBO = "(15, 0, 4, 0) /* wrmask=xyzw */ /* access=0 */ /* align_mul=4 */ /* align_offset=0 */"
DIALECTS = {
    "old": {"BITS": "/* 0.000000 */", "UBO": UBO, "SSBO": SSBO},
    "classic": {
        "BITS": "= 0.000000",
        "UBO": "(access=0, align_mul=16, align_offset=0, range_base=0, range=16)",
        "SSBO": "(wrmask=xyzw /*15*/, access=0, align_mul=4, align_offset=0)",
        "local-size": "workgroup-size",
        "ssa_2 = load_const (0x00000010 = 0.000000)": "ssa_2 = load_const (0x00000010 = 0.000000)",
    },
}


def register_form(*lines: str, dialect: str = "old") -> Shader:
    text = HEAD + "".join(f"\t{line}\n" for line in lines) + TAIL
    for word, replacement in DIALECTS[dialect].items():
        text = text.replace(word, replacement)
    shader = parse_dump(text.encode())
    assert not shader.unreadable, shader.unreadable
    assert shader.dialect.value == dialect
    return shader


def coalesced(shader: Shader) -> str:
    """The text after the pass, which is valid, the same program, and what the edits make of the dump."""
    result = clone_shader(shader)
    assert lower_vec_and_coalesce(result)
    assert_valid(result)
    verdict = verify_shaders(shader, result, OPTIONS)
    assert isinstance(verdict, Equivalent), verdict
    text = apply_edits(shader.source, text_edits(shader, result))
    edited = parse_dump(text)
    assert not edited.unreadable
    assert difference(edited, result) is None, difference(edited, result)
    assert not lower_vec_and_coalesce(result), "the pass makes progress on its own result"
    return text.decode()


def lines_of(text: str, part: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if part in line]


def assert_untouched(shader: Shader) -> None:
    result = clone_shader(shader)
    assert not lower_vec_and_coalesce(result)
    assert difference(shader, result) is None
    assert list(LowerVecAndCoalesce().find([shader])) == []


@pytest.mark.parametrize("dialect", ["old", "classic"])
def test_ssa_operands_are_computed_in_place(dialect: str) -> None:
    text = coalesced(
        register_form(
            "vec1 32 ssa_4 = fadd ssa_1.x, ssa_1.y",
            "vec1 32 ssa_5 = fmul ssa_1.z, ssa_1.z",
            "vec1 32 ssa_6 = fmul ssa_1.w, ssa_3.z",
            "vec1 32 ssa_7 = fadd ssa_1.w, ssa_3.x",
            "r0 = vec4 ssa_4, ssa_5, ssa_6, ssa_7",
            dialect=dialect,
        )
    )
    assert lines_of(text, "r0.") == [
        "r0.x = fadd ssa_1.x, ssa_1.y",
        "r0.y = fmul ssa_1.z, ssa_1.z",
        "r0.z = fmul ssa_1.w, ssa_3.z",
        "r0.w = fadd ssa_1.w, ssa_3.x",
    ]
    assert "vec4 ssa_4" not in text


def test_operands_used_more_than_once_are_one_instruction_with_several_channels() -> None:
    text = coalesced(
        register_form(
            "vec2 32 ssa_4 = fadd ssa_1.xy, ssa_3.zw",
            "r0 = vec4 ssa_4.x, ssa_4.y, ssa_4.x, ssa_3.x",
        )
    )
    assert lines_of(text, "r0.") == ["r0.xyz = fadd ssa_1.xyx, ssa_3.zwz", "r0.w = mov ssa_3.x"]


def test_register_operands_and_their_registers_go() -> None:
    text = coalesced(
        register_form(
            "r1.xz = fadd ssa_1.xy, ssa_3.zw",
            "r2.x = fmul ssa_1.x, ssa_1.y",
            "r0 = vec4 r2.x, r1.z, r1.x, ssa_3.x",
        )
    )
    assert lines_of(text, "r0.") == [
        "r0.yz = fadd ssa_1.yx, ssa_3.wz",
        "r0.x = fmul ssa_1.x, ssa_1.y",
        "r0.w = mov ssa_3.x",
    ]
    assert "decl_reg vec4 32 r1" not in text


def test_what_is_left_is_a_smaller_vector() -> None:
    text = coalesced(
        register_form("vec1 32 ssa_4 = fneg ssa_1.x", "r0 = vec4 ssa_3.x, ssa_4, ssa_1.y, ssa_1.w")
    )
    assert lines_of(text, "r0.") == ["r0.y = fneg ssa_1.x", "r0.xzw = vec3 ssa_3.x, ssa_1.y, ssa_1.w"]


def test_channels_that_are_there_already_stay() -> None:
    text = coalesced(register_form("r0 = vec4 r0.x, r0.y, ssa_1.x, ssa_1.y"))
    assert lines_of(text, "r0.") == ["r0.zw = mov ssa_1.xy"]


def test_a_selection_with_its_condition() -> None:
    text = coalesced(
        register_form(
            "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
            "vec2 32 ssa_5 = bcsel ssa_4.xx, ssa_1.zw, ssa_3.xy",
            "r0 = vec4 ssa_5.y, ssa_5.x, ssa_3.z, ssa_3.w",
        )
    )
    assert "r0.xy = bcsel ssa_4.xx, ssa_1.wz, ssa_3.yx" in text


@pytest.mark.parametrize(
    "lines",
    [
        # Something else reads it.
        ("vec1 32 ssa_4 = fneg ssa_1.x", "r1.x = mov ssa_4", "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
        # Not per channel.
        ("vec1 32 ssa_4 = fdot3 ssa_1.xyz, ssa_3.xyz", "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
        # The channel is read in between.
        (
            "vec1 32 ssa_4 = fneg ssa_1.x",
            "intrinsic store_ssbo (r0, ssa_0, ssa_2) SSBO",
            "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x",
        ),
        # The channel is written in between.
        ("vec1 32 ssa_4 = fneg ssa_1.x", "r0.x = mov ssa_1.w", "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
        # The vector itself reads the channel.
        ("vec1 32 ssa_4 = fneg ssa_1.x", "r0 = vec4 ssa_4, r0.x, ssa_1.y, ssa_3.x"),
        # A modifier at the vector.
        ("vec1 32 ssa_4 = fneg ssa_1.x", "r0 = vec4 -ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
        # The vector saturates.
        ("vec1 32 ssa_4 = fneg ssa_1.x", "r0 = vec4.sat ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
        # Not an ALU instruction.
        ("vec1 32 ssa_4 = intrinsic load_sample_id () ()", "r0 = vec4 ssa_4, ssa_1.x, ssa_1.y, ssa_3.x"),
    ],
)
def test_what_stands_in_the_way(lines: tuple[str, ...]) -> None:
    shader = register_form(*lines)
    untouched = [line for line in lines if line.startswith("r0 = vec4")]
    result = clone_shader(shader)
    lower_vec_and_coalesce(result)
    assert untouched[0] in apply_edits(shader.source, text_edits(shader, result)).decode()


def test_another_channel_read_in_between_is_no_obstacle() -> None:
    text = coalesced(
        register_form(
            "vec1 32 ssa_4 = fneg ssa_1.x",
            "r1.x = mov r0.y",
            "intrinsic store_ssbo (r1, ssa_0, ssa_2) SSBO",
            "r0 = vec4 ssa_4, r1.x, ssa_1.y, ssa_3.x",
        )
    )
    assert "r0.x = fneg ssa_1.x" in text


BRANCHES = (
    "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
    "if ssa_4 {",
    "\tblock block_2:",
    "\tr1.x = fneg ssa_1.x",
    "} else {",
    "\tblock block_3:",
    "\tr1.xy = fadd ssa_1.yx, ssa_3.zw",
    "}",
    "block block_4:",
)


def test_register_written_in_both_branches() -> None:
    text = coalesced(register_form(*BRANCHES, "r0 = vec4 ssa_1.x, r1.x, ssa_1.y, ssa_3.x"))
    assert lines_of(text, "r0.y") == ["r0.y = fneg ssa_1.x", "r0.y = fadd ssa_1.y, ssa_3.z"]
    assert "r0.xzw = vec3 ssa_1.x, ssa_1.y, ssa_3.x" in text
    assert "decl_reg vec4 32 r1" not in text


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        # One branch leaves the register undefined.
        ((*BRANCHES, "r0 = vec4 r0.x, r1.y, ssa_1.y, ssa_3.x"), "channel y is in use until the vector"),
        # The channel is read after the branches.
        (
            (*BRANCHES, "r2 = mov r0", "r0 = vec4 r0.x, r1.x, ssa_1.y, ssa_3.x"),
            "channel y is in use until the vector",
        ),
        # The vector is in one branch, and the other reads the channel.
        (
            (
                "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
                "r1.x = fneg ssa_1.x",
                "if ssa_4 {",
                "\tblock block_2:",
                "\tr0 = vec4 r0.x, r1.x, r0.z, ssa_3.x",
                "} else {",
                "\tblock block_3:",
                "}",
                "block block_4:",
            ),
            "channel y is in use until the vector",
        ),
        ((*BRANCHES, "r2 = mov r1", "r0 = vec4 r0.x, r1.x, ssa_1.y, ssa_3.x"), "it has other uses"),
        (
            ("r1.x = fdot3 ssa_1.xyz, ssa_3.xyz", "r0 = vec4 r0.x, r1.x, ssa_1.y, ssa_3.x"),
            "fdot3 is not per channel",
        ),
        (("r1.x = fneg ssa_1.x", "r0 = vec4 r0.x, -r1.x, ssa_1.y, ssa_3.x"), "it is read with a modifier"),
    ],
)
def test_operand_that_keeps_its_move(lines: tuple[str, ...], reason: str) -> None:
    shader = register_form(*lines)
    plans = [plan for impl in shader.impls() for plan in plan_vectors(impl)]
    assert reason in [why for plan in plans for _, why in plan.reasons]
    result = clone_shader(shader)
    lower_vec_and_coalesce(result)
    assert "r1" in apply_edits(shader.source, text_edits(shader, result)).decode().partition("vec4 32 r2")[2]


def test_register_of_a_loop() -> None:
    text = coalesced(
        register_form(
            "r1.x = mov ssa_0",
            "loop {",
            "\tblock block_2:",
            "\tr0 = vec4 ssa_1.x, r1.x, ssa_1.y, ssa_3.x",
            "\tvec1 1 ssa_4 = ult ssa_2, r0.y",
            "\tif ssa_4 {",
            "\t\tblock block_3:",
            "\t\tbreak",
            "\t} else {",
            "\t\tblock block_4:",
            "\t}",
            "\tblock block_5:",
            "\tr1.x = iadd r0.y, ssa_2",
            "}",
            "block block_6:",
        )
    )
    assert lines_of(text, "r0.y =") == ["r0.y = mov ssa_0", "r0.y = iadd r0.y, ssa_2"]


def test_vectors_that_would_hold_the_register_at_once_are_done_one_by_one() -> None:
    """Each vector alone could have its operand in r0.x from the start."""
    text = coalesced(
        register_form(
            "r1.x = fneg ssa_1.x",
            "r2.x = fneg ssa_1.y",
            "vec1 1 ssa_4 = flt ssa_1.x, ssa_1.y",
            "if ssa_4 {",
            "\tblock block_2:",
            "\tr0 = vec4 r1.x, ssa_1.x, ssa_1.z, ssa_1.z",
            "} else {",
            "\tblock block_3:",
            "\tr0 = vec4 r2.x, ssa_1.y, ssa_1.z, ssa_1.z",
            "}",
            "block block_4:",
        )
    )
    assert len(lines_of(text, "r0.x = fneg")) == 1


def test_replicated_dot_product_writes_any_channel() -> None:
    text = coalesced(
        register_form(
            "vec4 32 ssa_4 = fdot_replicated3 ssa_1.xyz, ssa_3.xyz", "r0 = vec4 r0.x, ssa_4.z, r0.z, r0.w"
        )
    )
    assert lines_of(text, "r0.y") == ["r0.y = fdot_replicated3 ssa_1.xyz, ssa_3.xyz"]


MODERN = """
block b0:
32    %0 = load_const (0x00000000)
32    %1 = @decl_reg () (num_components=4, num_array_elems=0, bit_size=32, divergent=1)
32x4  %2 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)
32x2  %3 = fadd %2.xy, %2.zw
32    %4 = fneg %2.x
MIDDLE
32x4  %6 = vec4 %4, %3.y, %3.x, %2.w
@store_reg (%6, %1) (base=0, wrmask=xyzw, legacy_fsat=0)
32x4  %7 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)
@store_ssbo (%7, %0, %0) (wrmask=xyzw, access=none, align_mul=4, align_offset=0)
block b1:
"""


def test_modern_stores() -> None:
    text = coalesced(parse_body(MODERN.replace("MIDDLE\n", "")))
    assert [line.rpartition("wrmask=")[2].partition(",")[0] for line in lines_of(text, "@store_reg")] == [
        "yz",
        "x",
        "w",
    ]
    assert "vec4" not in text


def test_modern_load_in_between() -> None:
    middle = "32x4 %5 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)\n32 %8 = fneg %5.x\n"
    keep = "@store_ssbo (%8, %0, %0) (wrmask=x, access=none, align_mul=4, align_offset=0)"
    initial = "@store_reg (%2, %1) (base=0, wrmask=xyzw, legacy_fsat=0)\n"
    body = MODERN.replace("32x2  %3", initial + "32x2  %3").replace("MIDDLE", middle + keep)
    text = coalesced(parse_body(body))
    masks = [line.rpartition("wrmask=")[2].partition(",")[0] for line in lines_of(text, "@store_reg")]
    assert masks == ["xyzw", "yz", "w", "x"]
    assert text.index("%4 = fneg") < text.index("@load_reg") < text.index("wrmask=x,")


def test_ssa_form_has_nothing_to_coalesce() -> None:
    assert_untouched(parse_body("block b0:\n32 %0 = load_const (0x0)\n32x2 %1 = vec2 %0, %0\nblock b1:"))


def test_finding_with_the_moves_saved_and_its_fix() -> None:
    shader = register_form("vec1 32 ssa_4 = fneg ssa_1.x", "r0 = vec4 ssa_4, r0.y, ssa_1.y, ssa_3.x")
    (finding,) = LowerVecAndCoalesce().find([shader])
    assert finding.message == "2 of 4 channels of this vec4 can be computed in place: saves 2 moves"
    (change,) = LowerVecAndCoalesce().fix([shader], finding.fixes[0].request)
    assert isinstance(verify_shaders(change.before, change.after, OPTIONS), Equivalent)


@pytest.mark.sweep
@settings(max_examples=EXAMPLES, deadline=None)
@given(programs)
def test_generated_programs_stay_the_same(program: list[Statement]) -> None:
    shader = old_shader(program)
    result = clone_shader(shader)
    if not lower_vec_and_coalesce(result):
        return
    assert_valid(result)
    verdict = verify_shaders(shader, result, OPTIONS)
    assert not isinstance(verdict, Different), verdict
    edited = parse_dump(apply_edits(shader.source, text_edits(shader, result)))
    assert difference(edited, result) is None


def test_intrinsic_writes_a_whole_register() -> None:
    load = f"vec4 32 ssa_4 = intrinsic load_ubo (ssa_0, ssa_2) {UBO}"
    text = coalesced(register_form(load, "r0 = vec4 ssa_4.x, ssa_4.y, ssa_4.z, ssa_4.w"))
    assert "r0 = intrinsic load_ubo (ssa_0, ssa_2)" in text
    assert "vec4 ssa_4" not in text


@pytest.mark.parametrize(
    "vector", ["vec4 ssa_4.y, ssa_4.x, ssa_4.z, ssa_4.w", "vec4 ssa_4.x, ssa_4.y, ssa_4.z, ssa_1.x"]
)
def test_intrinsic_has_no_swizzle_and_no_write_mask(vector: str) -> None:
    load = f"vec4 32 ssa_4 = intrinsic load_ubo (ssa_0, ssa_2) {UBO}"
    assert_untouched(register_form(load, f"r0 = {vector}"))


def test_moves_are_those_of_the_dump() -> None:
    lines = ("vec1 32 ssa_4 = fadd ssa_1.x, ssa_1.y", "r0 = vec4 ssa_4, ssa_3.y, ssa_3.z, ssa_3.w")
    assert "r0.yzw = mov ssa_3.yzw" in coalesced(register_form(*lines))
    old = register_form(*lines).source.replace(b"r0 = mov ssa_3", b"r0 = imov ssa_3")
    assert "r0.yzw = imov ssa_3.yzw" in coalesced(parse_dump(old))


@pytest.mark.parametrize("move", ["imov", "fmov"])
def test_moves_of_2018_are_operands_too(move: str) -> None:
    shader = register_form(f"r1.xy = {move} ssa_1.zx", "r0 = vec4 r0.x, r1.y, r1.x, r0.w")
    text = coalesced(parse_dump(shader.source.replace(b"r0 = mov ssa_3", b"r0 = imov ssa_3")))
    assert f"r0.yz = {move} ssa_1.xz" in text
    assert "vec4 r0" not in text


STORED = """
block b0:
32    %0 = load_const (0x00000000)
32    %1 = decl_reg () (num_components=4, bit_size=32, num_array_elems=0, divergent=1)
32x4  %2 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=64)
32    %3 = load_const (0x3f800000)
32    %4 = load_const (0x40000000)
1     %5 = flt %2.x, %3
LINES
@store_reg (%9, %1) (base=0, wrmask=xyzw, legacy_fsat=0)
32x4  %10 = @load_reg (%1) (base=0, legacy_fabs=0, legacy_fneg=0)
@store_ssbo (%10, %0, %0) (wrmask=xyzw, access=none, align_mul=16, align_offset=0)
block b9:
""".replace("decl_reg ()", "@decl_reg ()")


def masks_of(text: str) -> list[str]:
    return [line.rpartition("wrmask=")[2].partition(",")[0] for line in lines_of(text, "@store_reg")]


def test_constants_are_stored_together_without_a_move() -> None:
    lines = "32 %6 = fadd %2.x, %2.y\n32x4 %9 = vec4 %3, %6, %4, %2.x"
    text = coalesced(parse_body(STORED.replace("LINES", lines)))
    assert masks_of(text) == ["y", "xz", "w"]
    assert "load_const (0x3f800000, 0x00000000, 0x40000000, 0x00000000" in text
    assert text.count("mov") == 1


def test_values_of_the_width_of_the_register_are_stored_from_any_block() -> None:
    branches = (
        "32x4 %6 = fneg %2\nif %5 {\nblock b1:\n32x4 %7 = fadd %2, %2\n} else {\nblock b2:\n}\nblock b3:\n"
        "32x4 %8 = phi b1: %7, b2: %2\n32x4 %9 = vec4 %8.x, %6.y, %8.z, %2.w"
    )
    text = coalesced(parse_body(STORED.replace("LINES", branches)))
    assert masks_of(text) == ["y", "xz", "w"]
    assert "mov" not in text
    assert "vec4" not in text


def test_phi_of_what_both_branches_compute_goes() -> None:
    branches = (
        "if %5 {\nblock b1:\n32 %6 = fadd %2.x, %2.y\n} else {\nblock b2:\n}\nblock b3:\n"
        "32 %7 = phi b1: %6, b2: %4\n32x4 %9 = vec4 %2.x, %7, %2.z, %2.w"
    )
    text = coalesced(parse_body(STORED.replace("LINES", branches)))
    assert masks_of(text) == ["y", "y", "xzw"]
    assert "phi" not in text
    assert "32x4  %6 = fadd %2.xxxx, %2.yyyy" in text
    assert "(0x00000000, 0x40000000, 0x00000000, 0x00000000" in text


def test_other_register_of_the_modern_form_goes() -> None:
    lines = (
        "32 %20 = @decl_reg () (num_components=2, bit_size=32, num_array_elems=0, divergent=1)\n"
        "if %5 {\nblock b1:\n32x2 %6 = fadd %2.xy, %2.zw\n"
        "@store_reg (%6, %20) (base=0, wrmask=xy, legacy_fsat=0)\n} else {\nblock b2:\n"
        "32x2 %7 = load_const (0x1, 0x2)\n"
        "@store_reg (%7, %20) (base=0, wrmask=xy, legacy_fsat=0)\n}\nblock b3:\n"
        "32x2 %8 = @load_reg (%20) (base=0, legacy_fabs=0, legacy_fneg=0)\n"
        "32x4 %9 = vec4 %2.x, %8.y, %8.x, %2.w"
    )
    text = coalesced(parse_body(STORED.replace("LINES", lines)))
    assert masks_of(text) == ["yz", "yz", "xw"]
    assert "32x4  %6 = fadd %2.yyxy, %2.wwzw" in text
    assert text.count("decl_reg") == 1


OTHER_REGISTER = (
    "32 %20 = @decl_reg () (num_components=4, bit_size=32, num_array_elems=0, divergent=1)\n"
    "32x4 %6 = @load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=16, range=64)\n"
    "if %5 {\nblock b1:\n32x4 %7 = fneg %6\n"
    "@store_reg (%7, %20) (base=0, wrmask=xyzw, legacy_fsat=0)\n} else {\nblock b2:\n"
    "@store_reg (%6, %20) (base=0, wrmask=xyzw, legacy_fsat=0)\n}\nblock b3:\n"
    "32x4 %8 = @load_reg (%20) (base=0, legacy_fabs=0, legacy_fneg=0)\n"
    "32x4 %9 = vec4 %8.x, %8.y, %8.z, %2.w"
)


def test_whole_value_of_another_register_is_stored_as_it_is() -> None:
    text = coalesced(parse_body(STORED.replace("LINES", OTHER_REGISTER)))
    assert [line for line in lines_of(text, "@store_reg") if "(%6, %1)" in line]
    assert masks_of(text) == ["xyz", "xyz", "w"]
    assert text.count("decl_reg") == 1


def test_value_of_another_register_in_another_channel_keeps_its_register() -> None:
    lines = OTHER_REGISTER.replace("vec4 %8.x, %8.y, %8.z", "vec4 %8.y, %8.x, %8.z")
    text = coalesced(parse_body(STORED.replace("LINES", lines)))
    assert not [line for line in lines_of(text, "@store_reg") if "(%6, %1)" in line]
    assert text.count("decl_reg") == 2


def test_store_with_a_modifier_keeps_its_register() -> None:
    lines = OTHER_REGISTER.replace(
        "(%7, %20) (base=0, wrmask=xyzw, legacy_fsat=0", "(%7, %20) (base=0, wrmask=xyzw, legacy_fsat=1"
    )
    text = coalesced(parse_body(STORED.replace("LINES", lines)))
    assert text.count("decl_reg") == 2


def test_finding_says_why_an_operand_keeps_its_move() -> None:
    lines = "32 %6 = fadd %2.x, %2.y\n32 %7 = fneg %6\n32x4 %9 = vec4 %6, %7, %2.z, %2.w"
    (finding,) = LowerVecAndCoalesce().find([parse_body(STORED.replace("LINES", lines))])
    assert [one.message for one in finding.related] == ["%6 keeps its move: it has other uses"]


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(8))
def test_random_registers_of_other_blocks(seed: int) -> None:
    shader = random_register_shader(seed)
    result = clone_shader(shader)
    if lower_vec_and_coalesce(result):
        assert_valid(result)
        verdict = verify_shaders(shader, result, OPTIONS)
        assert not isinstance(verdict, Different), verdict


def test_finding_counts_what_is_stored_as_it_is() -> None:
    shader = parse_body(STORED.replace("LINES", "32x4 %9 = vec4 %3, %4, %2.x, %2.w"))
    (finding,) = LowerVecAndCoalesce().find([shader])
    assert finding.message == "2 of 4 channels of this vec4 can be computed in place: saves 2 moves"
