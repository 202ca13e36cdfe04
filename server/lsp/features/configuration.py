"""Workspace folders, and the client's `nirls` settings of each: requested after start and at each change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from concurrent.futures import Future
from math import inf
from pathlib import Path

from lsprotocol import types

from nirls.server.engine.checks.finding_codes import problems_of_settings
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings
from nirls.server.lsp.nirls_server import NirlsServer, guarded

_log = logging.getLogger(__name__)

FILES_PAUSE = 0.5
"""Least number of seconds between two checks because files changed."""

_SECTION = "nirls"
_WATCHED = "**/{nirls.toml,*.nir}"


def register(server: NirlsServer) -> None:
    @server.handler_at_start(types.INITIALIZED)
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
            # Some clients refuse, or never answer; the settings do not wait for that.
            asked = server.client_register_capability(types.RegistrationParams(registrations))
            asked.add_done_callback(_log_refusal)
        await _fetch(server)

    @server.handler_at_start(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def changed(params: types.DidChangeConfigurationParams) -> None:
        if server.client.configuration:
            await _fetch(server)
            return
        settings = params.settings
        section = settings.get(_SECTION, settings) if isinstance(settings, dict) else None
        use_settings(server, FolderSettings(ClientSettings.of(section)))

    timer: asyncio.TimerHandle | None = None
    last = -inf

    def check_files() -> None:
        nonlocal timer, last
        timer, last = None, asyncio.get_running_loop().time()
        _files_changed(server)

    @server.handler_at_start(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def files_changed(params: types.DidChangeWatchedFilesParams) -> None:
        """Check anew, at most once in `FILES_PAUSE`: a build or a checkout changes thousands of files."""
        nonlocal timer
        server.files.invalidate()
        loop = asyncio.get_running_loop()
        if timer is not None:
            return
        if loop.time() - last >= FILES_PAUSE:
            check_files()
        else:
            timer = loop.call_later(FILES_PAUSE, check_files)

    @server.handler_at_start(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders_changed(params: types.DidChangeWorkspaceFoldersParams) -> None:
        server.files.remove_folders(folder.uri for folder in params.event.removed)
        server.files.add_folders(folder.uri for folder in params.event.added)
        # In the background, so that later messages are not delayed.
        server.start(guarded(_fetch, name="reading the settings")(server))
        _files_changed(server)


def _log_refusal(asked: Future[None]) -> None:
    if not asked.cancelled() and asked.exception() is not None:
        _log.warning("the client tells of no changed settings and files: %s", asked.exception())


def _files_changed(server: NirlsServer) -> None:
    """Check anew: another nirls.toml may apply, and other files may be linked with the open ones."""
    _check_anew(server, server.analyzers.refresh_settings())
    server.project_files.refresh()
    for document in server.documents:
        server.scheduler.saved(document)
    server.link_watch.schedule()


def use_first_folders(server: NirlsServer, params: types.InitializeParams) -> None:
    """Add the folders of `initialize`: `workspaceFolders`, `rootUri` or `rootPath`."""
    if params.workspace_folders is not None:
        server.files.add_folders(folder.uri for folder in params.workspace_folders)
    elif params.root_uri:
        server.files.add_folders([params.root_uri])
    elif params.root_path:
        server.files.add_folders([Path(params.root_path).absolute().as_uri()])


async def _fetch(server: NirlsServer) -> None:
    """Request the general settings and those of each workspace folder, and apply them."""
    if not server.client.configuration:
        return
    folders = server.files.folders_by_uri
    scopes = [None, *folders]
    items = [types.ConfigurationItem(section=_SECTION, scope_uri=uri) for uri in scopes]
    answer = await server.workspace_configuration_async(types.ConfigurationParams(items))
    if not answer:
        return
    general, *of_folders = map(ClientSettings.of, answer)
    # Some clients return only the first item.
    by_folder = dict(zip(folders.values(), of_folders, strict=False))
    use_settings(server, FolderSettings(general, by_folder))


def use_settings(server: NirlsServer, settings: FolderSettings) -> None:
    """Apply settings, and recheck the documents whose settings changed."""
    before = server.analyzers.settings
    _check_anew(server, server.analyzers.use_settings(settings))
    if before == settings:
        return
    if server.client.refreshes_hints:
        server.workspace_inlay_hint_refresh(None)
    server.start(guarded(_tell_problems, name="checking the settings")(server, settings))


async def _tell_problems(server: NirlsServer, settings: FolderSettings) -> None:
    """Show what is wrong with settings of the client: what they leave out would look clean."""
    for given in (settings.general, *settings.folders.values()):
        # In a thread: names of passes and codes may need all passes, which take half a second to import.
        names = await asyncio.to_thread(problems_of_settings, given.checks)
        problems = [*map(str, given.problems), *names]
        if problems:
            server.say(f"nirls: errors in the settings: {'; '.join(problems)}", types.MessageType.Error)


def refresh_settings_of(server: NirlsServer, document: Document) -> None:
    """Recheck a document if its text names another driver than at the last look."""
    if server.analyzers.refresh(document):
        _check_anew(server, [document])


def _check_anew(server: NirlsServer, documents: Iterable[Document]) -> None:
    for document in documents:
        document.drop_pass_findings()
        server.scheduler.opened(document)
