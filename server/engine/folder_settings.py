"""Client settings: general ones, and those of each workspace folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nirls.server.engine.checking import CheckSettings
from nirls.server.engine.client_settings import check_settings_of
from nirls.server.engine.editor_settings import EditorSettings


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """One `nirls` section: settings of the checks and of the editor."""

    checks: CheckSettings = field(default_factory=CheckSettings)
    editor: EditorSettings = field(default_factory=lambda: EditorSettings({}))

    @classmethod
    def of(cls, section: object) -> ClientSettings:
        """Read the settings from a client's section of any type."""
        return cls(check_settings_of(section), EditorSettings.of(section))


@dataclass(frozen=True, slots=True)
class FolderSettings:
    """Settings by file: those of the innermost workspace folder that contains it, else the general ones."""

    general: ClientSettings = field(default_factory=ClientSettings)
    folders: Mapping[Path, ClientSettings] = field(default_factory=dict)

    def of(self, path: Path | None) -> ClientSettings:
        """Return the settings of a file; the general ones for None (a text without a file)."""
        around = [] if path is None else [folder for folder in self.folders if path.is_relative_to(folder)]
        return self.folders[max(around, key=lambda folder: len(folder.parts))] if around else self.general
