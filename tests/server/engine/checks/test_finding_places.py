"""Narrow places of findings, and the merging of findings that state the same."""

from __future__ import annotations

import pytest

from nirls.ir.finding import Finding, Fix, FixRequest, Place, Related, Severity
from nirls.server.engine.checks.finding_places import merged, narrow, narrowed


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (b"32x4  %3 = @load_deref (%2) (access=none)", b"@load_deref"),
        (b"@store_output (%0 (0.0), %1 (0x0)) (base=0, io location=VAR1)", b"@store_output"),
        (b"vec1 32 con ssa_0 = intrinsic load_input (ssa_1) (base=0)", b"load_input"),
        (b"intrinsic store_output (ssa_0, ssa_1) (base=0)", b"store_output"),
        (b"vec1 32 ssa_0 = load_const (0x00000000 = 0.000000)", b"load_const"),
        (b"r0.xy = fadd.sat -ssa_3, abs(ssa_4)", b"fadd.sat"),
        (b"32x4 %5 = (float32)tex %4 (coord), 0 (texture)", b"tex"),
        (b"32    %7 = phi b1: %2, b2: %3", b"phi"),
        (b"if %5 {", b"if"),
        (b"decl_var shader_out none vec4 out@VAR1 (VARYING_SLOT_VAR1.xyzw, 0, 0)", b"VARYING_SLOT_VAR1.xyzw"),
        (b"decl_var shader_temp none vec4 color", b"color"),
        # Already narrow, or not an instruction.
        (b"%5", b"%5"),
        (b"shader: MESA_SHADER_VERTEX", b"shader: MESA_SHADER_VERTEX"),
        (b"error: bad type", b"error: bad type"),
    ],
)
def test_the_place_of_an_instruction_is_its_opcode(text: bytes, word: bytes) -> None:
    before = b"    "
    place = narrow(Place(0, len(before), len(before) + len(text)), [before + text + b"\n}"])
    assert (before + text)[place.start : place.end] == word


def finding(start: int, message: str = "m", part: str = "", **named: str) -> Finding:
    fixes = (Fix("t", FixRequest("p", "", "pass", part=part)),)
    code = named.get("code", "c")
    return Finding(
        code, Severity.HINT, Place(0, start, start + 2), message, named.get("of", "p"), fixes=fixes
    )


def test_findings_that_state_and_offer_the_same_are_one() -> None:
    first, *others = merged([finding(0), finding(4), finding(8, "other"), finding(12, part="its own")], [b""])
    assert first.related == (Related(Place(0, 4, 6), "the same here"),)
    assert [one.place.start for one in others] == [8, 12]


def test_errors_are_merged_only_for_one_value() -> None:
    text = b"%9 %9 fa fa"
    found = merged([finding(start, of="") for start in (0, 3, 6, 9)], [text])
    assert [one.place.start for one in found] == [0, 6, 9]


def test_a_line_that_cannot_be_read_is_marked_as_a_whole() -> None:
    text = b"fadd nonsense here"
    wide = Finding("syntax", Severity.ERROR, Place(0, 0, len(text)), "not a NIR instruction")
    assert list(narrowed([wide], [text])) == [wide]
