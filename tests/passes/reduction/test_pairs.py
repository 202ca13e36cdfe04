from __future__ import annotations

import pytest

from nirls.passes.reduction.cuts import EFFECT, HEADER, KINDS, ZERO, ReductionCut, cuts_of
from nirls.passes.reduction.pairs import paired_cuts, snapshot_cuts
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


def test_all_snapshots_of_a_shader_are_cut_alike_first() -> None:
    vertex = [shader("VERTEX", ZERO_LINE, ONE, store("POS")) for _ in range(3)]
    fragment = shader("FRAGMENT", ZERO_LINE, ONE, load(2, "VAR0"))
    steps = snapshot_cuts([vertex[0], fragment, *vertex[1:]], EFFECT)
    place = cuts_of(vertex[:1], EFFECT)[0].place
    together = tuple(ReductionCut(EFFECT, number, place) for number in (0, 2, 3))
    assert steps == [together, *((one,) for one in together)]
