"""Code actions that switch findings off, here, in this file or in this workspace, and show repeated ones."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from lsprotocol import types

from nirls.ir.finding import Finding, FixRequest, counted
from nirls.server.engine.documents.allowances import UNUSED_ALLOWANCE, allowances, removal
from nirls.server.engine.documents.document import PlacedDump
from nirls.server.engine.documents.positions import LineIndex, Range
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.project_file import FILE_NAME
from nirls.server.lsp.answers.action_data import Allow, plain_action
from nirls.server.lsp.answers.conversion import lsp_range
from nirls.server.lsp.answers.workspace_edits import workspace_edit
from nirls.server.lsp.nirls_server import NirlsServer

SHOW_REPEATED = "nirls.showRepeatedFindings"
"""Server command: show the findings of a dump that newer snapshots repeat. Arguments: URI, dump number."""

SAVE_FILES = "nirls.saveFiles"
"""Client command that saves files and names them. Arguments: URIs."""

_TITLES: Mapping[Literal["here", "file", "workspace"], str] = {
    "here": "Ignore {} here",
    "file": "Ignore {} in this file",
    "workspace": "Turn off {} in this workspace",
}
_SEVERITY_TABLE = re.compile(r"^[ \t]*\[[ \t]*severity[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_NEXT_TABLE = re.compile(r"^[ \t]*\[", re.MULTILINE)
_INDENT = re.compile(rb"[ \t]*")


def allow_actions(
    document: Document, dump: PlacedDump, findings: Iterable[Finding]
) -> Iterator[types.CodeAction]:
    """Offer to switch off each kind of finding on a line."""
    first: dict[str, Finding] = {}
    for finding in findings:
        if finding.code != UNUSED_ALLOWANCE.code:
            first.setdefault(finding.code, finding)
    for code, finding in first.items():
        for where, title in _TITLES.items():
            if where == "workspace" and document.path is None:
                continue
            data = plain_action(Allow(document.uri, dump.piece.slot, where, code, finding.place.start))
            yield types.CodeAction(title.format(code), types.CodeActionKind.QuickFix, data=data)


def show_repeated_action(document: Document, dump: PlacedDump) -> types.CodeAction | None:
    """Offer to show the findings of a snapshot that newer snapshots repeat."""
    count = document.count_repeated(dump.piece)
    if not count:
        return None
    title = f"Show the {counted(count, 'finding')} of this snapshot that newer ones repeat"
    command = types.Command(title, SHOW_REPEATED, arguments=[document.uri, dump.number])
    return types.CodeAction(title, types.CodeActionKind.QuickFix, command=command)


def show_repeated(document: Document, number: int) -> bool:
    """Show all findings of a dump; return False if there is no such dump."""
    if not 0 <= number < len(document.snapshot.dump_indices):
        return False
    document.unfolded.add(document.snapshot.dump(number).piece.slot)
    document.generation += 1
    return True


def allow_edit(server: NirlsServer, document: Document, data: Allow) -> types.WorkspaceEdit | None:
    """Compute the edit of an action of `allow_actions`; None if the dump is gone."""
    code = data.code
    if data.where == "workspace":
        return _edit_of_project(server, document, code)
    dump = document.place_of_slot(data.slot)
    if dump is None:
        return None
    if data.where == "file":
        dump = document.snapshot.dump(0)
        return _insertion(server, document, dump, 0, f"// nirls: allow-file {code}\n")
    text = dump.piece.text
    line = text.rfind(b"\n", 0, data.start) + 1
    number = text.count(b"\n", 0, line)
    above = [
        allowance
        for allowance in allowances(text)
        if allowance.line == number and not allowance.is_of_file and allowance.end < line
    ]
    if above:
        return _insertion(server, document, dump, above[-1].end, f", {code}")
    indent = _INDENT.match(text, line)
    space = b"" if indent is None else indent[0]
    return _insertion(server, document, dump, line, f"{space.decode()}// nirls: allow {code}\n")


def removal_edit(
    server: NirlsServer, document: Document, dump: PlacedDump, request: FixRequest
) -> types.WorkspaceEdit | None:
    """Compute the edit that removes an unused allowance; None if the text changed."""
    place = removal(dump.piece.text, request)
    if place is None:
        return None
    range_, new_text = dump.edit(*place, "", server.client.encoding)
    return workspace_edit(server, [(document, [types.TextEdit(lsp_range(range_), new_text)])])


def _insertion(
    server: NirlsServer, document: Document, dump: PlacedDump, offset: int, text: str
) -> types.WorkspaceEdit:
    range_, new_text = dump.edit(offset, offset, text, server.client.encoding)
    return workspace_edit(server, [(document, [types.TextEdit(lsp_range(range_), new_text)])])


def _edit_of_project(server: NirlsServer, document: Document, code: str) -> types.WorkspaceEdit | None:
    """Set the severity of a code to `off` in the `nirls.toml` of the document, creating one if needed."""
    if document.path is None:
        return None
    project = server.linker.project_of(document)
    if project is not None:
        path = project.path
    else:
        around = [folder for folder in server.documents.folders if document.path.is_relative_to(folder)]
        folder = max(around, key=lambda one: len(one.parts), default=document.path.parent)
        path = folder / FILE_NAME
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = None
    except (OSError, UnicodeDecodeError):
        return None
    start, end, new_text = with_severity_off(text or "", code)
    lines = LineIndex((text or "").encode())
    places = [
        lines.position(len((text or "")[:offset].encode()), server.client.encoding) for offset in (start, end)
    ]
    edit = types.TextEdit(lsp_range(Range(*places)), new_text)
    uri = path.as_uri()
    if not server.client.document_changes:
        return None if text is None else types.WorkspaceEdit(changes={uri: [edit]})
    identifier = types.OptionalVersionedTextDocumentIdentifier(uri, None)
    changes: list[Any] = [types.TextDocumentEdit(identifier, [edit])]
    if text is None:
        changes.insert(0, types.CreateFile(uri, options=types.CreateFileOptions(ignore_if_exists=True)))
    return types.WorkspaceEdit(document_changes=changes)


def with_severity_off(text: str, code: str) -> tuple[int, int, str]:
    """Return the replacement (start, end, text) that sets `CODE = "off"` in the text of a `nirls.toml`."""
    setting = f'{code} = "off"'
    table = _SEVERITY_TABLE.search(text)
    if table is None:
        gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
        return len(text), len(text), f"{gap}[severity]\n{setting}\n"
    following = _NEXT_TABLE.search(text, table.end())
    end = len(text) if following is None else following.start()
    present = re.compile(rf'^[ \t]*"?{re.escape(code)}"?[ \t]*=[^\n]*', re.MULTILINE).search(
        text, table.end(), end
    )
    if present is not None:
        return present.start(), present.end(), setting
    return table.end(), table.end(), f"\n{setting}"
