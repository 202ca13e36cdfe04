"""Steps to another print can be combined."""

from __future__ import annotations

from pathlib import Path

from nirls.ir.model.shader import Dialect
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import Printable, converted, marked, renumbered

DATA = Path(__file__).resolve().parents[3] / "data"


def test_renumbered_converted_and_marked() -> None:
    printable = Printable.of(parse_dump((DATA / "edited.frag.nir").read_bytes()))
    printable = renumbered(printable)
    printable = marked(printable, lambda value: value.index > 3, lambda block: False, lambda loop: False)
    text = converted(printable, Dialect.CLASSIC).text().decode()
    assert "\tvec1 32 con ssa_3 = load_const (0x3f800000 = 1.000000)\n" in text
    assert "\tvec1 32 div ssa_4 = fadd ssa_1, ssa_3  // mine\n" in text


def test_the_original_is_not_touched() -> None:
    shader = parse_dump((DATA / "edited.frag.nir").read_bytes())
    printable = Printable.of(shader)
    assert printable.shader is not shader
    assert list(printable.remarks.values()) == ["// mine"]
