"""The form of completion items and signatures, by what the client takes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from lsprotocol import types

from nirls.server.engine.worker.process import InlineWorker
from nirls.server.lsp.client import Client
from nirls.server.lsp.language_server import make_server
from nirls.server.lsp.nirls_server import NirlsServer

URI = "untitled:a"
DUMP = """\
shader: MESA_SHADER_FRAGMENT
impl main {
    block b0:
    32     %0 = load_const (0x3f800000 = 1.000000)
    32     %1 = load_ub
    32     %2 = fadd %0, 
}
"""  # noqa: W291


@pytest.fixture
def server() -> Iterator[NirlsServer]:
    made = make_server(new_worker=InlineWorker)
    made.documents.open(URI, DUMP, 1)
    yield made
    made.shutdown()


def ask(server: NirlsServer, method: str, params: object) -> Any:
    found = server.protocol.fm.features[method](params)
    return asyncio.run(found) if asyncio.iscoroutine(found) else found


def place_behind(mark: str) -> types.Position:
    before = DUMP[: DUMP.index(mark) + len(mark)]
    return types.Position(before.count("\n"), len(before.rpartition("\n")[2]))


def first_item(server: NirlsServer, mark: str) -> tuple[dict[str, Any], dict[str, Any]]:
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), place_behind(mark))
    answer = ask(server, types.TEXT_DOCUMENT_COMPLETION, params)
    return answer["items"][0], answer


def test_a_client_that_says_nothing(server: NirlsServer) -> None:
    item, answer = first_item(server, "load_ub")
    assert "itemDefaults" not in answer
    assert "insertTextFormat" not in item
    assert item["textEdit"]["newText"] == "@load_ubo ("
    assert item["filterText"] == "load_ubo"
    start, end = item["textEdit"]["range"]["start"], item["textEdit"]["range"]["end"]
    assert end["character"] - start["character"] == len("load_ub")


def test_a_client_with_snippets_and_one_range_for_all(server: NirlsServer) -> None:
    server.client = Client(snippets=True, completion_edit_range=True)
    item, answer = first_item(server, "load_ub")
    assert item["insertTextFormat"] == types.InsertTextFormat.Snippet
    assert item["textEditText"].startswith("@load_ubo (${1:index}")
    assert "textEdit" not in item
    assert answer["itemDefaults"]["editRange"]["start"]["line"] == 4


@pytest.mark.parametrize(("markdown", "kind"), [(True, "markdown"), (False, "plaintext")])
def test_documentation(server: NirlsServer, markdown: bool, kind: str) -> None:
    server.client = Client(completion_markdown=markdown)
    item, _ = first_item(server, "load_ub")
    params = types.CompletionItem(item["label"], data=item["data"])
    text = ask(server, types.COMPLETION_ITEM_RESOLVE, params)["documentation"]
    assert text.kind == kind
    assert ("```" in text.value) is markdown


def test_data_of_others_resolves_to_nothing(server: NirlsServer) -> None:
    for data in (None, "x", ["opcode"], ["opcode", "nothing_of_the_kind"]):
        resolved = ask(server, types.COMPLETION_ITEM_RESOLVE, types.CompletionItem("x", data=data))
        assert resolved.get("documentation") is None


@pytest.mark.parametrize(("offsets", "label"), [(True, [12, 17]), (False, "float")])
def test_parameters_of_a_signature(server: NirlsServer, offsets: bool, label: object) -> None:
    server.client = Client(signature_label_offsets=offsets)
    params = types.SignatureHelpParams(types.TextDocumentIdentifier(URI), place_behind("fadd %0, "))
    answer = ask(server, types.TEXT_DOCUMENT_SIGNATURE_HELP, params)
    (signature,) = answer.signatures
    found = signature.parameters[answer.active_parameter].label
    assert (list(found) if offsets else found) == label
    assert signature.documentation.kind == "plaintext"


@pytest.mark.parametrize(("mark", "is_offered"), [("   ", False), ("%2 = ", True)])
def test_a_space_that_was_typed(server: NirlsServer, mark: str, is_offered: bool) -> None:
    context = types.CompletionContext(types.CompletionTriggerKind.TriggerCharacter, " ")
    params = types.CompletionParams(types.TextDocumentIdentifier(URI), place_behind(mark), context=context)
    assert bool(ask(server, types.TEXT_DOCUMENT_COMPLETION, params)) is is_offered
