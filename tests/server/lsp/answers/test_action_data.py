from __future__ import annotations

import json

import pytest
from pygls.exceptions import JsonRpcInvalidParams

from nirls.ir.finding import FixRequest
from nirls.server.lsp.answers.action_data import (
    ActionData,
    Allow,
    ApplyEveryFix,
    ApplyFix,
    action_of,
    plain_action,
)

REQUEST = FixRequest("opt_varyings", "packing", "one", 17, 42, "VAR0.x")


@pytest.mark.parametrize(
    "data",
    [
        ApplyFix("file:///a.nir", 17, REQUEST),
        ApplyFix("file:///a.nir", 17, REQUEST, ({"runs": 0, "proved": True},)),
        ApplyEveryFix("file:///a.nir", on_save=True),
        Allow("file:///a.nir", 17, "file", "packing", 42),
    ],
)
def test_data_go_to_the_client_and_back(data: ActionData) -> None:
    assert action_of(json.loads(json.dumps(plain_action(data)))) == data


@pytest.mark.parametrize(
    "data",
    [
        None,
        7,
        [],
        {},
        {"do": "ApplyNothing", "uri": "file:///a.nir"},
        {"do": "ApplyEveryFix"},
        {"do": "ApplyEveryFix", "uri": "file:///a.nir", "on_save": "yes"},
        {"do": "ApplyFix", "uri": "file:///a.nir", "slot": "x", "request": {}},
        {"do": "Allow", "uri": "file:///a.nir", "slot": 1, "where": "nowhere", "code": "c", "start": 0},
    ],
)
def test_other_data_are_refused(data: object) -> None:
    with pytest.raises(JsonRpcInvalidParams):
        action_of(data)
