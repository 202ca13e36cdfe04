from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from nirls.server.lsp.own_messages import (
    DumpItem,
    DumpRequest,
    arguments_of,
    item_of,
    plain_item,
    request_of,
)

URI = "file:///a.nir"


@dataclass(frozen=True, slots=True)
class Renumber:
    uri: str
    dump: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(DumpRequest):
    wants_all: bool = False
    names: tuple[str, ...] = ()


def test_parameters_are_named_in_camel_case() -> None:
    params = {"textDocument": {"uri": URI}, "workDoneToken": 0, "wantsAll": True, "names": ["a"], "more": 1}
    document = types.TextDocumentIdentifier(URI)
    assert request_of(Asked, params) == Asked(
        text_document=document, work_done_token=0, wants_all=True, names=("a",)
    )
    assert request_of(DumpRequest, {"textDocument": {"uri": URI}, "dump": 3}).dump == 3


def test_objects_of_unknown_messages_are_read() -> None:
    document, place = namedtuple("Object", "uri")(URI), namedtuple("Object", "line character")(1, 2)
    params = namedtuple("Object", "textDocument position")(document, place)
    assert request_of(DumpRequest, params).position == types.Position(1, 2)


@pytest.mark.parametrize(
    "params",
    [
        None,
        [],
        {},
        {"textDocument": {}},
        {"textDocument": {"uri": 7}},
        {"textDocument": {"uri": URI}, "dump": "x"},
        {"textDocument": {"uri": URI}, "dump": 1.5},
        {"textDocument": {"uri": URI}, "position": {"line": 0}},
        {"textDocument": {"uri": URI}, "wantsAll": "yes"},
    ],
)
def test_wrong_parameters_are_refused(params: object) -> None:
    with pytest.raises(JsonRpcInvalidParams, match="Asked: "):
        request_of(Asked, params)


def test_arguments_are_in_the_order_of_the_fields() -> None:
    assert arguments_of(Renumber, (URI,)) == Renumber(URI)
    assert arguments_of(Renumber, (URI, 3)) == Renumber(URI, 3)


@pytest.mark.parametrize("arguments", [(), (7,), (URI, "x"), (URI, True), (URI, 1, 2)])
def test_wrong_arguments_are_refused(arguments: tuple[object, ...]) -> None:
    with pytest.raises(JsonRpcInvalidParams):
        arguments_of(Renumber, arguments)


def test_data_of_items_go_to_the_client_and_back() -> None:
    item = DumpItem(uri=URI, slot=7)
    assert item_of(DumpItem, plain_item(item)) == item
    for other in (None, 3, "x", {}, {"uri": URI}, {"uri": URI, "slot": "x"}):
        assert item_of(DumpItem, other) is None
