"""One analyzer per distinct settings, selected by the folder and `nirls.toml` of a document.

All analyzers share the workers and the failures of passes. Most workspaces have one set of settings and
therefore one analyzer.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.documents.dump_state import DumpStore
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.text_document import Document
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings


class AnalyzersBySettings:
    """The analyzers of a workspace. `main` uses the general settings of the client."""

    def __init__(self, main: Analyzer, workspace: Workspace, linker: Linker) -> None:
        self.main = main
        self.settings = FolderSettings(ClientSettings(main.settings))
        self._workspace = workspace
        self._linker = linker
        self._others: list[Analyzer] = []
        self._chosen: WeakKeyDictionary[Document, Analyzer] = WeakKeyDictionary()

    def of(self, document: Document) -> Analyzer:
        """Return the analyzer of a document, as of the last settings lookup."""
        analyzer = self._chosen.get(document)
        if analyzer is None:
            analyzer = self._chosen[document] = self._with(self._settings_of(document))
            document.use_store(analyzer.store)
        return analyzer

    def use_settings(self, settings: FolderSettings) -> list[Document]:
        """Apply new client settings; return the open documents whose checks change."""
        self.settings = settings
        is_other = settings.general.checks != self.main.settings
        self.main.use_settings(settings.general.checks)
        moved = self.refresh_settings()
        stayed = (one for one in self._workspace if is_other and self._chosen.get(one) is self.main)
        return list(dict.fromkeys((*moved, *stayed)))

    def refresh_settings(self) -> list[Document]:
        """Look up the settings of all documents again; return the open documents whose analyzer changes."""
        before = dict(self._chosen)
        self._chosen.clear()
        changed = [one for one in self._workspace if one in before and self.of(one) is not before[one]]
        used = set(self._chosen.values())
        self._others = [analyzer for analyzer in self._others if analyzer in used]
        return changed

    def refresh(self, document: Document) -> bool:
        """Look up the settings of a document again; return whether its text names another driver."""
        before = self._chosen.pop(document, None)
        return before is not None and self.of(document) is not before

    def _settings_of(self, document: Document) -> CheckSettings:
        own = self.settings.of(document.path).checks
        project = self._linker.project_of(document)
        settings = own if project is None else own.over(CheckSettings.of_project(project))
        return settings.for_document(document)

    def _with(self, settings: CheckSettings) -> Analyzer:
        for analyzer in (self.main, *self._others):
            if analyzer.settings == settings:
                return analyzer
        analyzer = self.main.with_settings(settings, DumpStore())
        self._others.append(analyzer)
        return analyzer
