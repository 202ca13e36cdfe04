"""Small vertex and control shaders for the tests of the tessellation passes."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.edits import apply_edits, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.validation import validate
from nirls.verification.verdict import Equivalent, Verdict
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.shader_text import shader

ZERO = "32    %0 = load_const (0x00000000)"
ID = "32    %1 = @load_invocation_id"


def vertex(*lines: str, header: Sequence[str] = ()) -> Shader:
    """A vertex shader; `%0` is 0 and `%1` the attribute GENERIC0.x."""
    return shader("VERTEX", ZERO, attribute(1), *lines, header=header)


def control(*lines: str, vertices: int = 3, header: Sequence[str] = ()) -> Shader:
    """A control shader; `%0` is 0 and `%1` the number of the invocation."""
    return shader("TESS_CTRL", ZERO, ID, *lines, header=(f"tcs_vertices_out: {vertices}", *header))


def attribute(number: int, component: int = 0) -> str:
    return (
        f"32    %{number} = @load_input (%0) (base=0, range=1, component={component}, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC0 slots=1)"
    )


def store(
    value: str, slot: str, component: int = 0, extra: str = "", offset: str = "%0", slots: int = 1
) -> str:
    """A scalar store of a vertex shader, or to a patch output of a control shader."""
    return (
        f"@store_output ({value}, {offset}) (base=0, range=1, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{slot} slots={slots}, xfb({extra}), xfb2())"
    )


def load(
    number: int, slot: str, vertex: str = "%1", component: int = 0, offset: str = "%0", slots: int = 1
) -> str:
    """A scalar load of a control shader's input."""
    return (
        f"32    %{number} = @load_per_vertex_input ({vertex}, {offset}) (base=0, range=1,"
        f" component={component}, dest_type=float32, io location=VARYING_SLOT_{slot} slots={slots})"
    )


def out(value: str, slot: str, component: int = 0, vertex: str = "%1") -> str:
    """A scalar store of a control shader's output."""
    return (
        f"@store_per_vertex_output ({value}, {vertex}, %0) (base=0, range=1, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def names(shader: Shader) -> list[str]:
    """What a shader is made of, in order."""
    impl = shader.entrypoint
    assert impl is not None
    return [_name(instr) for instr in impl.instrs()]


def of_name(shader: Shader, name: str) -> list[IntrinsicInstr]:
    """The intrinsics of that name."""
    impl = shader.entrypoint
    assert impl is not None
    return [instr for instr in impl.instrs() if isinstance(instr, IntrinsicInstr) and instr.name == name]


def copies(shaders: Sequence[Shader]) -> list[Shader]:
    return [clone_shader(shader) for shader in shaders]


def reread(before: Sequence[Shader], after: Sequence[Shader]) -> list[Shader]:
    """The results as an editor gets them: their text, parsed again. It must be readable and valid."""
    found = []
    for old, new in zip(before, after, strict=True):
        again = parse_dump(apply_edits(old.source, text_edits(old, new)))
        assert not again.unreadable, again.unreadable
        assert [problem for problem in validate(again) if problem.severity == "error"] == []
        found.append(again)
    return found


def verdict(before: Sequence[Shader], after: Sequence[Shader]) -> Verdict:
    """What running both says, the result by way of its text."""
    return verify_shaders(before, reread(before, after))


def assert_same(before: Sequence[Shader], after: Sequence[Shader]) -> None:
    found = verdict(before, after)
    assert isinstance(found, Equivalent), str(found)


def _name(instr: Instr) -> str:
    return str(getattr(instr, "name", None) or getattr(instr, "op", None) or instr.kind)
