from __future__ import annotations

from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.code import Code, NotBuildableError, c_string, mask_expression
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage


def code() -> Code:
    return Code(Shader(Stage.VERTEX), mesa_api("25.0"))


def test_lines_are_indented_and_empty_ones_do_not_repeat() -> None:
    made = code()
    made.line()
    made.line("a;")
    with made.indented():
        made.line("b;")
    made.line()
    made.line()
    assert made.lines == ["   a;", "      b;", ""]


def test_identifiers_are_unique_and_allowed() -> None:
    made = code()
    names = [made.identifier(name, "var") for name in ("x", "x", "x", "float", "a.b[1]", "7up", "")]
    assert names == ["x", "x_var", "x_var_2", "float_var", "a_b_1", "var_7up", "var"]


def test_reasons_are_collected_once() -> None:
    made = code()
    assert made.refuse("it") == "0"
    made.refuse("it")
    assert str(NotBuildableError(tuple(made.reasons))) == "it"


def test_flags_and_strings() -> None:
    assert mask_expression([], "t") == "(t)0"
    assert mask_expression(["A"], "t") == "A"
    assert mask_expression(["A", "B"], "t") == "(t)(A | B)"
    assert c_string('a"\\') == '"a\\"\\\\"'
    assert c_string("\x1b7\n") == '"\\0337\\012"'


def test_words_are_checked() -> None:
    made = code()
    assert made.word("VARYING_SLOT_VAR0") == "VARYING_SLOT_VAR0"
    assert made.word("0; system(x)") == "0"
    assert list(made.reasons) == ["the word 0; system(x)"]
