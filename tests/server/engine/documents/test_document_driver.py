"""The driver profile of a document, from the text of a log and from settings."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from nirls.passes import registry
from nirls.passes.varyings.interface.driver_profiles import Detected, detect_in_log
from nirls.server.engine.checks.check_settings import PASSES_WITH_DRIVER, CheckSettings
from nirls.server.engine.documents.document_driver import document_driver, driver_of
from nirls.server.engine.documents.link_status import link_statuses
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.settings.client_settings import ClientSettings
from nirls.server.engine.settings.project_file import parse_project_file
from tests.passes.shader_text import ZERO, shader_text

VERTEX, FRAGMENT = shader_text("VERTEX", ZERO), shader_text("FRAGMENT", ZERO)
LOG = f"device AMD Radeon Graphics (RADV GFX1201)\n{VERTEX}\n{FRAGMENT}"
SEPARATE = LOG.replace("_VERTEX\n", "_VERTEX\nseparate_shader: true\n")


def document(text: str) -> Document:
    return Workspace().add("a.log", text.encode(), None, is_open=True)


def test_a_log_names_its_driver() -> None:
    found = document_driver(document(LOG))
    assert found is not None
    assert found.text == "radv (the log has the word 'RADV')"
    assert document_driver(document(shader_text("VERTEX", ZERO))) is None


def test_a_text_is_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[bytes] = []

    def search(words: bytes, dumps: Iterable[bytes]) -> Detected | None:
        searched.append(words)
        return detect_in_log(words, dumps)

    monkeypatch.setattr("nirls.server.engine.documents.document_driver.detect_in_log", search)
    log, nameless = document(LOG), document(VERTEX)
    assert len({document_driver(log) for _ in range(3)}) == 1
    assert {document_driver(nameless) for _ in range(3)} == {None}
    assert len(searched) == 2
    log.change([TextChange(None, VERTEX)], 2, "utf-16")
    assert document_driver(log) is None


def test_settings_override_what_is_detected() -> None:
    log = document(LOG)
    assert driver_of(log, {}).profile.name == "radv"
    assert driver_of(log, {"driver": "radv"}).text == "radv (the log has the word 'RADV')"
    assert driver_of(log, {"driver": "iris"}).text == "iris (set)"
    assert driver_of(document(""), {}).profile.name == "generic"


def test_passes_get_the_driver_of_the_document() -> None:
    detected = CheckSettings().for_document(document(LOG))
    assert detected.options == {name: {"driver": "radv"} for name in PASSES_WITH_DRIVER}
    given = CheckSettings(options={"opt_varyings": {"driver": "iris", "max_cost": 1}}).for_document(
        document(LOG)
    )
    assert given.options["opt_varyings"] == {"driver": "iris", "max_cost": 1}
    assert given.options["link_potential"] == {"driver": "radv"}


def test_all_passes_with_the_option_get_it() -> None:
    takers = {
        one.name for one in registry.all_passes() if any(option.name == "driver" for option in one.options())
    }
    assert takers == set(PASSES_WITH_DRIVER)


def test_project_file_and_editor_settings() -> None:
    project = parse_project_file('driver = "nvk"\n', Path("nirls.toml"))
    assert CheckSettings.of_project(project).options["opt_varyings"] == {"driver": "nvk"}
    wrong = parse_project_file('driver = "nv"\n', Path("nirls.toml"))
    assert wrong.driver == "detect"
    assert "must be one of detect, generic, radeonsi" in str(wrong.problems[0])
    assert ClientSettings.of({"driver": "zink"}).checks.options["opt_varyings"] == {"driver": "zink"}
    assert ClientSettings.of({"driver": "detect"}).checks == CheckSettings()
    assert ClientSettings.of({"driver": "nv"}).checks == CheckSettings()


def test_status_of_links() -> None:
    workspace = Workspace()
    log = workspace.open(
        "file:///nowhere/a.log",
        SEPARATE,
        1,
    )
    pipelines = Linker(workspace).pipelines_of(log)
    first, _ = link_statuses(log, pipelines, driver_of(log, {}))
    assert first.text(log.uri) == (
        "linked with FS (dump 2) (sequence); driver profile radv (the log has the word 'RADV')"
    )
    first, _ = link_statuses(log, pipelines, driver_of(log, {"driver": "generic"}))
    assert first.text(log.uri) == (
        "linked with FS (dump 2) (sequence); a separate shader: its varyings are not optimized"
    )
