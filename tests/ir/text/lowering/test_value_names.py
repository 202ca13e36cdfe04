"""Names of debug info belong to values."""

import pytest

from nirls.ir.model.instructions import AluInstr
from nirls.ir.text.edits import print_shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.normalize import normalize
from nirls.ir.validation import validate

# As RADV_DEBUG=nirdebuginfo prints it.
DUMP = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    block b0:     // preds:
    // 0x0b48
    32x4    %0.t = undefined
    // 0x0b60
    32      %1.k = load_const (0x3f800000 = 1.000000)
    32x2    %2.mc.a = vec2 %0.t.w, %1.k (1.000000)
    32      %3 = fadd %2.mc.a.y, %0.t.x
    32      %4 = fadd %3, %1.k (1.000000)
                  // succs: b1
    block b1:
}
"""


def test_definitions_have_names_and_sources_swizzles() -> None:
    shader = parse_dump(DUMP)
    assert validate(shader) == []
    (impl,) = shader.impls()
    assert [value.name for value in impl.defs()] == ["t", "k", "mc.a", None, None]
    swizzles = {
        instr.def_.index: [src.swizzle for src in instr.sources]
        for instr in impl.instrs()
        if isinstance(instr, AluInstr) and instr.def_ is not None
    }
    assert swizzles == {2: [(3,), (0,)], 3: [(1,), (0,)], 4: [(0,), (0,)]}


@pytest.mark.parametrize("name", ["x", "color", "pan", "light.color[2]", "@entry", "v.xy"])
def test_a_name_may_look_like_a_swizzle(name: str) -> None:
    shader = parse_dump(DUMP.replace(b".k ", f".{name} ".encode()))
    assert validate(shader) == []
    (impl,) = shader.impls()
    assert [value.name for value in impl.defs()][1] == name


def test_names_are_printed() -> None:
    shader = parse_dump(DUMP)
    assert print_shader(shader) == DUMP
    text = normalize(shader)
    again = parse_dump(text)
    assert validate(again) == []
    assert [value.name for impl in again.impls() for value in impl.defs()] == ["t", "k", "mc.a", None, None]
    for instr in shader.entrypoint.instrs():  # type: ignore[union-attr]
        if instr.def_ is not None and instr.def_.name == "k":
            instr.def_.name = "gain"
    assert b"fadd %3, %1.gain (1.000000)" in print_shader(shader)


def test_a_function_without_a_name() -> None:
    text = DUMP.replace(b"decl_function main", b"decl_function (null)").replace(b"impl main", b"impl (null)")
    shader = parse_dump(text)
    assert validate(shader) == []
    assert [function.name for function in shader.functions] == ["(null)"]
    assert shader.entrypoint is not None
    assert print_shader(shader) == text


LINE = b"    32      %3 = fadd %2.mc.a.y, %0.t.x\n"


@pytest.mark.parametrize(
    ("text", "is_message"),
    [
        (b"Unhandled ALU op: fadd\n\n", True),
        (b"unsupported ALU op: fadd\n\n\n", True),
        (b"Unhandled ALU op: fadd\n", False),
        (b"this sum is wrong\n\n", False),
        (b"32 %5 = fadd %3,\n\n", False),
        (b"fadd\n\n", False),
    ],
)
def test_a_message_of_the_driver_below_an_instruction(text: bytes, is_message: bool) -> None:
    shader = parse_dump(DUMP.replace(LINE, LINE + text))
    message = text.decode().strip()
    notes = [(note.message, note.instr_span is not None) for note in shader.annotations]
    assert notes == ([(message, True)] if is_message else [])
    assert [line.text for line in shader.unreadable] == ([] if is_message else [message])


def test_a_message_of_the_driver_behind_an_instruction() -> None:
    line = LINE.rstrip()
    shader = parse_dump(DUMP.replace(line, line + b" Unhandled ALU op: fadd\n"))
    assert shader.unreadable == []
    assert [note.message for note in shader.annotations] == ["Unhandled ALU op: fadd"]
