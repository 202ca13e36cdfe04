"""The pass on separate shaders declares what it is called by, with the settings of the pass that it asks."""

from __future__ import annotations

from nirls.passes import registry
from nirls.passes.link_potential import codes
from nirls.passes.varyings.codes import OPT_VARYINGS
from tests.passes.declared_codes import assert_declared, codes_of


def test_codes_and_options_are_declared_and_have_pages() -> None:
    assert {code.code for code in codes_of(codes)} == {"link-potential"}
    assert_declared(codes, codes.NAME)


def test_settings_are_those_of_opt_varyings() -> None:
    linking = registry.find(OPT_VARYINGS)
    assert linking is not None
    assert set(codes.OPTIONS) <= set(linking.options)
