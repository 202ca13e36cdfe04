from __future__ import annotations

from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.fixture import fixture_class


def test_only_the_helpers_that_are_used() -> None:
    text = fixture_class("a_test", "MESA_SHADER_VERTEX", frozenset(), mesa_api("25.0"))
    assert text == (
        "class a_test : public nir_test {\nprotected:\n   a_test()\n"
        '      : nir_test::nir_test("a_test", MESA_SHADER_VERTEX)\n   {\n   }\n};\n'
    )
    assert "undef(nir_builder *b" in fixture_class("a", "S", frozenset(("undef",)), mesa_api("25.0"))


def test_the_api_decides_how_a_value_s_instruction_is_named() -> None:
    helpers = frozenset(("keep_mov", "fold_swizzles"))
    assert "mov->parent_instr->pass_flags" in fixture_class("a", "S", helpers, mesa_api("25.0"))
    assert "nir_def_instr(mov)->pass_flags" in fixture_class("a", "S", helpers, mesa_api("26"))
