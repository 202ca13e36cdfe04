"""The removal of dead varyings against Mesa's own results, case by case."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from nirls.ir.io.access import AccessKind
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.varyings.dead_io_plan import DemoteAccess, plan
from nirls.passes.varyings.interface.accesses import Linkage, link
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.corpus.varying_cases import VaryingCase, count_accesses, differences, lost_accesses, read_case


@cache
def cases(folder: Path) -> dict[str, VaryingCase]:
    found = {path.name: read_case(path.read_bytes()) for path in folder.glob("*.txt")}
    assert found
    return found


def dead_cases(corpus: Path) -> dict[str, VaryingCase]:
    found = {name: case for name, case in cases(corpus / "varyings").items() if name.startswith("dead_")}
    assert len(found) > 100
    return found


def optimized(case: VaryingCase) -> list[Shader]:
    shaders = [clone_shader(shader) for shader in case.before]
    OptVaryingsDeadIo().run(shaders)
    return shaders


def test_dead_cases_end_as_in_mesa(corpus: Path) -> None:
    wrong = {
        name: messages
        for name, case in dead_cases(corpus).items()
        if (messages := differences(case, optimized(case)))
    }
    assert wrong == {}


def test_comparison_tells_cases_apart(corpus: Path) -> None:
    untouched = sum(bool(differences(case, case.before)) for case in dead_cases(corpus).values())
    assert untouched > 100


def test_progress_is_what_mesa_reports(corpus: Path) -> None:
    """Mesa's pass counts removals and replacements; that it set `no_varying` is not progress to it."""
    for name, case in dead_cases(corpus).items():
        linkage = link(*case.before)
        assert isinstance(linkage, Linkage)
        kinds = [action.access.kind for action in plan(linkage) if not isinstance(action, DemoteAccess)]
        on_consumer = AccessKind.INPUT_LOAD in kinds
        on_producer = any(kind is not AccessKind.INPUT_LOAD for kind in kinds)
        assert (name, (on_producer, on_consumer)) == (name, case.progress)


def test_nothing_is_removed_that_the_complete_pass_keeps(corpus: Path) -> None:
    wrong = {
        name: messages
        for name, case in cases(corpus / "varyings").items()
        if (messages := lost_accesses(case, optimized(case)))
    }
    assert wrong == {}


def pairs(corpus: Path) -> Iterator[tuple[str, list[Shader], list[Shader]]]:
    for folder in sorted((corpus / "pipelines").glob("*/modern")):
        for after_consumer in folder.glob("*-*.opt.*.nir"):
            stages = after_consumer.name.partition(".")[0].split("-")
            if after_consumer.name.split(".")[2] != stages[1]:
                continue
            before = [parse_dump((folder / f"{stage}.io.nir").read_bytes()) for stage in stages]
            name = f"{folder.parent.name} {'-'.join(stages)}"
            after = [
                parse_dump((folder / f"{'-'.join(stages)}.opt.{stage}.nir").read_bytes()) for stage in stages
            ]
            yield name, before, after


def test_real_pipelines_lose_nothing_that_the_complete_pass_keeps(corpus: Path) -> None:
    checked = 0
    for name, before, after in pairs(corpus):
        OptVaryingsDeadIo().run(before)
        for side, mine, theirs in zip(("producer", "consumer"), before, after, strict=True):
            assert count_accesses(mine, side) >= count_accesses(theirs, side), (name, side)
        assert OptVaryingsDeadIo().run(before) == [], f"{name}: a second run finds more"
        checked += 1
    assert checked > 20


@pytest.mark.parametrize("dialect", ["modern", "classic"])
def test_edited_dumps_of_real_pipelines_are_valid_and_done(corpus: Path, dialect: str) -> None:
    """The text after the edits reads back as a pipeline in which nothing is left to do."""
    edited = 0
    for folder in sorted((corpus / "pipelines").glob(f"*/{dialect}")):
        stages = [stage for stage in ("vert", "geom", "frag") if (folder / f"{stage}.io.nir").exists()]
        if len(stages) < 2 or (folder / "tesc.io.nir").exists():
            continue
        before = [parse_dump((folder / f"{stage}.io.nir").read_bytes()) for stage in stages]
        after = [clone_shader(shader) for shader in before]
        if not OptVaryingsDeadIo().run(after):
            continue
        texts = [
            apply_edits(old.source, text_edits(old, new)) for old, new in zip(before, after, strict=True)
        ]
        again = [parse_dump(text) for text in texts]
        for shader in again:
            assert [problem for problem in validate(shader) if problem.severity == "error"] == []
        assert OptVaryingsDeadIo().run(again) == []
        edited += 1
    assert edited > 8
