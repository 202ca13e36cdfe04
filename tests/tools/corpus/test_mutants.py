from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import fresh
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Different
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import ONE, ZERO, load, printed_kinds, shader, store
from tools.corpus.mutants import count_pipeline, judge, same_by_rule, unchanged
from tools.corpus.mutations import KINDS, Mutation, mutant, mutations


@pytest.fixture
def vertex() -> Shader:
    return shader(
        "VERTEX",
        ZERO,
        ONE,
        load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"),
        "32 %3 = fsub %2, %1 (1.000000)",
        "32 %4 = fmul %3, %2",
        store("VAR0", "%4"),
    )


def test_places_and_lines(vertex: Shader) -> None:
    found = list(mutations(vertex))
    assert Mutation("swap sources", 3) in found
    assert Mutation("drop a store", 5) in found
    assert not [one for one in found if one.kind == "swap sources" and one.place == 4]  # fmul commutes
    assert {one.kind for one in found} <= set(KINDS)
    broken, line = mutant(vertex, Mutation("swap sources", 3))
    assert line == "32 %3 = fsub %2, %1 (1.000000)"
    assert b"fsub %1 (1.000000), %2" in fresh(broken)


def test_every_mutant_is_another_text_and_leaves_the_original(vertex: Shader) -> None:
    before = fresh(vertex)
    for mutation in mutations(vertex):
        broken, _ = mutant(vertex, mutation)
        assert fresh(broken) != before
    assert fresh(vertex) == before


def test_branches_are_negated_by_an_instruction_of_their_own() -> None:
    parsed = parse_dump(
        b"shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {\n"
        b"    block b0:  // preds:\n    1  %0 = load_const (true)\n    // succs: b1 b2\n    if %0 (true) {\n"
        b"        block b1:  // preds: b0\n        @terminate\n        // succs: b3\n    } else {\n"
        b"        block b2:  // preds: b0, succs: b3\n    }\n    block b3:  // preds: b1 b2\n"
        b"    // succs: b4\n    block b4:\n}\n"
    )
    broken, line = mutant(parsed, Mutation("negate an if", 0))
    assert line == "if %0"
    assert printed_kinds(broken) == ["load_const", "inot", "terminate"]


def test_verdicts(vertex: Shader) -> None:
    subject = unchanged(vertex, "vertex")
    judged = {
        mutation.kind: judge(subject, 0, mutation, VerificationOptions(lanes=32))
        for mutation in mutations(vertex)
        if mutation.kind in ("swap sources", "drop a store", "undefined for a load", "wrong for large inputs")
    }
    assert judged == dict.fromkeys(judged, ("right", ""))
    assert len(judged) == 4


def test_a_mutant_without_a_witness_is_not_missed() -> None:
    """The second of two clamps does nothing."""
    loaded = (
        "32 %2 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_POS slots=1)"
    )
    clamped = shader("VERTEX", ZERO, ONE, loaded, "32 %3 = fsat %2", "32 %4 = fsat %3", store("VAR0", "%4"))
    judged = judge(unchanged(clamped, "clamped"), 0, Mutation("lose a clamp to 0 and 1", 4))
    assert judged == ("other", "no witness: unchanged, clamped: 32 %4 = fsat %3")


def test_a_mutant_that_rounding_does_not_excuse_is_named(vertex: Shader) -> None:
    """An inexact operation may lose the sign of a zero, but it is the operand that lost it."""
    (same,) = [one for one in mutations(vertex) if one.kind == "-0 to 0" and one.place == 2]
    judged = judge(unchanged(vertex, "vertex"), 0, same)
    assert judged is not None
    assert judged[0] == "right"


def test_the_same_by_rule(vertex: Shader) -> None:
    dead = shader("VERTEX", ZERO, ONE, "32 %2 = fadd %0 (0x0), %1 (1.000000)", store("VAR0"))
    other = shader("VERTEX", ZERO, ONE, "32 %2 = fmul %0 (0x0), %1 (1.000000)", store("VAR0"))
    assert same_by_rule([dead], [other])
    assert not same_by_rule([vertex], [mutant(vertex, Mutation("swap sources", 3))[0]])


def test_mutants_of_a_real_pipeline_are_caught(corpus: Path) -> None:
    tally = count_pipeline(corpus / "pipelines" / "hand_const_uniform_varyings" / "modern")
    right, wrong = (sum(tally.of(row)[outcome] for row in tally.rows) for outcome in (0, 2))
    assert right >= 15
    assert wrong <= 1, tally.noted("wrong")


CASES = {
    "another shift amount": "32 %3 = ishl %2, %1",
    "another bit of a bit-field": "32 %3 = ubfe %2, %1, %1",
    "another size of a bit-field": "32 %3 = ibfe %2, %1, %1",
    "wrap for saturation": "32 %3 = uadd_sat %2, %4",
    "another bit scan": "32 %3 = ufind_msb %2",
    "carry for borrow": "32 %3 = uadd_carry %2, %4",
}


@pytest.mark.parametrize("kind", CASES)
def test_faults_of_integers_are_found(kind: str) -> None:
    number = load(2, "GENERIC0").replace("VARYING_SLOT", "VERT_ATTRIB").replace("float32", "uint32")
    lines = ("32 %1 = load_const (0x00000003)", number, "32 %4 = load_const (0xfffffffe)", CASES[kind])
    parsed = shader("VERTEX", ZERO, *lines, store("VAR0", "%3"))
    found = list(mutations(parsed, [kind]))
    assert found
    for mutation in found:
        assert isinstance(verify_shaders(parsed, mutant(parsed, mutation)[0]), Different)


def test_another_rounding_to_16_bits_is_found() -> None:
    lines = ("16 %3 = f2f16_rtne! %2", "32 %4 = f2f32! %3")
    parsed = shader(
        "VERTEX", ZERO, load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB"), *lines, store("VAR0", "%4")
    )
    (mutation,) = mutations(parsed, ["another rounding to 16 bits"])
    assert isinstance(verify_shaders(parsed, mutant(parsed, mutation)[0]), Different)
