"""The `nirls` settings of the client, asked for after start and whenever they change."""

from __future__ import annotations

import logging

from lsprotocol import types

from nirls.server.client_settings import check_settings_of
from nirls.server.editor_settings import EditorSettings
from nirls.server.nirls_server import NirlsServer

_log = logging.getLogger(__name__)
_SECTION = "nirls"
_WATCHED = "**/{nirls.toml,*.nir}"


def register(server: NirlsServer) -> None:
    """Declare the handlers."""

    @server.handler(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        registrations = []
        if server.client.dynamic_configuration:
            method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
            options = types.DidChangeConfigurationRegistrationOptions(section=_SECTION)
            registrations.append(types.Registration("nirls-settings", method, options))
        if server.client.watches_files:
            watcher = types.FileSystemWatcher(glob_pattern=_WATCHED)
            files = types.DidChangeWatchedFilesRegistrationOptions(watchers=[watcher])
            method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registrations.append(types.Registration("nirls-files", method, files))
        if registrations:
            await server.client_register_capability_async(types.RegistrationParams(registrations))
        await _fetch(server)

    @server.handler(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client.configuration:
            await _fetch(server)
            return
        settings = params.settings
        section = settings.get(_SECTION, settings) if isinstance(settings, dict) else None
        _use(server, section)

    @server.handler(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.files.something_changed()
        for document in server.documents:
            server.checker.saved(document)
        server.link_watch.something_changed()


async def _fetch(server: NirlsServer) -> None:
    if not server.client.configuration:
        return
    item = types.ConfigurationItem(section=_SECTION)
    answer = await server.workspace_configuration_async(types.ConfigurationParams([item]))
    if answer:
        _use(server, answer[0])


def _use(server: NirlsServer, section: object) -> None:
    _use_in_editor(server, EditorSettings.of(section))
    settings = check_settings_of(section)
    if settings == server.engine.settings:
        return
    server.engine.use_settings(settings)
    for document in server.documents:
        document.pass_marks.clear()
        document.generation += 1
        server.checker.opened(document)


def _use_in_editor(server: NirlsServer, settings: EditorSettings) -> None:
    if settings == server.editor_settings:
        return
    server.editor_settings = settings
    if server.client.refreshes_hints:
        server.workspace_inlay_hint_refresh(None)
