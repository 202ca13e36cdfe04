"""The messages that the server handles, by the module of `nirls.server.lsp.features` with their handlers.

The module is imported at the first of its messages. Its `register(server)` registers a handler for each of
them. The messages of `lifecycle`, `configuration` and `diagnostics` are not listed: these modules are
imported at the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from lsprotocol import types

from nirls.server.ide.cursor.tokens import MODIFIERS, TYPES


@dataclass(frozen=True, slots=True)
class Feature:
    """A module, its methods with the options that `initialize` declares for each, and its commands."""

    module: str
    methods: Mapping[str, Any] = field(default_factory=dict)
    commands: tuple[str, ...] = ()


_LEGEND: Final = types.SemanticTokensLegend(token_types=list(TYPES), token_modifiers=list(MODIFIERS))

FEATURES: Final = (
    Feature("hover", {types.TEXT_DOCUMENT_HOVER: None}),
    Feature(
        "navigation",
        {
            types.TEXT_DOCUMENT_DEFINITION: None,
            types.TEXT_DOCUMENT_IMPLEMENTATION: None,
            types.TEXT_DOCUMENT_REFERENCES: None,
            types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT: None,
        },
    ),
    Feature("symbols", {types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: None}),
    Feature("workspace_symbols", {types.WORKSPACE_SYMBOL: None}),
    Feature("folding", {types.TEXT_DOCUMENT_FOLDING_RANGE: None}),
    Feature("selection", {types.TEXT_DOCUMENT_SELECTION_RANGE: None}),
    Feature(
        "semantic_tokens",
        {
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL: _LEGEND,
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA: _LEGEND,
            types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE: _LEGEND,
        },
    ),
    Feature(
        "code_actions",
        {
            types.TEXT_DOCUMENT_CODE_ACTION: types.CodeActionOptions(
                code_action_kinds=[
                    types.CodeActionKind.QuickFix,
                    "source.fixAll.nirls",
                    "source.fixPipeline.nirls",
                    "refactor.rewrite.nirls",
                    "source.run.nirls",
                ],
                resolve_provider=True,
            ),
            types.CODE_ACTION_RESOLVE: None,
        },
    ),
    Feature(
        "commands",
        commands=("nirls.runPasses", "nirls.applyPass", "nirls.showRepeatedFindings", "nirls.renumber"),
    ),
    Feature("shader_runs", commands=("nirls.run", "nirls.hideRun")),
    Feature("link_status", {"nirls/linkStatus": None}),
    Feature(
        "completion",
        {
            types.TEXT_DOCUMENT_COMPLETION: types.CompletionOptions(
                trigger_characters=["@", "%", "(", "=", "&", ".", " ", "|"], resolve_provider=True
            ),
            types.COMPLETION_ITEM_RESOLVE: None,
        },
    ),
    Feature(
        "signature_help",
        {
            types.TEXT_DOCUMENT_SIGNATURE_HELP: types.SignatureHelpOptions(
                trigger_characters=["(", ",", " "], retrigger_characters=[",", ")"]
            )
        },
    ),
    Feature(
        "rename",
        {
            types.TEXT_DOCUMENT_PREPARE_RENAME: None,
            types.TEXT_DOCUMENT_RENAME: types.RenameOptions(prepare_provider=True),
        },
    ),
    Feature("formatting", {types.TEXT_DOCUMENT_FORMATTING: None, types.TEXT_DOCUMENT_RANGE_FORMATTING: None}),
    Feature(
        "inlay_hints",
        {
            types.TEXT_DOCUMENT_INLAY_HINT: types.InlayHintOptions(resolve_provider=True),
            types.INLAY_HINT_RESOLVE: None,
        },
    ),
    Feature(
        "call_hierarchy",
        {
            types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY: None,
            types.CALL_HIERARCHY_INCOMING_CALLS: None,
            types.CALL_HIERARCHY_OUTGOING_CALLS: None,
        },
    ),
    Feature(
        "document_links",
        {types.TEXT_DOCUMENT_DOCUMENT_LINK: types.DocumentLinkOptions(resolve_provider=False)},
    ),
    Feature(
        "code_lenses",
        {
            types.TEXT_DOCUMENT_CODE_LENS: types.CodeLensOptions(resolve_provider=True),
            types.CODE_LENS_RESOLVE: None,
        },
    ),
    Feature("packing", {"nirls/packing": None}),
    Feature("pass_failures", commands=("nirls.writeBugReport",)),
    Feature("timeline", {"nirls/timeline": None}),
    Feature("snapshot_diff", {"nirls/snapshotDiff": None}),
    Feature("register_pressure", {"nirls/registerPressure": None}),
    Feature("value_history", {"nirls/valueHistory": None, "nirls/blame": None, "nirls/touchingPasses": None}),
    Feature("history_texts", commands=("nirls.showHistory",)),
    Feature("verification", commands=("nirls.showTransition",)),
    Feature("mesa_tests", commands=("nirls.writeMesaTest",)),
    Feature("previews", {"nirls/preview": None, "nirls/passes": None}),
    Feature("graphs", {"nirls/graph": None}),
)
