"""Fresh prints equal what Mesa printed, byte for byte, over the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.model.shader import Dialect, Function, Shader, Variable
from nirls.ir.model.values import Register
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.text.printing import LineKind, PrintStyle, fresh, render
from nirls.ir.text.printing.render import function_text, register_text, variable_text


@pytest.mark.parametrize(
    "line",
    [
        "decl_var shader_in INTERP_MODE_NONE none vec2 uv (VARYING_SLOT_VAR0.xy, 0, 0)",
        "decl_var patch shader_out INTERP_MODE_NONE none vec4[3] p (VARYING_SLOT_PATCH0.xyzw, 0, 0)",
        "decl_var shader_out INTERP_MODE_NONE none float[1] .c (VARYING_SLOT_CLIP_DIST0.x, 0, 0) compact",
        "decl_var shader_out INTERP_MODE_NONE none gl_PerVertex  (VARYING_SLOT_POS, 0, 0)",
        "decl_var system INTERP_MODE_NONE none int gl_VertexID (SYSTEM_VALUE_VERTEX_ID)",
        "decl_var ssbo INTERP_MODE_NONE restrict readonly Block b (~0, 0, 3)",
        "decl_var image INTERP_MODE_NONE restrict writeonly r32_float image2D img (0, 0, 1)",
        "decl_var uniform INTERP_MODE_NONE none mediump vec4 c (0, 0, 0)",
        "decl_var shared INTERP_MODE_NONE none uint counter",
        "decl_var  INTERP_MODE_NONE none vec4 k = { 1.000000, 0.000000, 0.000000, 1.000000 }",
    ],
)
def test_variables(line: str) -> None:
    shader = parse_dump(f"shader: MESA_SHADER_VERTEX\n{line}\n".encode())
    assert variable_text(shader.variables[0], PrintStyle.of(shader)) == line


def test_no_access_has_a_word_in_modern_dumps_only() -> None:
    variable = Variable("x", "uniform", "float", location="0", data=("0", "0"))
    modern = variable_text(variable, PrintStyle.default(Dialect.MODERN))
    assert modern == "decl_var uniform INTERP_MODE_NONE none float x (0, 0, 0)"
    variable.access = ("none",)
    classic = variable_text(variable, PrintStyle.default(Dialect.CLASSIC))
    assert classic == "decl_var uniform INTERP_MODE_NONE float x (0, 0, 0)"


def test_registers() -> None:
    assert register_text(Register(3, 4, 32)) == "decl_reg vec4 32 r3"
    assert register_text(Register(3, 1, 16, 8)) == "decl_reg vec1 16 r3[8]"


def test_functions() -> None:
    assert function_text(Function("main", text=" () (entrypoint)\n")) == "decl_function main () (entrypoint)"


DATA = Path(__file__).resolve().parents[3] / "data"

# Every n-th file of each kind; `make corpus` goes through all of them.
KINDS = (
    ("pipelines/*/modern/*.nir", 9),
    ("pipelines/*/classic/*.nir", 9),
    ("varyings/*.txt", 20),
    ("logs/*_small.log", 1),
)


@pytest.mark.parametrize(("pattern", "step"), KINDS)
def test_dumps_are_printed_as_mesa_prints_them(corpus: Path, pattern: str, step: int) -> None:
    shaders: list[Shader] = []
    for path in sorted(corpus.glob(pattern))[::step]:
        shaders += parse_shaders(path.read_bytes())
    assert shaders
    for shader in shaders:
        assert fresh(shader) == shader.source


def test_dumps_of_2020_are_printed_as_mesa_printed_them(shared: Path) -> None:
    paths = sorted(shared.glob("corpus/old/*.nir"))
    assert paths
    for path in paths:
        (shader,) = parse_shaders(path.read_bytes())
        assert fresh(shader) == shader.source


@pytest.mark.parametrize("name", ["registers.old.nir", "edited.frag.nir"])
def test_samples_print_the_same_again(name: str) -> None:
    printed = fresh(parse_dump((DATA / name).read_bytes()))
    assert fresh(parse_dump(printed)) == printed


def test_each_line_knows_what_it_prints() -> None:
    shader = parse_dump((DATA / "edited.frag.nir").read_bytes())
    lines = render(shader)
    impl = shader.entrypoint
    assert impl is not None
    assert [line.node for line in lines if line.kind is LineKind.INSTR] == list(impl.instrs())
    assert [line.text for line in lines if line.kind is LineKind.END] == ["}"]
    assert lines[0].node is shader.header[0]


def test_lines_without_a_value_start_behind_the_equals_sign() -> None:
    shader = parse_dump((DATA / "edited.frag.nir").read_bytes())
    lines = [line.text for line in render(shader)]
    column = next(line.index("= ") + 2 for line in lines if "load_const" in line)
    assert all(line.index("@store") == column for line in lines if "@store" in line)
    assert all(line.index("//") == column for line in lines if "succs:" in line)


def test_a_shader_made_by_hand_has_a_style() -> None:
    shader = parse_dump((DATA / "edited.frag.nir").read_bytes())
    text = fresh(shader)
    shader.source = b""
    assert fresh(shader, PrintStyle.of(shader)).split() == text.split()


@pytest.mark.sweep
def test_indentation_does_not_grow_without_end() -> None:
    depth = 5000
    text = (
        b"shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {\n"
        b"    block b0:  // preds:\n    1 %0 = load_const (true)\n"
        + b"if %0 {\nblock b1:  // preds: b0\n" * depth
        + b"} else {\nblock b2:  // preds: b1\n}\n" * depth
        + b"}\n"
    )
    assert len(fresh(parse_dump(text))) < 6 * depth * 500
