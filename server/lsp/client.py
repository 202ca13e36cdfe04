"""Capabilities of the connected client, read once from its `initialize` request."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Final

from nirls.server.engine.documents.positions import Encoding

_UNNECESSARY: Final = 1
"""LSP's `DiagnosticTag.Unnecessary`."""


def _declared(*paths: str, lists: object = None) -> bool:
    """A capability that a client has if it declares something at all of these paths.

    That is an object or true; with `lists`, an array that contains this value.
    """
    made: bool = field(default=False, metadata={"holds": all, "paths": paths, "lists": lists})
    return made


def _detail(path: str, lists: object = None) -> bool:
    """A detail of diagnostics: clients declare it under the push capability, the pull capability, or both."""
    paths = (f"textDocument.publishDiagnostics.{path}", f"textDocument.diagnostic.{path}")
    made: bool = field(default=False, metadata={"holds": any, "paths": paths, "lists": lists})
    return made


@dataclass(frozen=True, slots=True)
class Client:
    """Client capabilities that the server depends on. The defaults apply to a client that declares none.

    `pulls_diagnostics`: the client pulls diagnostics and supports the refresh request; diagnostics are pushed
    to every other client. `commands`: client-side commands that code lenses and code actions may refer to.
    """

    encoding: Encoding = Encoding.UTF16
    commands: frozenset[str] = frozenset()

    related_information: bool = _detail("relatedInformation")
    code_description: bool = _detail("codeDescriptionSupport")
    diagnostic_data: bool = _detail("dataSupport")
    unnecessary_tag: bool = _detail("tagSupport.valueSet", lists=_UNNECESSARY)
    pulls_diagnostics: bool = _declared("textDocument.diagnostic", "workspace.diagnostics.refreshSupport")
    markdown: bool = _declared("textDocument.hover.contentFormat", lists="markdown")
    code_action_literals: bool = _declared("textDocument.codeAction.codeActionLiteralSupport")
    resolves_edits: bool = _declared("textDocument.codeAction.resolveSupport.properties", lists="edit")
    hierarchical_symbols: bool = _declared("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport")
    link_tooltips: bool = _declared("textDocument.documentLink.tooltipSupport")
    snippets: bool = _declared("textDocument.completion.completionItem.snippetSupport")
    completion_edit_range: bool = _declared(
        "textDocument.completion.completionList.itemDefaults", lists="editRange"
    )
    completion_markdown: bool = _declared(
        "textDocument.completion.completionItem.documentationFormat", lists="markdown"
    )
    signature_label_offsets: bool = _declared(
        "textDocument.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport"
    )
    signature_markdown: bool = _declared(
        "textDocument.signatureHelp.signatureInformation.documentationFormat", lists="markdown"
    )
    configuration: bool = _declared("workspace.configuration")
    dynamic_configuration: bool = _declared("workspace.didChangeConfiguration.dynamicRegistration")
    watches_files: bool = _declared("workspace.didChangeWatchedFiles.dynamicRegistration")
    document_changes: bool = _declared("workspace.workspaceEdit.documentChanges")
    change_annotations: bool = _declared(
        "workspace.workspaceEdit.documentChanges", "workspace.workspaceEdit.changeAnnotationSupport"
    )
    refreshes_lenses: bool = _declared("workspace.codeLens.refreshSupport")
    refreshes_hints: bool = _declared("workspace.inlayHint.refreshSupport")
    progress: bool = _declared("window.workDoneProgress")
    shows_documents: bool = _declared("window.showDocument.support")

    @classmethod
    def of(cls, capabilities: object, encoding: Encoding) -> Client:
        """Read the capabilities of an `initialize` request, given as plain JSON values."""

        def has(path: str, lists: object) -> bool:
            value = value_at(capabilities, *path.split("."))
            if lists is not None:
                return isinstance(value, list | tuple) and lists in value
            return value is not None and value is not False

        found = {
            one.name: one.metadata["holds"](
                has(path, one.metadata["lists"]) for path in one.metadata["paths"]
            )
            for one in fields(cls)
            if "paths" in one.metadata
        }
        return cls(encoding, _commands(capabilities), **found)


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
