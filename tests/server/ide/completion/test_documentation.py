"""Texts about what can be completed."""

from __future__ import annotations

from nirls.server.ide.completion.documentation import description, documentation
from nirls.server.ide.glossary import INSTRUCTIONS


def test_texts() -> None:
    assert documentation("opcode", "fadd") == "```nir\nfadd(float, float) -> float\n```\n\nSum of two floats."
    assert documentation("intrinsic", "store_output").startswith("```nir\n@store_output(")
    assert documentation("instruction", "phi") == INSTRUCTIONS["phi"]
    assert documentation("slot", "VARYING_SLOT_POS").startswith("Position")
    assert description("opcode", "fadd") == "Sum of two floats."
    assert documentation("opcode", "nothing_of_the_kind") == documentation("other", "x") == ""
