"""Workspace folders: several roots, which come and go."""

from __future__ import annotations

from lsprotocol import types

from nirls.server.lsp.features.configuration import fetch_soon, look_again
from nirls.server.lsp.nirls_server import NirlsServer


def register(server: NirlsServer) -> None:
    """Declare the handler; the folders at the start come with `initialize`."""

    @server.handler(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.files.remove_folders(folder.uri for folder in params.event.removed)
        server.files.add_folders(folder.uri for folder in params.event.added)
        look_again(server)
        fetch_soon(server)
        # Another nirls.toml may apply, and other files lie beside those that are open.
        for document in server.documents:
            server.checker.saved(document)
        server.link_watch.something_changed()


def use_first_folders(server: NirlsServer, params: types.InitializeParams) -> None:
    """Take the folders that a client starts with, in whichever of LSP's three forms it says them."""
    if params.workspace_folders is not None:
        server.files.add_folders(folder.uri for folder in params.workspace_folders)
    elif params.root_uri:
        server.files.add_folders([params.root_uri])
    elif params.root_path:
        from pathlib import Path

        server.files.add_folders([Path(params.root_path).absolute().as_uri()])
