"""Packing for the editor and the command line, as plain data."""

from __future__ import annotations

import json

import pytest

from nirls.server.ide.packing.packing_plan import packing_of_texts, plain_packing, potential_of_text
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store, use

PRODUCER = shader_text("VERTEX", ZERO, ONE, "32    %2 = @load_vertex_id", store("VAR4", "%2"), store("VAR5"))
CONSUMER = shader_text("FRAGMENT", ZERO, load(4, "VAR4"), load(5, "VAR5"), use("%4"), use("%5"))
TEXTS = [PRODUCER.encode(), CONSUMER.encode()]


def test_a_pair_is_plain_data() -> None:
    (pair,) = packing_of_texts(TEXTS, {})
    plain = json.loads(json.dumps(plain_packing(pair)))
    assert (plain["producer"], plain["consumer"], plain["obstacle"]) == ("VS", "FS", None)
    assert plain["before"] != plain["after"]
    assert {"summary", "before", "after"} <= set(plain)


@pytest.mark.parametrize("given", [{"no_such_option": 1}, {"pack": "perhaps"}])
def test_wrong_options_leave_the_defaults(given: dict[str, object]) -> None:
    assert [plain_packing(pair) for pair in packing_of_texts(TEXTS, given)] == [
        plain_packing(pair) for pair in packing_of_texts(TEXTS, {})
    ]


def test_options_count() -> None:
    (packed,), (unpacked,) = (packing_of_texts(TEXTS, {"pack": pack}) for pack in (True, False))
    assert plain_packing(packed)["after"] != plain_packing(unpacked)["after"]


def test_a_lone_stage_has_a_potential() -> None:
    sides = potential_of_text(TEXTS[0], {})
    assert [(side.direction, side.partner.abbreviation) for side in sides] == [("outputs", "FS")]
