from __future__ import annotations

from tests.ir.mesa_test.building import built_lines, reasons_of

DECLARATION = "decl_var INTERP_MODE_NONE none {} a = {}"


def test_components_and_arrays() -> None:
    lines = built_lines(header=[DECLARATION.format("vec2[2]", "{ { 1.000000, 0.000000 }, { 0.0, -0.5 } }")])
    made = lines[2:]
    assert made == [
        "nir_constant *a_init = rzalloc(b->shader, nir_constant);",
        "nir_constant *a_init_value = rzalloc(b->shader, nir_constant);",
        "a_init_value->values[0] = nir_const_value_for_float(1.0, 32);",
        "nir_constant *a_init_value_2 = rzalloc(b->shader, nir_constant);",
        "a_init_value_2->values[1] = nir_const_value_for_float(-0.5, 32);",
        "a_init->num_elements = 2;",
        "a_init->elements = ralloc_array(b->shader, nir_constant *, 2);",
        "a_init->elements[0] = a_init_value;",
        "a_init->elements[1] = a_init_value_2;",
        "a->constant_initializer = a_init;",
    ]


def test_null() -> None:
    assert "a_init->is_null_constant = true;" in built_lines(header=[DECLARATION.format("float", "null")])


def test_other_initializers_are_named() -> None:
    assert reasons_of(header=[DECLARATION.format("float", "&other")]) == ["the initializer of a"]


def test_floats_without_printed_bits_are_named() -> None:
    assert reasons_of(header=[DECLARATION.format("float", "{ nan }")]) == ["the initializer of a"]
