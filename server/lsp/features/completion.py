"""Completion, with the documentation of an item when it is resolved."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from nirls.server.engine.documents.positions import plain_range
from nirls.server.ide.completion.candidates import Candidate
from nirls.server.ide.completion.complete import Completions, complete
from nirls.server.ide.cursor.glossary import documentation
from nirls.server.ide.cursor.outline import outline
from nirls.server.lsp.answers.conversion import markup
from nirls.server.lsp.answers.cursor import Cursor, cursor_at
from nirls.server.lsp.nirls_server import NirlsServer

_KINDS = {
    "opcode": types.CompletionItemKind.Operator,
    "intrinsic": types.CompletionItemKind.Function,
    "keyword": types.CompletionItemKind.Keyword,
    "value": types.CompletionItemKind.Variable,
    "register": types.CompletionItemKind.Variable,
    "block": types.CompletionItemKind.Reference,
    "variable": types.CompletionItemKind.Field,
    "function": types.CompletionItemKind.Module,
    "slot": types.CompletionItemKind.EnumMember,
    "index": types.CompletionItemKind.Property,
    "word": types.CompletionItemKind.EnumMember,
    "field": types.CompletionItemKind.Property,
}


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_COMPLETION, reads_text=True)
    def completion(params: types.CompletionParams) -> dict[str, Any] | None:
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None:
            return None
        typed = params.context.trigger_character if params.context is not None else None
        state = cursor.state
        completions = complete(
            state.text, state.of_text(outline), cursor.offset, because_of_space=typed == " "
        )
        return _answer(server, cursor, completions) if completions.items else None

    @server.handler(types.COMPLETION_ITEM_RESOLVE)
    def resolve(params: types.CompletionItem) -> dict[str, Any]:
        item = server.protocol.plain(params)
        about = params.data
        if isinstance(about, list) and len(about) == 2:
            text = documentation(str(about[0]), str(about[1]))
            if text:
                item["documentation"] = markup(text, as_markdown=server.client.completion_markdown)
        return item


def _answer(server: NirlsServer, cursor: Cursor, found: Completions) -> dict[str, Any]:
    range_ = plain_range(cursor.dump.range(found.start, found.end, server.client.encoding))
    typed = cursor.state.text[found.start : found.end].decode("utf-8", "replace")
    items = [_item(server, order, one, range_, typed) for order, one in enumerate(found.items)]
    answer: dict[str, Any] = {"isIncomplete": not found.is_complete, "items": items}
    if server.client.completion_edit_range:
        answer["itemDefaults"] = {"editRange": range_}
    return answer


def _item(
    server: NirlsServer, order: int, one: Candidate, range_: dict[str, Any], typed: str
) -> dict[str, Any]:
    client = server.client
    text = one.snippet if client.snippets and one.snippet else one.typed
    item: dict[str, Any] = {"label": one.label, "kind": _KINDS[one.kind.value], "sortText": f"{order:04}"}
    if one.detail:
        item["detail"] = one.detail
    if text is one.snippet:
        item["insertTextFormat"] = types.InsertTextFormat.Snippet
    # Editors match the typed text with the label, sigil included: `load` is not a prefix of `@load_input`.
    if one.label[:1] in "@%" and not typed.startswith(one.label[:1]):
        item["filterText"] = one.label[1:]
    elif one.label.startswith("ssa_") and typed[:1].isdecimal():
        item["filterText"] = one.label[len("ssa_") :]
    if client.completion_edit_range:
        if text != one.label:
            item["textEditText"] = text
    else:
        item["textEdit"] = {"range": range_, "newText": text}
    if one.about is not None:
        item["data"] = list(one.about)
    return item
