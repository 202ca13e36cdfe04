"""Whole tests, and what Mesa's own library makes of them where `make mesa` has built it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nirls.ir.mesa_test import Expectation, NotBuildableError, mesa_api, unit_test
from nirls.ir.mesa_test.unit_test import wrapped
from nirls.ir.text.parse import parse_dump
from tests.passes.shader_text import ONE, ZERO, shader, store
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler, run_test
from tools.libnir.round_trip import cases_of, round_trip

BEFORE = shader("VERTEX", ZERO, ONE, "32    %2 = fneg %1 (1.000000)", store("VAR0"))
AFTER = shader("VERTEX", ZERO, ONE, store("VAR0"))
TEXT = """\
/* SPDX-License-Identifier: MIT */

#include "nir_test.h"

class nir_opt_dce_dead_neg_test : public nir_test {
protected:
   nir_opt_dce_dead_neg_test()
      : nir_test::nir_test("nir_opt_dce_dead_neg_test", MESA_SHADER_VERTEX)
   {
   }
};

TEST_F(nir_opt_dce_dead_neg_test, dead_neg)
{
   nir_def *ssa_0 = nir_imm_int(b, 0);
   nir_def *ssa_1 = nir_imm_float(b, 1.0f);
   nir_def *ssa_2 = nir_fneg(b, ssa_1);
   _nir_build_store_output(b, ssa_1, ssa_0, {.io_semantics = {.location = VARYING_SLOT_VAR0}});

   nir_validate_shader(b->shader, "after building");

   ASSERT_TRUE(nir_opt_dce(b->shader));
   nir_validate_shader(b->shader, "after nir_opt_dce");

   check_nir_string(NIR_REFERENCE_SHADER(R"(
      shader: MESA_SHADER_VERTEX
      name: nir_opt_dce_dead_neg_test
      subgroup_size: 0
"""


def test_a_whole_test() -> None:
    test = unit_test(BEFORE, "nir_opt_dce", Expectation(AFTER), mesa_api("25.0"), "dead_neg")
    assert test.text.startswith(TEXT)
    assert test.text.endswith('          block b1:\n      }\n   )"));\n}\n')
    assert test.notes == ()


def test_a_pass_that_must_change_nothing_with_a_comment() -> None:
    expectation = Expectation(BEFORE, ("It was wrong.", "", "  %1 = 3 */"), changes=False)
    text = unit_test(BEFORE, "nir_opt_dce", expectation, mesa_api("25.0")).text
    assert "   ASSERT_FALSE(nir_opt_dce(b->shader));\n" in text
    assert "   /* It was wrong.\n    *\n    *   %1 = 3 * /\n    */\n   check_nir_string" in text


def test_what_its_author_has_to_look_at() -> None:
    test = unit_test(BEFORE, "nir_opt_if", Expectation(AFTER), mesa_api("25.0"))
    assert test.notes == (
        "nir_opt_if takes nir_opt_if_options options, which no dump has: fill in the values",
    )
    assert "/* TODO: the options are placeholders for nir_opt_if_options options. */" in test.text
    assert unit_test(BEFORE, "my_pass", Expectation(AFTER), mesa_api("25.0")).notes


def test_older_dumps_have_a_note() -> None:
    text = b"""shader: MESA_SHADER_FRAGMENT
source_sha1: {0x00000000}
shared: 0
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)
\t/* succs: block_1 */
\tblock block_1:
}
"""
    parsed = parse_dump(text)
    test = unit_test(parsed, None, Expectation(parsed), mesa_api("25.0"))
    assert "nir_def *ssa_0 = nir_imm_float(b, 1.0f);" in test.text
    assert test.notes == (
        "the dump is of Mesa before 23.3: the expected text lacks what newer releases print",
    )


def test_dumps_that_are_not_whole_are_refused() -> None:
    for text in (b"32 %1 = fneg %0\n", b"shader: MESA_SHADER_FRAGMENT\ndecl_function main ()\n"):
        parsed = parse_dump(text)
        with pytest.raises(NotBuildableError):
            unit_test(parsed, None, Expectation(parsed), mesa_api("25.0"))


def test_long_lines_are_broken_behind_arguments() -> None:
    name = '"' + "a, b" * 12 + '"'
    line = f"   nir_def *x = call(b, {'y' * 40}, {name}, {{.a = 1, .b = 2}});"
    broken = wrapped(line)
    assert max(map(len, broken)) <= 100
    assert " ".join(part.strip() for part in broken) == line.strip()
    assert {len(part) - len(part.lstrip()) for part in broken[1:]} == {line.index("(") + 1}
    assert wrapped("   short(1, 2);") == ["   short(1, 2);"]


@pytest.fixture(scope="module")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> LibnirCompiler:
    build = build_folder()
    if build is None:
        pytest.skip("needs libnir, which make mesa builds")
    return LibnirCompiler(build, tmp_path_factory.mktemp("libnir"))


@pytest.mark.sweep
def test_mesa_passes_its_test_and_fails_a_wrong_one(compiler: LibnirCompiler) -> None:
    text = unit_test(BEFORE, "nir_opt_dce", Expectation(AFTER), mesa_api("25.0"), "right").text
    wrong = unit_test(
        BEFORE, "nir_opt_dce", Expectation(BEFORE, changes=False), mesa_api("25.0"), "wrong"
    ).text
    program = compiler.program("dce", f"{text}\n{wrong}")
    assert run_test(program, "*right*").passed
    failed = run_test(program, "*wrong*")
    assert not failed.passed
    assert re.search(r"Failure", failed.output)


@pytest.mark.sweep
def test_the_dumps_of_the_project_come_back_from_mesa(data: Path, compiler: LibnirCompiler) -> None:
    files = sorted((data / "pipelines").rglob("*.nir"))
    results = list(round_trip(list(cases_of(files)), compiler))
    assert len(results) > 1
    assert [
        f"{one.case.name}: {one.outcome}: {one.detail}" for one in results if one.outcome != "equal"
    ] == []
