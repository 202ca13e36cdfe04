"""The options of linking: every one can be given as text, and they reach the steps."""

from __future__ import annotations

from dataclasses import fields

import pytest

from nirls.passes.link_potential.link_potential import LinkPotential
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.opt_varyings import OptVaryings
from tests.passes.shader_text import ZERO, shader
from tests.passes.varyings.pairs import fragment, vertex


def test_every_field_is_an_option() -> None:
    names = {option.name for option in OptVaryings.options()} - {"clean_up"}
    # A function cannot be given as text.
    assert names == {field.name for field in fields(LinkOptions)} - {
        *("worth_sending_less", "given", "applied", "nan_sizes", "inf_sizes")
    }
    assert set(LinkPotential.options()) <= set(OptVaryings.options())


@pytest.mark.parametrize("mode", ["0x00000090", "0x00000000"])
def test_what_either_stage_preserves_counts(mode: str) -> None:
    plain, preserving = (
        shader("VERTEX", ZERO, header=header) for header in ((), (f"float_controls_execution_mode: {mode}",))
    )
    pixels = [
        shader("FRAGMENT", ZERO, header=(f"float_controls_execution_mode: {one}",))
        for one in ("0x00000000", mode)
    ]
    sizes = [
        (options.nan_sizes, options.inf_sizes)
        for options in (
            LinkOptions().for_pair(plain, pixels[1]),
            LinkOptions().for_pair(preserving, pixels[0]),
        )
    ]
    assert sizes[0] == sizes[1]
    assert bool(sizes[0][0]) is (mode != "0x00000000")


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
