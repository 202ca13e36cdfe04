"""Random programs on registers, in the three dialects' forms: straight code, ifs and loops."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from hypothesis import strategies as st

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump

EXAMPLES = int(os.environ.get("NIRLS_EXAMPLES", "60"))
"""How many programs each test makes up."""

REGISTERS = 3
_BINARY = ("fadd", "fmul", "fmin", "iadd", "iand")
_UNARY = ("fneg", "mov", "inot")

# A statement: ("alu", register, mask, op, sources), ("vec", register, sources),
# ("dot", register, channel, sources), ("if", then, else), ("loop", body).
# A source is (is a register, number, channel offset, negate).
Source = tuple[bool, int, int, bool]
Statement = tuple[object, ...]

_source = st.tuples(st.booleans(), st.integers(0, REGISTERS - 1), st.integers(0, 3), st.booleans())
_statement = st.one_of(
    st.tuples(
        st.just("alu"),
        st.integers(0, REGISTERS - 1),
        st.integers(1, 15),
        st.sampled_from(_BINARY + _UNARY),
        st.lists(_source, min_size=2, max_size=2),
    ),
    st.tuples(st.just("vec"), st.integers(0, REGISTERS - 1), st.lists(_source, min_size=4, max_size=4)),
    st.tuples(
        st.just("dot"),
        st.integers(0, REGISTERS - 1),
        st.integers(0, 3),
        st.lists(_source, min_size=2, max_size=2),
    ),
)
programs = st.recursive(
    st.lists(_statement, min_size=1, max_size=6),
    lambda body: st.lists(
        st.one_of(_statement, st.tuples(st.just("if"), body, body), st.tuples(st.just("loop"), body)),
        min_size=1,
        max_size=4,
    ),
    max_leaves=6,
)


@dataclass
class _Writer:
    lines: list[str] = field(default_factory=list)
    next_value: int = 10
    next_block: int = 1
    loops: int = 0

    def body(self, statements: list[Statement], indent: str) -> None:
        for statement in statements:
            match statement:
                case ("alu", int(register), int(mask), str(op), list(sources)):
                    channels = "".join("xyzw"[i] for i in range(4) if mask >> i & 1)
                    count = 1 if op in _UNARY else 2
                    width = len(channels)
                    srcs = ", ".join(self.source(one, width, op.startswith("f")) for one in sources[:count])
                    self.add(indent, f"r{register}.{channels} = {op} {srcs}")
                case ("vec", int(register), list(sources)):
                    srcs = ", ".join(self.source(one, 1, False) for one in sources)
                    self.add(indent, f"r{register} = vec4 {srcs}")
                case ("dot", int(register), int(channel), list(sources)):
                    srcs = ", ".join(self.source(one, 3, True) for one in sources)
                    self.add(indent, f"r{register}.{'xyzw'[channel]} = fdot3 {srcs}")
                case ("if", list(then), list(other)):
                    self.add(indent, f"vec1 1 ssa_{self.next_value} = flt r0.x, ssa_1")
                    self.next_value += 1
                    self.add(indent, f"if ssa_{self.next_value - 1} {{")
                    self.block(indent + "\t")
                    self.body(then, indent + "\t")
                    self.add(indent, "} else {")
                    self.block(indent + "\t")
                    self.body(other, indent + "\t")
                    self.add(indent, "}")
                    self.block(indent)
                case ("loop", list(body)):
                    self.loop(body, indent)

    def loop(self, body: list[Statement], indent: str) -> None:
        """Three rounds, counted in a register of the loop's own."""
        counter = f"r{REGISTERS + self.loops}"
        self.loops += 1
        self.add(indent, f"{counter} = mov ssa_0")
        self.add(indent, "loop {")
        inner = indent + "\t"
        self.block(inner)
        self.add(inner, f"vec1 1 ssa_{self.next_value} = ige {counter}, ssa_3")
        self.add(inner, f"if ssa_{self.next_value} {{")
        self.next_value += 1
        self.block(inner + "\t")
        self.add(inner + "\t", "break")
        self.add(inner, "} else {")
        self.block(inner + "\t")
        self.add(inner, "}")
        self.block(inner)
        self.body(body, inner)
        self.add(inner, f"{counter} = iadd {counter}, ssa_4")
        self.add(indent, "}")
        self.block(indent)

    def block(self, indent: str) -> None:
        self.add(indent, f"block block_{self.next_block}:")
        self.next_block += 1

    def source(self, source: Source, width: int, modifiers: bool) -> str:
        is_register, number, offset, negate = source
        name = f"r{number}" if is_register else "ssa_2"
        channels = "".join("xyzw"[(offset + i) % 4] for i in range(width))
        return f"{'-' if negate and modifiers else ''}{name}.{channels}"

    def add(self, indent: str, line: str) -> None:
        self.lines.append(f"\t{indent}{line}\n")


def old_shader(program: list[Statement]) -> Shader:
    """The program in register form of 2020; every register begins as zeros and is stored in the end."""
    writer = _Writer()
    writer.body(program, "")
    head = [
        "block block_0:\n",
        "vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)\n",
        "vec1 32 ssa_1 = load_const (0x3f000000 /* 0.500000 */)\n",
        "vec4 32 ssa_2 = intrinsic load_ubo (ssa_0, ssa_0) (0, 16, 0, 0, 16) /* access=0 */"
        " /* align_mul=16 */ /* align_offset=0 */ /* range_base=0 */ /* range=16 */\n",
        "vec1 32 ssa_3 = load_const (0x00000003 /* 0.000000 */)\n",
        "vec1 32 ssa_4 = load_const (0x00000001 /* 0.000000 */)\n",
        *(f"r{number} = mov ssa_2.{'xyzw'[number:]}{'xyzw'[:number]}\n" for number in range(REGISTERS)),
    ]
    declared = [f"decl_reg vec4 32 r{number}\n" for number in range(REGISTERS)]
    declared += [f"decl_reg vec1 32 r{REGISTERS + number}\n" for number in range(writer.loops)]
    tail = [
        f"intrinsic store_ssbo (r{number}, ssa_0, ssa_{(0, 4, 3)[number]}) (15, 0, 4, 0) /* wrmask=xyzw */"
        " /* access=0 */ /* align_mul=4 */ /* align_offset=0 */\n"
        for number in range(REGISTERS)
    ]
    tail = [
        line.replace(f"ssa_0, ssa_{(0, 4, 3)[n]})", f"ssa_{(0, 4, 3)[n]}, ssa_0)")
        for n, line in enumerate(tail)
    ]
    body = "".join(f"\t{line}" for line in (*declared, *head)) + "".join(writer.lines)
    body += "".join(f"\t{line}" for line in tail) + f"\tblock block_{writer.next_block}:\n"
    text = (
        f"shader: MESA_SHADER_COMPUTE\nlocal-size: 8, 1, 1\ninputs: 0\noutputs: 0\nuniforms: 0\nshared: 0\n\
decl_function main (0 params)\n\nimpl main {{\n{body}}}\n"
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable, (shader.unreadable, text)
    return shader
