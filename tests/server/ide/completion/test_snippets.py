"""What is inserted with its holes can be read again, in every dialect and for every intrinsic."""

from __future__ import annotations

import re

import pytest

from nirls.ir.model.shader import Dialect
from nirls.ir.model.stage import Stage
from nirls.ir.tables import intrinsic_names
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.release import RELEASES_OF_DIALECT, intrinsic_of
from nirls.server.ide.completion.snippets import intrinsic_snippet, opcode_snippet, without_holes

_HOLE = re.compile(r"\$\{\d+:((?:[^\\}]|\\.)*)\}|\$(\d+)")


def filled(snippet: str, value: str, sources: int) -> str:
    """The snippet with its first holes, the sources, filled with a value, and the rest as proposed."""
    texts: dict[int, str] = {}

    def fill(match: re.Match[str]) -> str:
        if match[2] is not None:
            return texts.get(int(match[2]), "")
        number = int(match[0][2 : match[0].index(":")])
        texts[number] = value if number <= sources else match[1]
        return texts[number]

    return re.sub(r"\\(.)", r"\1", _HOLE.sub(fill, snippet))


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_intrinsic_can_be_read(dialect: Dialect) -> None:
    modern = dialect is Dialect.MODERN
    value = "%0" if modern else "ssa_0"
    constant = "    32  %0 = load_const (0x0)" if modern else "\tvec1 32 ssa_0 = load_const (0x0)"
    dest = "    32  %1 = " if modern else "\tvec1 32 ssa_1 = intrinsic "
    lines = []
    names = list(intrinsic_names(RELEASES_OF_DIALECT[dialect]))
    for name in names:
        entry = intrinsic_of(name, dialect)
        assert entry is not None
        text = filled(intrinsic_snippet(name, dialect, Stage.VERTEX), value, len(entry.src_components))
        start = dest if entry.has_dest else ("    " if modern else "\tintrinsic ")
        lines.append(f"{start}{text}")
    head = ["shader: MESA_SHADER_VERTEX", "impl main {", "    block b0:" if modern else "\tblock block_0:"]
    source = "\n".join([*head, constant, *lines, "}", ""]).encode()
    shader = parse_dump(source)
    assert shader.dialect is dialect
    assert [line.text for line in shader.unreadable] == []
    assert [instr.name for instr in shader.entrypoint.instrs() if hasattr(instr, "name")] == names  # type: ignore[union-attr]


def test_opcodes() -> None:
    assert opcode_snippet("ffma") == "ffma ${1:src0}, ${2:src1}, ${3:src2}$0"
    assert opcode_snippet("nothing_of_the_kind") == "nothing_of_the_kind"
    assert without_holes(opcode_snippet("ffma")) == "ffma "
    assert without_holes("a \\$b ${1:c}") == "a $b "


def test_the_stage_decides_the_slot() -> None:
    fragment = intrinsic_snippet("store_output", Dialect.MODERN, Stage.FRAGMENT)
    assert "io location=${8:FRAG_RESULT_DATA0} slots=1" in fragment
    assert "VARYING_SLOT_VAR0" in intrinsic_snippet("store_output", Dialect.MODERN, Stage.VERTEX)
    assert "VERT_ATTRIB_GENERIC0" in intrinsic_snippet("load_input", Dialect.MODERN, Stage.VERTEX)
