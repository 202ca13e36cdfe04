"""What the server takes a client to be able to do."""

from __future__ import annotations

from dataclasses import fields

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from nirls.server.engine.documents.positions import Encoding
from nirls.server.lsp.client import Client


def test_a_client_that_says_nothing_can_do_nothing() -> None:
    assert Client.of({}, Encoding.UTF16) == Client()


@pytest.mark.parametrize(("pulls", "refreshes"), [(True, True), (True, False), (False, True), (False, False)])
def test_diagnostics_are_pulled_only_if_the_client_can_be_told_to(pulls: bool, refreshes: bool) -> None:
    capabilities = {
        "textDocument": {"diagnostic": {}} if pulls else {},
        "workspace": {"diagnostics": {"refreshSupport": refreshes}},
    }
    assert Client.of(capabilities, Encoding.UTF8).pulls_diagnostics is (pulls and refreshes)


def test_tags_count_only_if_the_one_we_use_is_among_them() -> None:
    def client(tags: list[int]) -> Client:
        support = {"tagSupport": {"valueSet": tags}}
        return Client.of({"textDocument": {"publishDiagnostics": support}}, Encoding.UTF16)

    assert client([1]).unnecessary_tag
    assert not client([2]).unnecessary_tag


def test_everything_a_client_may_say_is_a_name_of_the_protocol() -> None:
    """What is not, lsprotocol drops."""
    said = {"dynamicRegistration": True, "refreshSupport": True}
    support = {"properties": ["edit", "tooltip"]}
    diagnostic = {
        "relatedInformation": True,
        "codeDescriptionSupport": True,
        "dataSupport": True,
        "tagSupport": {"valueSet": [1]},
    }
    text = {
        "publishDiagnostics": diagnostic,
        "diagnostic": {},
        "hover": {"contentFormat": ["markdown"]},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}},
            "resolveSupport": support,
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "completion": {
            "completionItem": {"snippetSupport": True, "documentationFormat": ["markdown"]},
            "completionList": {"itemDefaults": ["editRange"]},
        },
        "signatureHelp": {
            "signatureInformation": {
                "documentationFormat": ["markdown"],
                "parameterInformation": {"labelOffsetSupport": True},
            }
        },
        "inlayHint": {"resolveSupport": support},
        "documentLink": {"tooltipSupport": True},
        "rename": {"prepareSupport": True},
    }
    workspace = {
        "configuration": True,
        "didChangeConfiguration": said,
        "workspaceEdit": {"documentChanges": True, "changeAnnotationSupport": {}},
        "diagnostics": said,
        "semanticTokens": said,
        "codeLens": said,
        "inlayHint": said,
        "didChangeWatchedFiles": said,
    }
    capabilities = {
        "textDocument": text,
        "workspace": workspace,
        "window": {"workDoneProgress": True, "showDocument": {"support": True}},
        "experimental": {"commands": {"commands": ["show"]}},
    }
    converter = get_converter()
    plain = converter.unstructure(converter.structure(capabilities, types.ClientCapabilities))
    client = Client.of(plain, Encoding.UTF16)
    assert client == Client.of(capabilities, Encoding.UTF16)
    assert [field.name for field in fields(Client) if not getattr(client, field.name)] == []
