"""Pairs of a task and a mesh shader with a payload, and a summary of what accesses it."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.varyings.interface.payload_accesses import LOAD, STORE, bytes_accessed
from nirls.passes.varyings.values.expression_text import expression_text
from tests.passes.shader_text import ZERO

PUSH = "32x4 %5 = @load_push_constant (%0) (base=0, range=16, align_mul=16, align_offset=0)"
TASK = (
    ZERO,
    "32 %1 = load_const (0x3f800000 = 1.000000)",
    "32 %2 = load_const (0x40000000 = 2.000000)",
    "32 %3 = @load_local_invocation_index",
    "32 %4 = load_const (0x00000002)",
    PUSH,
    "32 %6 = mov %5.x",
    "32 %7 = u2f32 %3",
    "32 %8 = ishl %3, %4 (0x2)",
    "1 %9 = ieq %3, %0 (0x0)",
    "1 %10 = flt %6, %1 (1.0)",
)
MESH = (
    ZERO,
    "32 %1 = @load_local_invocation_index",
    "32 %2 = load_const (0x00000004)",
    "32 %3 = iand %1, %2",
    "32 %4 = mov %3",
    "32 %6 = load_const (0x00000008)",
    PUSH,
    "@store_per_vertex_output (%5, %1, %0) (base=0, range=1, wrmask=xyzw, component=0, src_type=float32,"
    " io location=VARYING_SLOT_POS slots=1)",
)
LAUNCH = ("32x3 %90 = vec3 %4, %4, %4", "@launch_mesh_workgroups (%90) (base=0, range=64)")
BARRIER = (
    "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
    " mem_modes=task_payload|shared)"
)
GUARD, UNIFORM = "%9", "%10"


def put(value: str, base: int = 0, *, offset: str = "%0", mask: str = "x", extra: str = "") -> str:
    return f"@store_task_payload ({value}, {offset}) (base={base}, wrmask={mask}{extra})"


def get(number: int, base: int = 0, *, size: str = "32", offset: str = "%0") -> str:
    return f"{size} %{number} = @load_task_payload ({offset}) (base={base})"


def use(value: str) -> str:
    """Keep a value in memory; `%21` and `%22` in places of their own."""
    place = {"%21": "%2", "%22": "%6"}.get(value, "%0")
    return f"@store_ssbo ({value}, %0, {place}) (wrmask=x, access=none, align_mul=4, align_offset=0)"


def under(condition: str, *lines: str) -> tuple[str, ...]:
    """Lines in the then branch of an if; the numbers of its blocks are 1 to 3."""
    return (
        f"if {condition} {{",
        "block b1: // preds: b0",
        *lines,
        "} else {",
        "block b2: // preds: b0",
        "}",
        "block b3: // preds: b1 b2",
    )


def text_of(stage: str, size: int, *lines: str) -> bytes:
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f"shader: MESA_SHADER_{stage}\nworkgroup_size: {size}, 1, 1\ndecl_function main () (entrypoint)\n\n"
        f"impl main {{\n    block b0:  // preds:\n{body}    // succs: b9\n    block b9:\n}}\n"
    ).encode()


def pair(task: tuple[str, ...], mesh: tuple[str, ...], launch: tuple[str, ...] = LAUNCH) -> list[Shader]:
    """A task shader that launches its mesh shader, both with constants and a push constant ahead."""
    made = [
        parse_dump(text_of("TASK", 4, *TASK, *task, *launch)),
        parse_dump(text_of("MESH", 8, *MESH, *mesh)),
    ]
    for one in made:
        assert not one.unreadable, one.unreadable
    return made


def summary(made: Shader) -> str:
    """The bytes of the stores and loads of the payload, and the values that are used."""
    words = []
    for instr in made.instrs():
        if not isinstance(instr, IntrinsicInstr):
            continue
        where = bytes_accessed(instr)
        if instr.name == "store_ssbo":
            words.append(expression_text(instr.sources[0].ssa, made.stage))
        elif instr.name in (STORE, LOAD):
            at = "?" if where is None else f"{where.start}+{len(where)}"
            words.append(f"{instr.name.partition('_')[0]} {at}")
    return ", ".join(words)


READ = (get(20), use("%20"))
BOTH = (*READ, get(21, 4), use("%21"))
