"""The settings of linking: defaults of a desktop driver, which is what the options say too."""

from __future__ import annotations

from dataclasses import fields

from nirls.passes import registry
from nirls.passes.varyings.codes import CLEAN_UP, OPT_VARYINGS
from nirls.passes.varyings.link_options import LinkOptions
from nirls.passes.varyings.opt_varyings import link_options


def test_every_setting_is_an_option_and_the_other_way_round() -> None:
    declared = registry.find(OPT_VARYINGS)
    assert declared is not None
    names = {option.name for option in declared.options} - {CLEAN_UP.name}
    # A function cannot be given as text.
    assert names == {field.name for field in fields(LinkOptions)} - {"worth_sending_less"}


def test_every_option_reaches_the_steps() -> None:
    default = LinkOptions()
    for field in fields(LinkOptions):
        value = getattr(default, field.name)
        if field.name in ("worth_sending_less", "max_cost"):
            continue
        other = not value if isinstance(value, bool) else value + 1
        assert getattr(link_options({field.name: other}), field.name) == other
    assert link_options({"max_cost": 0}).max_cost == 0
    assert link_options({"max_cost": -1}).max_cost is None
