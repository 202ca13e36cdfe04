"""Rendered lines are values."""

from __future__ import annotations

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.shader import Dialect, Function, HeaderField, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Src
from nirls.ir.text.printing.lines import LineKind, RenderedLine, layout


def kinds(shader: Shader, dialect: Dialect) -> list[tuple[str, int]]:
    return [(slot.kind.name, slot.depth) for slot in layout(shader, dialect)]


def shader_with_loop() -> Shader:
    function = Function("main")
    impl = function.impl = FunctionImpl(function)
    branch, loop = If(Src(Def(0, 1, 1))), Loop()
    inside = Block(2)
    inside.append(JumpInstr("break"))
    branch.then_body, branch.else_body = [Block(1)], [inside]
    loop.body, loop.continue_body = [branch], [Block(3)]
    impl.body = [Block(0), loop, Block(4)]
    return Shader(Stage.COMPUTE, header=[HeaderField("shader", "COMPUTE")], functions=[function])


def test_modern_lines() -> None:
    assert kinds(shader_with_loop(), Dialect.MODERN) == [
        ("HEADER", 0),
        ("FUNCTION", 0),
        ("BLANK", 0),
        ("IMPL", 0),
        ("BLOCK", 1),
        ("LOOP", 1),
        ("IF", 2),
        ("BLOCK", 3),
        ("ELSE", 2),
        ("BLOCK", 3),
        ("INSTR", 3),
        ("SUCCESSORS", 3),
        ("END", 2),
        ("CONTINUE", 1),
        ("BLOCK", 2),
        ("END", 1),
        ("BLOCK", 1),
        ("END_BLOCK", 1),
        ("END", 0),
    ]


def test_older_dumps_state_the_edges_of_every_block() -> None:
    found = [kind for kind, _ in kinds(shader_with_loop(), Dialect.CLASSIC)]
    assert found.count("BLOCK") == found.count("PREDECESSORS") == found.count("SUCCESSORS") == 5


def test_functions_are_parted_by_an_empty_line() -> None:
    shader = shader_with_loop()
    shader.functions += [Function("declared"), Function("last")]
    assert [kind for kind, _ in kinds(shader, Dialect.MODERN)][-4:] == [
        "END",
        "BLANK",
        "FUNCTION",
        "FUNCTION",
    ]


def test_lines_know_their_block() -> None:
    slots = list(layout(shader_with_loop(), Dialect.MODERN))
    assert all((slot.block is not None) == (slot.kind in IN_A_BLOCK) for slot in slots)


IN_A_BLOCK = (LineKind.BLOCK, LineKind.INSTR, LineKind.SUCCESSORS, LineKind.PREDECESSORS)


def test_lines_of_the_same_node_and_text_are_equal() -> None:
    field = HeaderField("name", "a")
    assert RenderedLine(LineKind.HEADER, field, "name: a") == RenderedLine(LineKind.HEADER, field, "name: a")
    assert len({kind.value for kind in LineKind}) == len(LineKind)
