"""Whole logs of drivers: prefixes, gotos, value names, damage, levels, and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from nirls.ir.io.level import LoweringLevel, output_level
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.ir.validation import validate
from nirls.passes.cleanup.copy_prop import CopyProp
from nirls.passes.cleanup.opt_constant_folding import OptConstantFolding
from nirls.passes.cleanup.opt_cse import OptCse
from nirls.passes.cleanup.opt_dce import OptDce
from nirls.passes.cleanup.opt_dead_cf import OptDeadCf
from nirls.server.engine.documents.document import PlacedDump, Snapshot
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tools.corpus.drivers import count_log, read_logs


@dataclass(frozen=True)
class Facts:
    """Numbers of dumps in a log."""

    dumps: int
    prefixed: int = 0
    gotos: int = 0
    damaged: int = 0
    named: int = 0


LOGS = {
    "anv_dg2.mesh": Facts(10),
    "anv_skl.sub": Facts(4),
    "anv_skl.tess": Facts(8),
    "freedreno_750.cs": Facts(40, prefixed=40, damaged=1),
    "iris_tgl.tess": Facts(10),
    "iris_tgl.vf": Facts(4),
    "llvmpipe.vf": Facts(1),
    "nvk170.ty1": Facts(2, gotos=1),
    "radeonsi_navi31.cs": Facts(6),
    "radv_gfx1201.mesh": Facts(3),
    "radv_navi21_dbg.sub": Facts(1, named=1),
    "zink.tess": Facts(4),
}


def log(corpus: Path, name: str) -> bytes:
    return next(data for found, data in read_logs(corpus / "drivers") if found == f"{name}.log")


def dumps(corpus: Path, name: str) -> Iterator[tuple[PlacedDump, Shader]]:
    for dump in Snapshot.of(log(corpus, name)).dumps():
        yield dump, parse_dump(dump.piece.text)


@pytest.mark.parametrize("name", LOGS)
def test_what_a_log_holds(corpus: Path, name: str) -> None:
    found = list(dumps(corpus, name))
    shaders = [shader for _, shader in found]
    assert LOGS[name] == Facts(
        len(found),
        sum(dump.piece.hidden is not None for dump, _ in found),
        sum(shader.has_unstructured_control_flow for shader in shaders),
        sum(shader.damage is not None for shader in shaders),
        sum(any(value.name for impl in shader.impls() for value in impl.defs()) for shader in shaders),
    )
    tally = count_log(f"{name}.log", log(corpus, name), verifies=False)
    assert not tally.noted("wrong")
    assert not [note for note in tally.noted("other") if ": whole:" not in note and "con or div" not in note]


@pytest.mark.parametrize(
    "change",
    [
        lambda line: b"2024-01-01T00:00:00.000Z " + line,
        lambda line: b"[   12.345678] " + line,
        lambda line: b"01-02 03:04:05.678  1234  5678 I mesa: " + line,
        lambda line: b"\x1b[0;32m" + line + b"\x1b[0m",
        lambda line: b"Jan 02 03:04:05 host app[77]: " + line,
        lambda line: line + b"\r",
    ],
    ids=["CI", "dmesg", "logcat", "colour", "journald", "CRLF"],
)
@pytest.mark.parametrize("name", ["iris_tgl.vf", "nvk170.ty1", "zink.tess"])
def test_a_log_behind_another_logger(corpus: Path, name: str, change: object) -> None:
    assert callable(change)
    plain = [normalize(shader) for _, shader in dumps(corpus, name)]
    lines = log(corpus, name).splitlines()
    changed = b"".join(change(line) + b"\n" for line in lines)
    snapshot = Snapshot.of(changed)
    assert snapshot.text == changed
    shaders = [parse_dump(dump.piece.text) for dump in snapshot.dumps()]
    assert [normalize(shader).replace(b"\r", b"") for shader in shaders] == plain
    assert not [problem for shader in shaders for problem in validate(shader) if problem.severity == "error"]


@pytest.mark.parametrize(
    ("name", "levels"),
    [
        ("llvmpipe.vf", {LoweringLevel.VARIABLES}),
        ("radv_gfx1201.mesh", {LoweringLevel.BACKEND_IO}),
        ("zink.tess", {LoweringLevel.VARIABLES}),
    ],
)
def test_levels_of_outputs(corpus: Path, name: str, levels: set[LoweringLevel]) -> None:
    assert {output_level(shader.source, 0, 0) for _, shader in dumps(corpus, name)} - {None} == levels


def test_offsets_and_names_stay_in_a_normalized_dump(corpus: Path) -> None:
    ((_, shader),) = dumps(corpus, "radv_navi21_dbg.sub")
    text = normalize(shader)
    assert text.count(b"// 0x") == shader.source.count(b"// 0x") > 0
    again = parse_dump(text)
    names = [[value.name for impl in one.impls() for value in impl.defs()] for one in (shader, again)]
    assert names[0] == names[1]
    assert normalize(again) == text


@pytest.mark.parametrize("name", ["radv_gfx1201.mesh", "nvk170.ty1", "anv_skl.sub"])
def test_clean_up_of_driver_dumps_is_checked(corpus: Path, name: str) -> None:
    for _, shader in dumps(corpus, name):
        for declared in (OptDce, OptCse, CopyProp, OptConstantFolding, OptDeadCf):
            result = clone_shader(shader)
            if declared.applies_to([result]) and declared().run([result]):
                options = VerificationOptions(runs=1, most_runs=1, time_budget=0.5)
                assert isinstance(verify_shaders(shader, result, options), Equivalent)


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
def test_a_cut_log_keeps_its_whole_dumps(corpus: Path, part: float) -> None:
    whole = log(corpus, "iris_tgl.vf")
    cut = whole[: int(len(whole) * part)]
    texts = [dump.piece.text for dump in Snapshot.of(whole).dumps()]
    found = Snapshot.of(cut).dumps()
    for dump in found:
        shader = parse_dump(dump.piece.text)
        assert dump.piece.text in texts or shader.damage is not None or dump is found[-1]
