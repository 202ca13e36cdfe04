from __future__ import annotations

import pytest

from nirls.ir.mesa_test.passes import pass_call


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("nir_opt_dce", "nir_opt_dce(b->shader)"),
        ("nir_opt_if", "nir_opt_if(b->shader, (nir_opt_if_options)0)"),
        ("nir_opt_peephole_select", "nir_opt_peephole_select(b->shader, 0, false, false)"),
        ("nir_lower_alu_to_scalar", "nir_lower_alu_to_scalar(b->shader, NULL, NULL)"),
    ],
)
def test_options_have_placeholders(name: str, text: str) -> None:
    assert pass_call(name).text == text
    assert pass_call(name).is_known


def test_an_unknown_pass() -> None:
    call = pass_call("brw_nir_lower_things")
    assert (call.text, call.is_known) == ("brw_nir_lower_things(b->shader)", False)
