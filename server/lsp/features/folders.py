"""Workspace folders, several and changing."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.lsp.features.configuration import fetch_soon, refresh_settings
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    """Declare the handler of changes; the first folders come with `initialize`."""

    @server.handler(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.files.remove_folders(folder.uri for folder in params.event.removed)
        server.files.add_folders(folder.uri for folder in params.event.added)
        refresh_settings(server)
        fetch_soon(server)
        # Another nirls.toml may apply, and other files may be linked with the open ones.
        for document in server.documents:
            server.checker.saved(document)
        server.link_watch.schedule()


def use_first_folders(server: NirlsServer, params: types.InitializeParams) -> None:
    """Add the folders of `initialize`: `workspaceFolders`, `rootUri` or `rootPath`."""
    if params.workspace_folders is not None:
        server.files.add_folders(folder.uri for folder in params.workspace_folders)
    elif params.root_uri:
        server.files.add_folders([params.root_uri])
    elif params.root_path:
        from pathlib import Path

        server.files.add_folders([Path(params.root_path).absolute().as_uri()])
