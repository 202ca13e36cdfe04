"""The examples of `docs/python.md` run and print what the page says."""

from __future__ import annotations

import importlib
import re
import shutil
from pathlib import Path

import pytest

import nirls
from tests.passes.shader_text import ZERO, load, shader_text, store

PROJECT = Path(__file__).resolve().parent.parent
PAGE = (PROJECT / "docs" / "python.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)


FIRST = shader_text(
    "FRAGMENT",
    ZERO,
    load(1, "VAR0"),
    "32 %2 = fsub %1, %0",
    store("DATA0", "%2").replace("VARYING_SLOT", "FRAG_RESULT"),
    header=("name: tinted",),
)
FOLDED = FIRST.replace("fsub %1, %0", "fadd %1, %0")
WRONG = FOLDED.replace("fadd", "fmul")
LOG = f"nir_lower_io\n{FIRST}nir_opt_constant_folding\n{FOLDED}nir_opt_algebraic\n{WRONG}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of the examples: a log, and folders with shaders."""
    shutil.copytree(PROJECT / "docs" / "examples", tmp_path / "examples")
    shutil.copytree(PROJECT / "tests" / "data" / "pipelines", tmp_path / "shaders")
    texts = [path.read_text() for path in sorted((tmp_path / "shaders").iterdir(), reverse=True)]
    (tmp_path / "debug.log").write_text("starting\n" + "compiled\n".join(texts))
    (tmp_path / "passes.log").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_example_shows_its_output() -> None:
    assert len(EXAMPLES) == PAGE.count("```python") == 9


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_example(folder: Path, code: str, output: str, capsys: pytest.CaptureFixture[str]) -> None:
    namespace = {"__name__": "example"}
    exec(compile(code, "docs/python.md", "exec", dont_inherit=True), namespace)
    assert capsys.readouterr().out.rstrip() == output.rstrip()


def test_the_table_lists_the_whole_api() -> None:
    table = PAGE.partition("## Names")[2]
    names = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    listed = {name for row in names for name in re.findall(r"`(\w+)`", row)}
    assert listed == set(nirls.__all__)


def test_the_reference_has_the_whole_api() -> None:
    reference = (PROJECT / "docs" / "api.md").read_text(encoding="utf-8")
    paths = re.findall(r"^::: ([\w.]+)$", reference, re.MULTILINE)
    described = {path.rpartition(".")[2] for path in paths} | {"Verdict", "__version__"}
    assert set(nirls.__all__) <= described
    for path in paths:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name)
