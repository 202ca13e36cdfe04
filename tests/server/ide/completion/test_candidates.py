"""What may stand at a place, before it is compared with what is typed."""

from __future__ import annotations

import pytest

from nirls.server.ide.completion.candidates import Candidate, CandidateKind, CursorPosition, candidates
from nirls.server.ide.completion.context import (
    BlockPlace,
    CursorPlace,
    DeclarationPlace,
    FunctionNamePlace,
    HeaderKeyPlace,
    IndexNamePlace,
    IndexValuePlace,
    IoFlagPlace,
    OperationPlace,
    SourcePlace,
    StagePlace,
    StatementPlace,
    SwizzlePlace,
    ValueSize,
    VariableNamePlace,
)
from nirls.server.ide.cursor.outline import outline
from nirls.server.lsp.features.completion import _KINDS

DUMP = """\
shader: MESA_SHADER_{stage}
decl_var shader_out INTERP_MODE_NONE none vec4 größe (VARYING_SLOT_VAR0.xyzw, 0, 0)
decl_var uniform INTERP_MODE_NONE none vec4[4] a}}$b (5, 0, 0)
decl_function main () (entrypoint)
decl_function other (32 x)

impl main {{
    decl_var  INTERP_MODE_NONE none int own
    block b0:   // preds:
    32     %0 = load_const (0x00000001)
    16x2   %1 = undefined
                // succs: b1
    block b1:   // preds: b0
    {cursor}
    block b2:
}}
"""
OLD = """\
shader: MESA_SHADER_{stage}
decl_function main returning void

impl main {{
\tdecl_reg vec4 32 r0
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)
\t{cursor}
}}
"""


def labels(place: CursorPlace, dump: str = DUMP, stage: str = "FRAGMENT") -> dict[str, str]:
    """What is offered with `@@` for the cursor's line, and the details."""
    text = dump.format(stage=stage, cursor="@@").encode()
    offset = text.index(b"@@")
    shape = outline(text)
    function = next((one for one in shape.functions if one.start <= offset <= one.end), None)
    around = CursorPosition(text, shape, offset, text.rfind(b"\n", 0, offset) + 1, function)
    return {one.label: one.detail for one in candidates(place, around)}


@pytest.mark.parametrize(
    ("place", "there", "not_there"),
    [
        (StatementPlace(""), ["if", "loop", "block", "@store_output", "decl_reg"], ["@load_input", "fadd"]),
        (OperationPlace("", ValueSize(1, 32)), ["fadd", "@load_input", "phi", "tex"], ["@store_output"]),
        (SourcePlace("", "fadd", 0, ValueSize(1, 32)), ["%0", "%1"], ["%2", "r0"]),
        (BlockPlace(""), ["b0", "b1", "b2"], ["b3"]),
        (VariableNamePlace(""), ["größe", "a}$b", "own"], ["main"]),
        (FunctionNamePlace(""), ["main", "other"], ["größe"]),
        (StagePlace(""), ["MESA_SHADER_VERTEX", "MESA_SHADER_MESH"], ["VERTEX"]),
        (IoFlagPlace("", "load_input", 0), ["slots=1", "no_varying"], []),
        (HeaderKeyPlace(""), ["decl_var", "impl"], ["inputs_read"]),
    ],
)
def test_places(place: CursorPlace, there: list[str], not_there: list[str]) -> None:
    found = labels(place)
    assert set(there) <= set(found)
    assert not set(not_there) & set(found)


def test_details_of_variables() -> None:
    assert labels(VariableNamePlace("")) == {
        "größe": "shader_out vec4",
        "a}$b": "uniform vec4[4]",
        "own": "function_temp int",
    }


@pytest.mark.parametrize(
    ("value", "letters"),
    [("%1", ["x", "y", "xy"]), ("%0", ["x"]), ("%77", ["x", "y", "z", "w", "xy", "xyz", "xyzw"])],
)
def test_swizzles_have_the_width_of_the_value(value: str, letters: list[str]) -> None:
    assert list(labels(SwizzlePlace("", value))) == letters


def test_names_of_debug_information() -> None:
    named = DUMP.replace("%1 =", "%1.mc.a =")
    assert list(labels(SourcePlace("", "fadd", 0, ValueSize(1, 32)), named)) == ["%1.mc.a", "%0"]
    assert list(labels(SwizzlePlace("", "%1"), named)) == ["mc.a", "x", "y", "xy"]
    assert list(labels(SwizzlePlace("", "%1", is_named=True), named)) == ["x", "y", "xy"]


@pytest.mark.parametrize(
    ("intrinsic", "stage", "start"),
    [
        ("load_input", "FRAGMENT", "VARYING_SLOT_"),
        ("load_input", "VERTEX", "VERT_ATTRIB_"),
        ("store_output", "FRAGMENT", "FRAG_RESULT_"),
        ("store_output", "VERTEX", "VARYING_SLOT_"),
    ],
)
def test_slots_of_a_stage(intrinsic: str, stage: str, start: str) -> None:
    found = labels(IndexValuePlace("", intrinsic, "location", 0), stage=stage)
    assert found
    assert all(label.startswith(start) for label in found)


def test_index_names_that_are_given_are_not_offered_again() -> None:
    every = labels(IndexNamePlace("", "store_output", frozenset(), 0))
    left = labels(IndexNamePlace("", "store_output", frozenset(("base", "io")), 2))
    assert set(every) - set(left) == {"base", "io"}
    assert labels(IndexNamePlace("", "no_such_intrinsic", frozenset(), 0)) == {}
    assert labels(IndexNamePlace("", "store_output", frozenset(), 0), OLD) == {}


def test_the_oldest_dialect_has_registers_and_other_words() -> None:
    assert {"ssa_0", "r0"} == set(labels(SourcePlace("", "fadd", 0), OLD))
    operations = labels(OperationPlace("", ValueSize(1, 32)), OLD)
    assert "intrinsic" in operations
    assert not any(label.startswith("@") for label in operations)


def test_declarations_go_on_word_by_word() -> None:
    first = labels(DeclarationPlace("", ()))
    assert "shader_in" in first
    then = labels(DeclarationPlace("", ("shader_in",)))
    assert "INTERP_MODE_FLAT" in then
    assert "shader_in" not in then
    assert "vec4" in labels(DeclarationPlace("", ("shader_in", "INTERP_MODE_NONE")))


@pytest.mark.parametrize(
    ("candidate", "typed"),
    [
        (Candidate("fadd", CandidateKind.OPCODE), "fadd"),
        (Candidate("io", CandidateKind.INDEX, text="io location="), "io location="),
        (Candidate("if", CandidateKind.KEYWORD, snippet="if ${1:condition}"), "if"),
        (Candidate("x", CandidateKind.WORD, text="y", snippet="$0"), "y"),
    ],
)
def test_what_is_typed_has_no_holes(candidate: Candidate, typed: str) -> None:
    assert candidate.typed == typed


def test_editors_have_a_picture_for_each_kind() -> None:
    assert set(_KINDS) == {kind.value for kind in CandidateKind}
