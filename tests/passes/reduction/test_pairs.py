from __future__ import annotations

import pytest

from nirls.passes.reduction.cuts import EFFECT, HEADER, KINDS, ZERO, ReductionCut
from nirls.passes.reduction.pairs import paired_cuts
from tests.passes.shader_text import ONE, load, shader, store
from tests.passes.shader_text import ZERO as ZERO_LINE

LOAD = load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB")


@pytest.mark.parametrize("kind", KINDS)
def test_equal_shaders_are_cut_alike(kind: str) -> None:
    lines = (ZERO_LINE, ONE, LOAD, "32 %3 = fadd %2, %1", store("POS", "%3"))
    shaders = [shader("VERTEX", *lines, header=("name: a",)) for _ in range(2)]
    assert all(one.place == other.place for one, other in paired_cuts(shaders, kind))


def test_instructions_correspond_under_other_numbers() -> None:
    before = shader("VERTEX", ZERO_LINE, ONE, LOAD, "32 %3 = fadd %2, %1", store("POS", "%3"))
    after = shader(
        "VERTEX", ZERO_LINE, LOAD, ONE, "32 %9 = mov %1", "32 %7 = fadd %2, %1", store("POS", "%7")
    )
    assert (ReductionCut(ZERO, 0, 3), ReductionCut(ZERO, 1, 4)) in paired_cuts([before, after], ZERO)
    assert paired_cuts([before, after], EFFECT) == [(ReductionCut(EFFECT, 0, 4), ReductionCut(EFFECT, 1, 5))]


def test_outputs_correspond_by_place_and_headers_by_key() -> None:
    before = shader("VERTEX", ZERO_LINE, ONE, store("POS"), store("VAR0"), header=("name: a", "outputs: 2"))
    after = shader("VERTEX", ZERO_LINE, ONE, store("VAR0"), header=("outputs: 1",))
    assert paired_cuts([before, after], EFFECT) == [(ReductionCut(EFFECT, 0, 3), ReductionCut(EFFECT, 1, 2))]
    assert len(paired_cuts([before, after], HEADER)) == 1
