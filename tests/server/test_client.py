"""What the server takes a client to be able to do."""

from __future__ import annotations

import pytest
from lsprotocol import types

from nirls.server.client import Client
from nirls.server.positions import Encoding


def test_a_client_that_says_nothing_can_do_nothing() -> None:
    assert Client.of(types.ClientCapabilities(), Encoding.UTF16) == Client()


@pytest.mark.parametrize(("pulls", "refreshes"), [(True, True), (True, False), (False, True), (False, False)])
def test_diagnostics_are_pulled_only_if_the_client_can_be_told_to(pulls: bool, refreshes: bool) -> None:
    capabilities = types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(
            diagnostic=types.DiagnosticClientCapabilities() if pulls else None
        ),
        workspace=types.WorkspaceClientCapabilities(
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=refreshes)
        ),
    )
    assert Client.of(capabilities, Encoding.UTF8).pulls_diagnostics is (pulls and refreshes)


def test_tags_count_only_if_the_one_we_use_is_among_them() -> None:
    def client(tags: list[types.DiagnosticTag]) -> Client:
        support = types.ClientDiagnosticsTagOptions(tags)
        text = types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(tag_support=support)
        )
        return Client.of(types.ClientCapabilities(text_document=text), Encoding.UTF16)

    assert client([types.DiagnosticTag.Unnecessary]).unnecessary_tag
    assert not client([types.DiagnosticTag.Deprecated]).unnecessary_tag
