"""Signature help for opcodes, intrinsics and calls."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.ide.cursor.glossary import description
from nirls.server.ide.cursor.outline import outline
from nirls.server.ide.signatures import Signature, signature_at
from nirls.server.lsp.answers.conversion import markup
from nirls.server.lsp.answers.cursor import cursor_at
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    @server.handler(types.TEXT_DOCUMENT_SIGNATURE_HELP, reads_text=True)
    def signature_help(params: types.SignatureHelpParams) -> types.SignatureHelp | None:
        cursor = cursor_at(server, params.text_document.uri, params.position)
        if cursor is None:
            return None
        signature = signature_at(cursor.state.text, cursor.state.of_text(outline), cursor.offset)
        return None if signature is None else _answer(server, signature)


def _answer(server: NirlsServer, found: Signature) -> types.SignatureHelp:
    client = server.client
    # Signatures are ASCII, so offsets are the same in every encoding.
    parameters = [
        types.ParameterInformation((start, end) if client.signature_label_offsets else found.label[start:end])
        for start, end in found.parameters
    ]
    signature = types.SignatureInformation(found.label, parameters=parameters)
    text = description(*found.about) if found.about is not None else ""
    if text:
        signature.documentation = markup(text, as_markdown=client.signature_markdown)
    # An index past the last parameter highlights none.
    active = found.active if found.active >= 0 else len(parameters)
    return types.SignatureHelp([signature], active_signature=0, active_parameter=active)
