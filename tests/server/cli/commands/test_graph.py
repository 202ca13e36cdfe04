from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.server.conftest import Run
from tests.server.ide.graphs.layout import can_lay_out


def test_it_goes_to_a_file_on_demand(run: Run, tinted: Path) -> None:
    printed = run("graph", "cfg", "tinted.frag.nir")
    assert run("graph", "cfg", "tinted.frag.nir", "-o", "out.dot").out == b""
    assert (tinted / "out.dot").read_bytes() == printed.out


@pytest.mark.parametrize("kind", ["", "picture"])
def test_other_kinds_are_refused(run: Run, tinted: Path, kind: str) -> None:
    assert run("graph", kind, "tinted.frag.nir").status == 2


@pytest.mark.parametrize("kind", ["cfg", "values", "dominators", "post-dominators"])
def test_a_dump(run: Run, tinted: Path, kind: str) -> None:
    result = run("graph", kind, "tinted.frag.nir")
    assert result.status == 0
    assert result.text.startswith("digraph nirls {")


@pytest.mark.parametrize(
    "names", [("tinted.vert.nir", "tinted.frag.nir"), ("tinted.frag.nir", "tinted.vert.nir")]
)
def test_a_pipeline(run: Run, tinted: Path, names: tuple[str, str]) -> None:
    text = run("graph", "varyings", *names).text
    assert "1 VS outputs" in text
    assert "2 FS inputs" in text
    assert "->" in text


def test_a_pipeline_within_one_file(run: Run, tinted: Path) -> None:
    texts = [(tinted / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")]
    (tinted / "both.nir").write_text("\n".join(texts))
    assert "2 FS inputs" in run("graph", "varyings", "both.nir").text


def test_named_dumps_of_a_log_are_the_ones_that_are_drawn(run: Run, tinted: Path) -> None:
    texts = {stage: (tinted / f"tinted.{stage}.nir").read_text() for stage in ("vert", "frag")}
    # Two pipelines; the first fragment shader is not the one that its vertex shader is linked with.
    order = ("vert", "frag", "frag", "vert", "frag")
    (tinted / "log.txt").write_text("\n".join(texts[stage] for stage in order))
    drawn = run("graph", "varyings", "log.txt#2", "log.txt#4").text
    assert "varyings of log.txt#2 log.txt#4" in drawn
    assert "1 VS outputs" in drawn
    assert "varyings of dumps 4-5" in run("graph", "varyings", "log.txt#5").text
    for arguments, message in (
        (("log.txt#2", "log.txt#3"), "log.txt#2 and log.txt#3 are both FS"),
        (("log.txt",), "2 pipelines; name one as log.txt#1 log.txt#3 or as log.txt#4 log.txt#5"),
        (("log.txt#2",), "log.txt#2 is linked with no other stage; name one as log.txt#1"),
    ):
        result = run("graph", "varyings", *arguments)
        assert result.status == 2
        assert message in result.err


def test_one_value(run: Run, tinted: Path) -> None:
    whole = run("graph", "values", "tinted.frag.nir").text
    number = re.findall(r"%(\d+) = ", (tinted / "tinted.frag.nir").read_text())[0]
    one = run("graph", "values", "tinted.frag.nir", "--value", number).text
    assert 0 < one.count("label=") < whole.count("label=")


@pytest.mark.skipif(
    not can_lay_out(), reason="neither the program dot nor the package pygraphviz is installed"
)
def test_svg_in_a_file(run: Run, tinted: Path) -> None:
    assert run("graph", "cfg", "tinted.vert.nir", "-f", "svg", "-o", "out.svg").status == 0
    assert (tinted / "out.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cfg", "tinted.vert.nir", "tinted.frag.nir"), "which dump?"),
        (("cfg", "tinted.vert.nir", "--value", 1), "--value is for values only"),
        (("values", "tinted.vert.nir", "--value", 99999), "has no value %99999"),
        (("varyings", "tinted.vert.nir"), "linked with no other stage"),
    ],
)
def test_wrong_use(run: Run, tinted: Path, arguments: tuple[object, ...], message: str) -> None:
    result = run("graph", *arguments)
    assert result.status == 2
    assert message in result.err
