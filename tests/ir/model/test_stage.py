"""Stages and the names that dumps and engineers have for them."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage


@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_is_found_by_both_its_names(stage: Stage) -> None:
    assert Stage.from_mesa_name(stage.mesa_name) is stage
    assert Stage.from_mesa_name(f" {stage.value} ") is stage


def test_abbreviations_tell_stages_apart() -> None:
    assert len({stage.abbreviation for stage in Stage}) == len(Stage)
    assert Stage.TESS_CTRL.abbreviation == "TCS"


def test_unheard_of_names() -> None:
    assert Stage.from_mesa_name("MESA_SHADER_PIXEL") is None
    assert Stage.from_mesa_name("vertex") is None
