from __future__ import annotations

from pathlib import Path

import pytest

from nirls.server.cli.errors import CommandError
from nirls.server.cli.named_dumps import files_with_dumps
from nirls.server.cli.opening import opened, project_for


def test_partners_are_context(tinted: Path) -> None:
    alone = opened(["tinted.frag.nir"], None)
    linked = opened(["tinted.frag.nir"], None, partners=True)
    assert [document.uri for document in alone.documents.values()] == ["tinted.frag.nir"]
    assert [document.is_open for document in linked.documents.values()] == [True, False]


def test_the_nearest_project_file_applies_unless_one_is_named(
    tinted: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("nirls.toml").write_text("")
    Path("other.toml").write_text("nonsense = 1\n")
    inputs = files_with_dumps(["tinted.frag.nir"])
    nearest, named = project_for(inputs, None), project_for(inputs, Path("other.toml"))
    assert nearest is not None
    assert nearest.path.name == "nirls.toml"
    assert named is not None
    assert "nirls: other.toml: " in capsys.readouterr().err


def test_a_project_file_that_is_missing_is_wrong_use(tinted: Path) -> None:
    with pytest.raises(CommandError, match="no such file"):
        project_for([], Path("missing.toml"))
