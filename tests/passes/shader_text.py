"""Small shaders for tests, written as the lines of their one block."""

from __future__ import annotations

from collections.abc import Sequence

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump


def shader(stage: str, *lines: str, header: Sequence[str] = ()) -> Shader:
    """A modern dump of a stage (`VERTEX`), parsed; every line must be readable."""
    parsed = parse_dump(shader_text(stage, *lines, header=header).encode())
    assert not parsed.unreadable, parsed.unreadable
    return parsed


def shader_text(stage: str, *lines: str, header: Sequence[str] = ()) -> str:
    body = "".join(f"    {line}\n" for line in lines)
    fields = "".join(f"{line}\n" for line in header)
    return (
        f"shader: MESA_SHADER_{stage}\n{fields}decl_function main () (entrypoint)\n\nimpl main {{\n"
        f"    block b0:  // preds:\n{body}               // succs: b1\n    block b1:\n}}\n"
    )


ZERO = "32    %0 = load_const (0x00000000 = 0.000000)"
ONE = "32    %1 = load_const (0x3f800000 = 1.000000)"


def store(
    slot: str, value: str = "%1 (1.000000)", component: int = 0, extra: str = "", name: str = "store_output"
) -> str:
    """A scalar 32-bit store with transform feedback unless `extra` says otherwise."""
    vertex = ", %0 (0x0)" if "per_vertex" in name else ""
    flags, _, xfb = extra.partition("|")
    return (
        f"           @{name} ({value}{vertex}, %0 (0x0)) (base=0, range=0, wrmask=x, component={component},"
        f" src_type=float32, io location=VARYING_SLOT_{slot} slots=1{flags}, xfb({xfb}), xfb2())"
    )


def uniform_varying() -> str:
    """A linked pair whose varying is a uniform: cost 2, more than the driver profile of iris moves."""
    uniform = (
        "decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",
        "32    %1 = deref_var &u (uniform vec4)",
        "32x4  %2 = @load_deref (%1) (access=none)",
        "32    %3 = mov %2.x",
    )
    vertex = shader_text("VERTEX", ZERO, *uniform[1:], store("VAR0", "%3"), header=uniform[:1])
    return vertex + shader_text("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))


def load(number: int, slot: str, component: int = 0, name: str = "load_input", extra: str = "") -> str:
    """A scalar 32-bit load."""
    vertex = "%0 (0x0), " if "per_vertex" in name else ""
    return (
        f"32    %{number} = @{name} ({vertex}%0 (0x0)) (base=0, range=1, component={component},"
        f" dest_type=float32, io location=VARYING_SLOT_{slot} slots=1{extra})"
    )


def use(value: str) -> str:
    """Something that reads a value and stays."""
    return (
        f"           @store_ssbo ({value}, %0 (0x0), %0 (0x0))"
        " (wrmask=x, access=none, align_mul=4, align_offset=0)"
    )


def intrinsic_names(parsed: Shader) -> list[str]:
    return [
        instr.name for impl in parsed.impls() for instr in impl.instrs() if isinstance(instr, IntrinsicInstr)
    ]


def printed_kinds(parsed: Shader) -> list[str]:
    """The kind of each instruction, the name for intrinsics, the opcode for ALU."""
    return [
        getattr(instr, "name", None) or getattr(instr, "op", None) or instr.kind
        for impl in parsed.impls()
        for instr in impl.instrs()
    ]
