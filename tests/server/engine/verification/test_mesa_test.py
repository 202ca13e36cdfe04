from __future__ import annotations

import pytest

from nirls.ir.mesa_test import mesa_api
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.verification.mesa_test import api_for, called, mesa_test_of, name_of_test
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict, verify_unit
from nirls.server.ide.history.snapshot_diff import texts_of_dumps
from tests.passes.shader_text import ONE, ZERO, shader_text, store

LOAD = (
    "32    %1 = @load_input (%0 (0x0)) (base=0, range=0, component=0, dest_type=float32,"
    " io location=VERT_ATTRIB_POS slots=1)"
)
BEFORE = shader_text("VERTEX", ZERO, LOAD, "32    %2 = fneg %1", store("VAR0", "%2")).encode()
WRONG = BEFORE.replace(b"fneg", b"fabs")
RIGHT = shader_text("VERTEX", ZERO, ONE, store("VAR0")).encode()


def test_the_second_snapshot_is_expected() -> None:
    unit = TransitionUnit(BEFORE, RIGHT, "nir_opt_dce")
    text = mesa_test_of(unit, None, mesa_api("25.0")).text
    assert "ASSERT_TRUE(nir_opt_dce(b->shader));" in text
    assert "nir_def *ssa_2 = nir_fneg(b, ssa_1);" in text
    assert "load_const (0x3f800000 = 1.000000)" in text


def test_what_is_wrong_is_not_expected_and_explained() -> None:
    unit = TransitionUnit(BEFORE, WRONG, "nir_opt_dce")
    verdict = verify_unit(unit)
    assert verdict.verdict == "different"
    changed = texts_of_dumps(BEFORE, WRONG).unified()
    text = mesa_test_of(unit, verdict, mesa_api("25.0"), changed_lines=changed).text
    assert "ASSERT_FALSE(nir_opt_dce(b->shader));" in text
    comment = text[text.index("   /* nir_opt_dce must not") :]
    assert "It is wrong on invocation" in comment
    assert "%1 load_input" in comment
    assert "*   - 32 %2 = fneg %1\n    *   + 32 %2 = fabs %1\n" in comment
    assert "fabs" not in comment[comment.index("*/") :]


def test_a_dump_may_be_expected_instead() -> None:
    unit = TransitionUnit(BEFORE, WRONG, "nir_opt_dce")
    different = TransitionVerdict("different", "x")
    text = mesa_test_of(unit, different, mesa_api("25.0"), expected=RIGHT).text
    assert "ASSERT_TRUE" in text
    assert "0x3f800000" in text


@pytest.mark.parametrize(
    ("name", "identifier"),
    [("nir_opt_dce", "nir_opt_dce"), ("before nir_opt_dce, not printed", "before"), ("-> 2", "nir_pass")],
)
def test_passes_are_called_by_an_identifier(name: str, identifier: str) -> None:
    assert called(name) == identifier


def test_the_api_of_the_mesa_that_printed_the_dump() -> None:
    assert api_for(BEFORE).release == "25.0"
    newest = BEFORE.replace(b"\ndecl_function", b"\nmax_subgroup_size: 64\ndecl_function", 1)
    assert api_for(newest).release == "26.2"
    classic = (
        b"shader: MESA_SHADER_VERTEX\nimpl main {\n\tblock block_0:\n\t/* preds: */\n\tblock block_1:\n}\n"
    )
    assert api_for(classic).release == "25.0"


def test_the_name_is_the_stage() -> None:
    assert name_of_test(parse_dump(BEFORE)) == "vertex_shader"
