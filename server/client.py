"""What the connected client can do, read once from its `initialize` request."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types
from pygls.capabilities import get_capability

from nirls.server.positions import Encoding


@dataclass(frozen=True, slots=True)
class Client:
    """The abilities that change what the server does. The defaults are those of a client that says nothing.

    `pulls_diagnostics` means that the client asks for diagnostics itself and can be told to ask again;
    every other client gets them pushed. `commands` are the client's own ones that a code lens may name.
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
    hierarchical_symbols: bool = False
    refreshes_tokens: bool = False
    refreshes_lenses: bool = False
    watches_files: bool = False
    snippets: bool = False
    completion_edit_range: bool = False
    completion_markdown: bool = False
    signature_label_offsets: bool = False
    signature_markdown: bool = False
    refreshes_hints: bool = False
    resolves_hint_tooltips: bool = False
    link_tooltips: bool = False
    prepares_rename: bool = False
    commands: frozenset[str] = frozenset()

    @classmethod
    def of(cls, capabilities: types.ClientCapabilities, encoding: Encoding) -> Client:
        """The abilities that a client declares."""

        def has(path: str) -> bool:
            return bool(get_capability(capabilities, path, False))

        def listed(path: str, value: object) -> bool:
            return value in (get_capability(capabilities, path, None) or ())

        text, workspace = "text_document", "workspace"
        # Clients say what a diagnostic may hold where they take it: pushed, pulled, or both.
        pushed, pulled = f"{text}.publish_diagnostics", f"{text}.diagnostic"
        tag = types.DiagnosticTag.Unnecessary
        return cls(
            encoding=encoding,
            pulls_diagnostics=get_capability(capabilities, pulled, None) is not None
            and has(f"{workspace}.diagnostics.refresh_support"),
            related_information=has(f"{pushed}.related_information") or has(f"{pulled}.related_information"),
            code_description=has(f"{pushed}.code_description_support")
            or has(f"{pulled}.code_description_support"),
            diagnostic_data=has(f"{pushed}.data_support") or has(f"{pulled}.data_support"),
            unnecessary_tag=listed(f"{pushed}.tag_support.value_set", tag)
            or listed(f"{pulled}.tag_support.value_set", tag),
            markdown=listed(f"{text}.hover.content_format", types.MarkupKind.Markdown),
            progress=has("window.work_done_progress"),
            configuration=has(f"{workspace}.configuration"),
            dynamic_configuration=has(f"{workspace}.did_change_configuration.dynamic_registration"),
            code_action_literals=get_capability(
                capabilities, f"{text}.code_action.code_action_literal_support", None
            )
            is not None,
            resolves_edits="edit"
            in (get_capability(capabilities, f"{text}.code_action.resolve_support.properties", None) or ()),
            document_changes=has(f"{workspace}.workspace_edit.document_changes"),
            hierarchical_symbols=has(f"{text}.document_symbol.hierarchical_document_symbol_support"),
            refreshes_tokens=has(f"{workspace}.semantic_tokens.refresh_support"),
            refreshes_lenses=has(f"{workspace}.code_lens.refresh_support"),
            watches_files=has(f"{workspace}.did_change_watched_files.dynamic_registration"),
            snippets=has(f"{text}.completion.completion_item.snippet_support"),
            completion_edit_range=listed(f"{text}.completion.completion_list.item_defaults", "editRange"),
            completion_markdown=listed(
                f"{text}.completion.completion_item.documentation_format", types.MarkupKind.Markdown
            ),
            signature_label_offsets=has(
                f"{text}.signature_help.signature_information.parameter_information.label_offset_support"
            ),
            signature_markdown=listed(
                f"{text}.signature_help.signature_information.documentation_format", types.MarkupKind.Markdown
            ),
            refreshes_hints=has(f"{workspace}.inlay_hint.refresh_support"),
            resolves_hint_tooltips=listed(f"{text}.inlay_hint.resolve_support.properties", "tooltip"),
            link_tooltips=has(f"{text}.document_link.tooltip_support"),
            prepares_rename=has(f"{text}.rename.prepare_support"),
            commands=_commands(capabilities),
        )


def _commands(capabilities: types.ClientCapabilities) -> frozenset[str]:
    """The names in `experimental.commands.commands`, where other servers' clients say so too."""
    experimental = capabilities.experimental
    section = experimental.get("commands") if isinstance(experimental, dict) else None
    names = section.get("commands") if isinstance(section, dict) else None
    if not isinstance(names, list):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str))
