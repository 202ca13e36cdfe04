"""A fix that is offered changes the text, and what it writes is a valid dump."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from nirls.ir.finding import FixRequest, Severity
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.passes.declaration import Pass
from nirls.passes.registry import all_passes, find
from nirls.verification.random_shaders.patches import random_patch
from nirls.verification.random_shaders.registers import random_register_shader
from nirls.verification.random_shaders.shaders import random_shader
from tools.corpus.varying_cases import read_case

STAGES = ("vert", "tesc", "tese", "geom", "frag", "comp")
MOST_UNITS = 80
"""Pipelines and dumps that each pass is asked about."""

MOST_OF_A_CODE = 3
"""Fixes of each code that are carried out."""

LARGEST = 25_000
"""Bytes of a dump."""

SAMPLED = {
    "opt_varyings_dead_io": {"dead-output", "io-not-lowered", "undefined-input"},
    "opt_varyings": {"duplicate-output", "movable-expression", "packing", "propagatable-output"},
    "opt_barriers": {"needless-barrier"},
    "opt_discard_if": {"conditional-discard"},
    "opt_move_discards_to_top": {"movable-discard"},
    "restructure_tcs_flow": {"culled-patch-work"},
    "inline_vs_in_tcs": {"inlinable-vertex-shader"},
    "inline_uniforms": {"inlinable-uniform"},
    "lower_vec_and_coalesce": {"coalescable-vector"},
    "lower_dynamic_bo_access": {"dynamic-block-index"},
    "opt_loop_unroll": {"unrollable-loop"},
    "clean_up": {"dead-value", "foldable-constant"},
}
"""Codes of which the sample has fixes."""

Unit = Sequence[Shader]


def parsed(paths: Sequence[Path]) -> list[Shader]:
    return [parse_dump(path.read_bytes()) for path in paths]


def pipelines(corpus: Path, data: Path) -> Iterator[Unit]:
    for folder in (corpus / "pipelines").glob("*/*"):
        paths = [path for stage in STAGES if (path := folder / f"{stage}.io.nir").exists()]
        if len(paths) > 1 and sum(path.stat().st_size for path in paths) < LARGEST:
            yield parsed(paths)
    for path in random.Random(17).sample(sorted((corpus / "varyings").iterdir()), 20):
        yield read_case(path.read_bytes()).before
    yield from (random_patch(number) for number in range(100, 106))
    vertex = data / "pipelines" / "tinted.vert.nir"
    yield parsed([vertex, vertex.with_name("tinted.frag.nir")])


def dumps(corpus: Path, data: Path) -> Iterator[Unit]:
    paths = [*(corpus / "pipelines").glob("*/*/*.*.nir"), *(data / "pipelines").glob("*.nir")]
    small = sorted(path for path in paths if "-" not in path.name and path.stat().st_size < LARGEST)
    for path in (*random.Random(17).sample(small, 40), *(corpus / "old").iterdir()):
        yield parsed([path])
    yield from ([random_shader(number)] for number in range(40))
    yield from (patch[1:2] for patch in map(random_patch, range(100, 106)))


@cache
def units(scope: str, corpus: Path, data: Path) -> list[Unit]:
    found = sorted(
        (pipelines if scope == "pipeline" else dumps)(corpus, data),
        key=lambda unit: unit[0].source,
    )
    random.Random(17).shuffle(found)
    return found


def errors(shader: Shader) -> Counter[str]:
    return Counter(one.code for one in validate(shader) if one.severity is Severity.ERROR)


def assert_fix_makes_valid_text(unit: Unit, request: FixRequest, title: str) -> None:
    declared = find(request.pass_name)
    assert declared is not None
    changed = declared().fix(unit, request)
    made = [(change.before, text_edits(change.before, change.after)) for change in changed]
    assert any(edits for _, edits in made), f"no edit: {title}"
    for before, edits in made:
        after = parse_dump(apply_edits(before.source, edits))
        assert len(after.unreadable) <= len(before.unreadable), title
        assert not errors(after) - errors(before), title


def asked(declared: type[Pass], corpus: Path, data: Path) -> list[Unit]:
    if declared.name == "lower_vec_and_coalesce":
        return [[random_register_shader(number)] for number in range(6)]
    return [unit for unit in units(declared.scope, corpus, data) if declared.applies_to(unit)][:MOST_UNITS]


@pytest.mark.parametrize("declared", all_passes(), ids=lambda declared: declared.name)
@pytest.mark.sweep
def test_every_fix_that_is_offered_has_an_edit_and_makes_valid_text(
    declared: type[Pass], corpus: Path, data: Path
) -> None:
    one, seen = declared(), Counter[str]()
    for unit in asked(declared, corpus, data):
        for finding in one.find(unit):
            for fix in finding.fixes:
                if seen[finding.code] < MOST_OF_A_CODE:
                    seen[finding.code] += 1
                    assert_fix_makes_valid_text(unit, fix.request, f"{finding.code}: {fix.title}")
    assert SAMPLED.get(declared.name, set()) <= set(seen)
