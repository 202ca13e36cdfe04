"""The options of linking: every one can be given as text, and they reach the steps."""

from __future__ import annotations

from dataclasses import fields

from nirls.passes.link_potential.link_potential import LinkPotential
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.varyings.pairs import fragment, vertex


def test_every_field_is_an_option() -> None:
    names = {option.name for option in OptVaryings.options()} - {"clean_up"}
    # A function cannot be given as text.
    assert names == {field.name for field in fields(LinkOptions)} - {
        *("worth_sending_less", "given", "applied", "nan_sizes", "inf_sizes")
    }
    assert set(LinkPotential.options()) <= set(OptVaryings.options())


def test_point_sprites_replace_coordinates_in_front_of_fragments_only() -> None:
    options = LinkOptions(coordinate_replacement=False)
    vertices, control, pixels = vertex(), vertex(stage="TESS_CTRL"), fragment()
    assert not options.assumptions([vertices, pixels]).coordinate_replacement
    assert options.assumptions([vertices, control]).coordinate_replacement
    assert LinkOptions().assumptions([vertices, pixels]).coordinate_replacement


def test_limit_of_costs() -> None:
    assert OptVaryings.with_options({"max_cost": "0"}).cost_limit == 0
    assert OptVaryings.with_options({"max_cost": "-1"}).cost_limit is None
    assert LinkOptions().cost_limit is None
