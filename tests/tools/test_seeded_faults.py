from __future__ import annotations

import random

import pytest

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import verify_unit
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store
from tests.verification.test_injected_faults import RANGE, WAIT
from tools.seeded_faults import KINDS, outcomes, seeded

POSITION = load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB")
BODY = (
    "32 %3 = load_const (0x40000000 = 2.000000)",
    "1 %4 = flt %2, %3 (2.000000)",
    "32x2 %5 = vec2 %2, %3 (2.000000)",
    "32 %6 = fsub %5.x, %5.y",
    "32 %7 = b2f32 %4",
    store("POS", "%6"),
    store("VAR0", "%7", 1),
)


DISCARDING = (
    "32 %3 = load_const (0x40000000 = 2.000000)",
    "1 %4 = flt %2, %3 (2.000000)",
    "@discard_if (%4)",
)


SAMPLED = (
    "32x2 %3 = vec2 %2, %2",
    "32x4 %4 = (float32)txl %3 (coord), %0 (lod), 0 (texture), 0 (sampler)",
    "32 %5 = mov %4.x",
    store("VAR0", "%5"),
)

SHARED = (
    "32 %3 = load_const (0x00000002)",
    "32 %4 = ishl %2, %3",
    f"@store_shared (%2, %4) {RANGE}",
    WAIT,
    "32 %5 = ixor %2, %1",
    "32 %6 = ishl %5, %3",
    "32 %7 = @load_shared (%6) (base=0, access=none, align_mul=4, align_offset=0)",
    f"@store_ssbo (%7, %0, %4) {RANGE}",
)


def log(kind: str = "") -> str:
    stage, first, body = "VERTEX", POSITION, BODY
    one, header = ONE, ()
    if kind == "another texture":
        body = SAMPLED
    if kind == "missing barrier":
        one, header = "32    %1 = load_const (0x00000001)", ("workgroup_size: 8, 1, 1", "shared_size: 32")
        stage, first, body = "COMPUTE", "32 %2 = @load_local_invocation_index", SHARED
    if kind == "wrong discard":
        stage, first, body = (
            "FRAGMENT",
            load(2, "VAR0"),
            (*DISCARDING, store("DATA0", "%2").replace("VARYING_SLOT", "FRAG_RESULT")),
        )
    texts = [("",), ("32 %8 = mov %2",), ("32 %8 = mov %1",), ("32 %8 = mov %0",)]
    plain, extra, more, last = (
        shader_text(stage, ZERO, one, first, *filter(None, added), *body, header=header) for added in texts
    )
    return f"nir_first\n{plain}nir_second\n{extra}nir_third\n{more}nir_fourth\n{last}"


@pytest.mark.parametrize("kind", KINDS)
def test_a_fault_is_in_its_snapshot_and_those_behind_and_named(kind: str) -> None:
    clean = read_log(log(kind).encode())
    choice = random.Random(4)
    found = next(one for _ in range(50) if (one := seeded(clean, kind, choice)) is not None)
    fault, text = found
    broken = read_log(text)
    same = [clean.text(number) == broken.text(number) for number in range(4)]
    assert same == [number < fault.transition.after for number in range(4)]
    transition = next(one for one in broken.transitions if one.after == fault.transition.after)
    assert verify_unit(broken.unit(transition)).verdict == "different"


def test_a_log_in_which_nothing_changes_has_no_faults() -> None:
    text = log()
    assert list(outcomes([read_log(text[: text.index("nir_second")].encode())], 5)) == []


def test_counts() -> None:
    found = list(outcomes([read_log(log().encode())], 5))
    assert [one.verdict for one in found] == ["different"] * 5
