"""Capabilities of the connected client, read once from its `initialize` request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from nirls.server.engine.positions import Encoding

_UNNECESSARY: Final = 1
"""LSP's `DiagnosticTag.Unnecessary`."""


@dataclass(frozen=True, slots=True)
class Client:
    """Client capabilities that the server depends on. The defaults apply to a client that declares none.

    `pulls_diagnostics`: the client pulls diagnostics and supports the refresh request; diagnostics are pushed
    to every other client. `commands`: client-side commands that code lenses and code actions may refer to.
    """

    encoding: Encoding = Encoding.UTF16
    pulls_diagnostics: bool = False
    related_information: bool = False
    code_description: bool = False
    diagnostic_data: bool = False
    unnecessary_tag: bool = False
    markdown: bool = False
    progress: bool = False
    configuration: bool = False
    dynamic_configuration: bool = False
    code_action_literals: bool = False
    resolves_edits: bool = False
    document_changes: bool = False
    change_annotations: bool = False
    hierarchical_symbols: bool = False
    refreshes_lenses: bool = False
    watches_files: bool = False
    snippets: bool = False
    completion_edit_range: bool = False
    completion_markdown: bool = False
    signature_label_offsets: bool = False
    signature_markdown: bool = False
    refreshes_hints: bool = False
    link_tooltips: bool = False
    shows_documents: bool = False
    commands: frozenset[str] = frozenset()

    @classmethod
    def of(cls, capabilities: object, encoding: Encoding) -> Client:
        """Read the capabilities of an `initialize` request, given as plain JSON values."""

        def at(path: str) -> object:
            return value_at(capabilities, *path.split("."))

        def has(path: str) -> bool:
            return bool(at(path))

        def listed(path: str, value: object) -> bool:
            values = at(path)
            return isinstance(values, list | tuple) and value in values

        text, workspace = "textDocument", "workspace"
        # Clients declare diagnostic details under the push capability, the pull capability, or both.
        pushed, pulled = f"{text}.publishDiagnostics", f"{text}.diagnostic"
        return cls(
            encoding=encoding,
            pulls_diagnostics=at(pulled) is not None and has(f"{workspace}.diagnostics.refreshSupport"),
            related_information=has(f"{pushed}.relatedInformation") or has(f"{pulled}.relatedInformation"),
            code_description=has(f"{pushed}.codeDescriptionSupport")
            or has(f"{pulled}.codeDescriptionSupport"),
            diagnostic_data=has(f"{pushed}.dataSupport") or has(f"{pulled}.dataSupport"),
            unnecessary_tag=listed(f"{pushed}.tagSupport.valueSet", _UNNECESSARY)
            or listed(f"{pulled}.tagSupport.valueSet", _UNNECESSARY),
            markdown=listed(f"{text}.hover.contentFormat", "markdown"),
            progress=has("window.workDoneProgress"),
            shows_documents=has("window.showDocument.support"),
            configuration=has(f"{workspace}.configuration"),
            dynamic_configuration=has(f"{workspace}.didChangeConfiguration.dynamicRegistration"),
            code_action_literals=at(f"{text}.codeAction.codeActionLiteralSupport") is not None,
            resolves_edits=listed(f"{text}.codeAction.resolveSupport.properties", "edit"),
            document_changes=has(f"{workspace}.workspaceEdit.documentChanges"),
            change_annotations=has(f"{workspace}.workspaceEdit.documentChanges")
            and at(f"{workspace}.workspaceEdit.changeAnnotationSupport") is not None,
            hierarchical_symbols=has(f"{text}.documentSymbol.hierarchicalDocumentSymbolSupport"),
            refreshes_lenses=has(f"{workspace}.codeLens.refreshSupport"),
            watches_files=has(f"{workspace}.didChangeWatchedFiles.dynamicRegistration"),
            snippets=has(f"{text}.completion.completionItem.snippetSupport"),
            completion_edit_range=listed(f"{text}.completion.completionList.itemDefaults", "editRange"),
            completion_markdown=listed(f"{text}.completion.completionItem.documentationFormat", "markdown"),
            signature_label_offsets=has(
                f"{text}.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport"
            ),
            signature_markdown=listed(
                f"{text}.signatureHelp.signatureInformation.documentationFormat", "markdown"
            ),
            refreshes_hints=has(f"{workspace}.inlayHint.refreshSupport"),
            link_tooltips=has(f"{text}.documentLink.tooltipSupport"),
            commands=_commands(capabilities),
        )


def _commands(capabilities: object) -> frozenset[str]:
    """Return the names in `experimental.commands.commands`, the place used by rust-analyzer's client too."""
    names = value_at(capabilities, "experimental", "commands", "commands")
    if not isinstance(names, list | tuple):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str))


def value_at(value: object, *path: str) -> Any:
    """Return the value at a path of keys in nested JSON objects; None if a key is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
