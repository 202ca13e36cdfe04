"""Fragments that end, and fragments that go on without effect."""

from __future__ import annotations

import pytest

from nirls.verification.evaluate.surroundings.result import OutputKey
from tests.verification.evaluate.shader_text import DATA0, run, shader_of, store

TEXT = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = @load_frag_coord
    32     %2 = f2u32 %1.x
    32     %3 = load_const (0x00000001)
    32     %4 = iand %2, %3 (0x1)
    1      %5 = ine %4, %0 (0x0)
                @END
    1      %6 = @is_helper_invocation
    32     %7 = b2i32 %6
                @store_ssbo (%3 (0x1), %0 (0x0), %4) (wrmask=x, access=none, align_mul=4, align_offset=0)
    32     %8 = @quad_swap_horizontal (%7)
{store("8", "0", "FRAG_RESULT_DATA0")}
                // succs: b99"""


@pytest.mark.parametrize("end", ["terminate_if (%5)", "discard_if (%5)", "demote_if (%5)"])
def test_half_of_the_fragments_have_no_effect(end: str) -> None:
    result = run(shader_of(TEXT.replace("END", end), "FRAGMENT"))
    odd = [False, True] * 4
    assert result.discarded.tolist() == odd
    assert result.outputs[OutputKey(DATA0, 0)].written[:, 0].tolist() == [not ended for ended in odd]
    assert list(result.memory) == [("ssbo", 0, 0)]


def test_a_demoted_fragment_still_helps_and_knows_that() -> None:
    plane = run(shader_of(TEXT.replace("END", "demote_if (%5)"), "FRAGMENT")).outputs[OutputKey(DATA0, 0)]
    assert plane.bits[::2, 0].tolist() == [1] * 4
    assert not plane.poison[::2].any()


def test_whether_it_helps_may_be_a_boolean_of_32_bits() -> None:
    text = TEXT.replace("END", "demote_if (%5)").replace("1      %6", "32     %6").replace("b2i32", "mov")
    plane = run(shader_of(text, "FRAGMENT")).outputs[OutputKey(DATA0, 0)]
    assert plane.bits[::2, 0].tolist() == [0xFFFFFFFF] * 4


def test_all_end() -> None:
    result = run(shader_of(TEXT.replace("END", "terminate"), "FRAGMENT"))
    assert result.discarded.all()
    assert result.memory == {}
    assert result.outputs == {}
