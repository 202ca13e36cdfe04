from __future__ import annotations

from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.expected import expected_text, modern_copy
from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump
from tests.passes.shader_text import ONE, shader


def test_values_are_renumbered_and_the_header_is_that_of_the_test() -> None:
    lines = ("con 32    %3 = load_const (0x3f800000 = 1.000000)", "con 32    %7 = fneg! %3 (1.000000)")
    parsed = shader("FRAGMENT", *lines, header=["source_blake3: {0x1}", "name: old", "num_ubos: 1"])
    text = expected_text(parsed, "a_test", mesa_api("25.0"))
    assert text.startswith(
        "shader: MESA_SHADER_FRAGMENT\nname: a_test\nnum_ubos: 1\nsubgroup_size: 0\ndecl_function main"
    )
    assert "    32    %1 = fneg! %0 (1.000000)\n" in text
    assert "32    %1 = fneg %0 (1.000000) // exact" in expected_text(parsed, "a_test", mesa_api("26"))


def test_large_floats_are_printed_as_the_release_does() -> None:
    parsed = shader("FRAGMENT", "32    %0 = load_const (0x4b189680)", "32    %1 = fneg %0")
    assert "10000000.000000" in expected_text(parsed, "a", mesa_api("25.0"))
    assert "1.000000e+07" in expected_text(parsed, "a", mesa_api("25.1"))


def test_older_dumps_become_modern() -> None:
    classic = b"""shader: MESA_SHADER_FRAGMENT
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x3f800000 = 1.000000)
\tvec1 32 ssa_1 = fneg ssa_0
\t/* succs: block_1 */
\tblock block_1:
}
"""
    assert modern_copy(parse_dump(classic)).dialect is Dialect.MODERN
    assert "32    %1 = fneg %0 (1.000000)" in expected_text(parse_dump(classic), "a", mesa_api("25.0"))


def test_the_shader_itself_is_not_changed() -> None:
    parsed = shader("FRAGMENT", ONE.replace("%1", "%9"))
    expected_text(parsed, "a", mesa_api("25.0"))
    assert [value.index for value in next(parsed.impls()).defs()] == [9]
