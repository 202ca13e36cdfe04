"""A shader as a whole: its header, its entry point, its variables."""

from __future__ import annotations

import pytest

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader, renumber
from nirls.ir.text.parse import parse_dump

OPS = (("f", "undefined"), ("g", "load_const (0x1)"))
BODY = "impl {name} {{\n    block b0:  // preds:, succs: b1\n    block b1:\n}}\n\n"


def shader(*declarations: str, head: str = "") -> Shader:
    text = "".join(
        f"decl_function {line}\n\n{BODY.format(name=line.split()[0])}" if "()" in line else f"{line}\n"
        for line in declarations
    )
    return parse_dump(f"shader: MESA_SHADER_VERTEX\n{head}{text}".encode())


def test_header_lines_are_found_by_their_key() -> None:
    found = shader("main ()", head="name: GLSL3\ninputs: 2\n")
    assert found.name == "GLSL3"
    assert found.header_value("inputs") == "2"
    assert found.header_value("outputs") is None
    assert shader("main ()").name is None
    assert [found.header_number(key) for key in ("inputs", "name", "outputs")] == [2, 3, 0]


@pytest.mark.parametrize(
    ("head", "size"),
    [
        ("workgroup_size: 8, 4, 1\n", (8, 4, 1)),
        ("workgroup-size: 64\n", (64, 1, 1)),
        ("local-size: 8, 4, 2\n", (8, 4, 2)),
        ("", (0, 0, 0)),
    ],
)
def test_the_size_of_a_workgroup_has_older_names(head: str, size: tuple[int, int, int]) -> None:
    assert shader("main ()", head=head).workgroup_size == size


@pytest.mark.parametrize(
    ("declarations", "entry"),
    [
        (("f ()", "g () (entrypoint)"), "g"),
        (("f ()", "main ()"), "main"),
        (("f ()",), "f"),
        (("f ()", "g ()"), None),
        ((), None),
    ],
)
def test_the_entry_point_is_marked_or_called_main_or_alone(
    declarations: tuple[str, ...], entry: str | None
) -> None:
    impl = shader(*declarations).entrypoint
    assert (None if impl is None else impl.function.name) == entry


def test_functions_without_a_body_are_declared_only() -> None:
    found = parse_dump(b"shader: MESA_SHADER_KERNEL\ndecl_function f (32)\n")
    assert [function.name for function in found.functions] == ["f"]
    assert list(found.impls()) == []


def test_instructions_of_all_functions() -> None:
    text = "".join(
        f"decl_function {name} ()\n\nimpl {name} {{\n    block b0:\n    32 %0 = {op}\n    block b1:\n}}\n\n"
        for name, op in OPS
    )
    found = parse_dump(f"shader: MESA_SHADER_KERNEL\n{text}".encode())
    assert [instr.kind for instr in found.instrs()] == ["undef", "load_const"]


def test_variables_by_mode() -> None:
    found = shader(
        "decl_var uniform INTERP_MODE_NONE none float u (0, 0, 0)",
        "decl_var ubo INTERP_MODE_NONE none vec4 b (0, 0, 0)",
        "decl_var uniform INTERP_MODE_NONE none float v (1, 0, 0)",
        "main ()",
    )
    assert [variable.name for variable in found.variables_of_mode("uniform")] == ["u", "v"]
    assert found.variables_of_mode("ssbo") == []


TEXT = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b4:  // preds:
    1     %30 = load_const (true)
               // succs: b6 b7
    if %30 {
        block b6:  // preds: b4
        32    %20 = load_const (0x00000001)
        // succs: b9
    } else {
        block b7:  // preds: b4, succs: b9
    }
    block b9:  // preds: b6 b7
    32    %7 = phi b6: %20, b7: %99
    32    %8 = iadd %7, %7
               // succs: b10
    block b10:
}
"""


def test_values_and_blocks_are_numbered_in_printed_order() -> None:
    shader = parse_dump(TEXT)
    renumber(shader)
    (impl,) = shader.impls()
    assert [value.index for value in impl.defs()] == [0, 1, 2, 3]
    assert [value.index for value in impl.undefined_references] == [4]
    assert [block.index for block in impl.blocks()] == [0, 1, 2, 3]
    assert impl.end_block.index == 4
    assert {pred.index for pred in impl.blocks()[3].predecessors} == {1, 2}


def test_a_shader_takes_the_contents_of_its_changed_clone() -> None:
    shader = parse_dump(
        b"shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n\nimpl main {\n"
        b"    block b0:  // preds:\n    32    %0 = load_const (0x00000000)\n"
        b"               // succs: b1\n    block b1:\n}\n"
    )
    copy = clone_shader(shader)
    next(copy.instrs()).remove()
    shader.take_contents_of(copy)
    assert list(shader.instrs()) == []
    assert shader.entrypoint is copy.entrypoint
