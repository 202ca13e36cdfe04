"""Whose slots an access names."""

from __future__ import annotations

import pytest

from nirls.ir.model.slots import (
    UNKNOWN_LOCATION,
    parse_mask,
    reads_attribute_in_tcs,
    short_slots,
    slot_name,
    slot_number,
    slot_stage,
    varying_slot,
)
from nirls.ir.model.stage import Stage


def test_a_control_shader_names_attributes_of_the_vertex_shader() -> None:
    assert slot_stage("load_input", Stage.TESS_CTRL) is Stage.VERTEX
    assert slot_stage("load_per_vertex_input", Stage.TESS_CTRL) is Stage.TESS_CTRL
    assert slot_stage("load_input", Stage.TESS_EVAL) is Stage.TESS_EVAL
    assert not reads_attribute_in_tcs("load_input", None)


def test_names_by_stage() -> None:
    number = varying_slot("VAR0")
    assert slot_name(number, Stage.TESS_CTRL, is_output=False) == "VARYING_SLOT_VAR0"
    assert slot_name(15, Stage.VERTEX, is_output=False) == "VERT_ATTRIB_GENERIC0"
    assert slot_name(999, Stage.VERTEX, is_output=False) == "UNKNOWN"


@pytest.mark.parametrize("text", ["", "a", "3-1", "1-99999999999", "-1"])
def test_invalid_masks(text: str) -> None:
    assert parse_mask(text) is None


@pytest.mark.parametrize("digits", [4, 18, 5000])
def test_an_absurd_number_is_no_slot(digits: int) -> None:
    assert slot_number("9" * digits) == UNKNOWN_LOCATION


def test_short_names_in_a_text() -> None:
    assert short_slots("stream 1 VARYING_SLOT_VAR0.x of vertex 2") == "stream 1 VAR0.x of vertex 2"
    assert short_slots("FRAG_RESULT_DATA0 VERT_ATTRIB_POS") == "DATA0 POS"
