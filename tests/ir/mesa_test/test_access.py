from __future__ import annotations

from nirls.ir.mesa_test.access import access_expression
from nirls.ir.mesa_test.api import mesa_api
from nirls.ir.mesa_test.code import Code
from nirls.ir.model.access import access_bits
from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage


def test_names_of_a_release() -> None:
    bits = access_bits("in-bounds")
    assert bits is not None
    assert access_expression(bits, Code(Shader(Stage.VERTEX), mesa_api("25.0"))) == "ACCESS_IN_BOUNDS_AGX"
    assert access_expression(bits, Code(Shader(Stage.VERTEX), mesa_api("26"))) == "ACCESS_IN_BOUNDS"


def test_newer_qualifiers_are_refused() -> None:
    code = Code(Shader(Stage.VERTEX), mesa_api("25.0"))
    access_expression(access_bits("sparse") or 0, code)
    assert list(code.reasons) == ["the access qualifier sparse"]
