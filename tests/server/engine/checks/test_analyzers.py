"""Which analyzer checks a document, and when that is another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Severity
from nirls.server.engine.checks.analyzer import Analyzer
from nirls.server.engine.checks.analyzers import AnalyzersBySettings
from nirls.server.engine.documents.linking import Linker
from nirls.server.engine.documents.positions import Encoding
from nirls.server.engine.documents.text_document import Document, TextChange
from nirls.server.engine.documents.workspace import Workspace
from nirls.server.engine.settings.client_settings import ClientSettings, FolderSettings

DUMP = "shader: MESA_SHADER_FRAGMENT\nimpl main {\n    block b0:\n    32 %1 = fadd %7, %7\n}\n"


class Setup:
    """Two folders, each with an open document of the same text, and one that is no file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = Workspace()
        self.analyzers = AnalyzersBySettings(Analyzer(self.workspace), self.workspace, Linker(self.workspace))
        for name in ("a", "b"):
            (folder / name).mkdir()
        self.a = self.workspace.open((folder / "a" / "x.nir").as_uri(), DUMP, 1)
        self.b = self.workspace.open((folder / "b" / "x.nir").as_uri(), DUMP, 1)
        self.no_file = self.workspace.open("untitled:x", DUMP, 1)

    def use(self, **folders: object) -> list[Document]:
        sections = {self.folder / name: ClientSettings.of(section) for name, section in folders.items()}
        return self.analyzers.use_settings(FolderSettings(folders=sections))

    def severities(self, document: Document) -> set[Severity]:
        """Of what is wrong with the text of a document."""
        analyzer = self.analyzers.of(document)
        (dump,) = document.snapshot.dumps()
        state = document.state(dump.piece)
        analyzer.check_text(state)
        return {mark.severity for mark in state.problems or () if mark.code == "undefined-value"}


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    return Setup(tmp_path)


def test_one_engine_where_nothing_differs(setup: Setup) -> None:
    assert {setup.analyzers.of(one) for one in setup.workspace} == {setup.analyzers.main}
    assert setup.use(a={}, b=None) == []


def test_the_same_text_under_other_settings(setup: Setup) -> None:
    for document in setup.workspace:
        setup.severities(document)
    assert setup.use(b={"severity": {"undefined-value": "hint"}}) == [setup.b]
    assert setup.severities(setup.a) == {Severity.ERROR}
    assert setup.severities(setup.b) == {Severity.HINT}
    assert setup.severities(setup.no_file) == {Severity.ERROR}
    # And back.
    assert setup.use() == [setup.b]
    assert setup.severities(setup.b) == {Severity.ERROR}


def test_folders_with_equal_settings_share_an_engine(setup: Setup) -> None:
    off = {"passes": {"opt_varyings": False}}
    setup.use(a=off, b=dict(off))
    assert setup.analyzers.of(setup.a) is setup.analyzers.of(setup.b) is not setup.analyzers.main


def test_a_project_file_is_the_ground_that_the_client_stands_on(setup: Setup) -> None:
    setup.severities(setup.a)
    project = setup.folder / "a" / "nirls.toml"
    project.write_text('[severity]\nundefined-value = "information"\ndead-output = "off"\n')
    assert setup.use(a={"severity": {"dead-output": "error"}}) == [setup.a]
    assert setup.severities(setup.a) == {Severity.INFORMATION}
    assert setup.analyzers.of(setup.a).settings.severities["dead-output"] is Severity.ERROR
    project.unlink()
    assert setup.analyzers.refresh_settings() == [setup.a]
    assert setup.severities(setup.a) == {Severity.ERROR}
    assert setup.analyzers.refresh_settings() == []


def test_other_general_settings(setup: Setup) -> None:
    setup.severities(setup.a)
    general = ClientSettings.of({"severity": {"undefined-value": "warning"}})
    # Of the others nothing was known, so nothing is checked anew.
    assert setup.analyzers.use_settings(FolderSettings(general)) == [setup.a]
    assert setup.severities(setup.a) == setup.severities(setup.no_file) == {Severity.WARNING}


def test_what_passes_found_goes_with_the_settings(setup: Setup) -> None:
    (dump,) = setup.b.snapshot.dumps()
    setup.analyzers.of(setup.b)
    setup.b.pass_findings[dump.piece.slot] = ()
    before = setup.b.generation
    setup.use(b={"severity": {"undefined-value": "hint"}})
    assert setup.b.pass_findings == {}
    assert setup.b.generation > before


def test_the_last_snapshots_alone(setup: Setup) -> None:
    log = setup.workspace.open((setup.folder / "a" / "x.log").as_uri(), f"{DUMP}nir_opt_dce\n" * 5, 1)
    assert all(number in setup.analyzers.of(log).analyzed_dumps(log) for number in range(5))
    setup.use(a={"everySnapshot": False})
    analyzed = setup.analyzers.of(log).analyzed_dumps(log)
    assert [number for number in range(5) if number in analyzed] == [4]


def test_an_edit_that_names_another_driver(setup: Setup) -> None:
    document = setup.workspace.open("untitled:log", f"RADV\n{DUMP}", 1)
    assert setup.analyzers.of(document).settings.options["opt_varyings"]["driver"] == "radv"
    assert not setup.analyzers.refresh(document)
    document.change([TextChange(None, f"NVK\n{DUMP}")], 2, Encoding.UTF16)
    assert setup.analyzers.refresh(document)
    assert setup.analyzers.of(document).settings.options["opt_varyings"]["driver"] == "nvk"
    document.change([TextChange(None, DUMP)], 3, Encoding.UTF16)
    assert setup.analyzers.refresh(document)
    assert setup.analyzers.of(document) is setup.analyzers.main
