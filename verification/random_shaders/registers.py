"""Random shaders in register form, old and modern: vectors of operands that are written in other blocks.

Scratch registers are read by one vector only, so that vector coalescing can apply; the writes are anywhere
before it, in branches and loops too.
"""

from __future__ import annotations

import random

from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.text.printing.convert import convert
from nirls.verification.random_shaders.body import parsed

_REGISTERS = 3
_BINARY = ("fadd", "fmul", "fmin", "iadd", "iand")
_UNARY = ("fneg", "mov", "inot")
_CHANNELS = "xyzw"

Operand = tuple[str, str]
"""A value or register with the channels that are read."""


def _sources(operands: list[Operand]) -> str:
    return ", ".join(f"{what}.{channels}" for what, channels in operands)


class _Program:
    """Random statements, written as they are made up; `widths` are the sizes of registers such as r0."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.widths = {f"r{number}": 4 for number in range(_REGISTERS)}
        self.next_value = 100
        self.next_block = 1
        self.scratch: list[str] = []
        self.depth = 0

    def value(self) -> str:
        """Return the name of a new value."""
        self.next_value += 1
        return f"ssa_{self.next_value}"

    def add(self, indent: str, line: str) -> None:
        self.lines.append(f"    {indent}{line}")

    def block(self, indent: str) -> int:
        number = self.next_block
        self.next_block += 1
        self.add(indent, f"block block_{number}:")
        return number

    def alu(self, indent: str, width: int, op: str, operands: list[Operand]) -> str:
        """Write an ALU instruction with an SSA result; return its name."""
        name = self.value()
        self.add(indent, f"vec{width} 32 {name} = {op} {_sources(operands)}")
        return name

    def alu_to(self, indent: str, reg: str, mask: list[int], op: str, operands: list[Operand]) -> None:
        """Write an ALU instruction with some channels of a register as its result."""
        channels = "".join(_CHANNELS[channel] for channel in mask)
        self.add(indent, f"{reg}.{channels} = {op} {_sources(operands)}")

    def body(self, indent: str, statements: int) -> None:
        for _ in range(statements):
            self._statement(indent)

    def _statement(self, indent: str) -> None:
        choice = self.random.random()
        if choice < 0.3:
            self._open(indent)
        elif choice < 0.45 and self.scratch:
            self._write_scratch(indent, self.random.choice(self.scratch))
        elif choice < 0.55:
            self._write(indent)
        elif choice < 0.8:
            self._vector(indent)
        elif self.depth < 3:
            self.depth += 1
            (self._if if self.random.random() < 0.7 else self._loop)(indent)
            self.depth -= 1

    def _open(self, indent: str) -> None:
        reg = self._new_register(self.random.choice((1, 1, 2, 4)))
        self.scratch.append(reg)
        if self.random.random() < 0.8:
            self._write_scratch(indent, reg, whole=True)

    def _new_register(self, width: int) -> str:
        reg = f"r{len(self.widths)}"
        self.widths[reg] = width
        return reg

    def _write_scratch(self, indent: str, reg: str, *, whole: bool = False) -> None:
        width = self.widths[reg]
        mask = list(range(width))
        if not whole and width > 1:
            mask = sorted(self.random.sample(mask, self.random.randint(1, width)))
        self._assign(indent, reg, mask)

    def _write(self, indent: str) -> None:
        mask = sorted(self.random.sample(range(4), self.random.randint(1, 4)))
        self._assign(indent, f"r{self.random.randrange(_REGISTERS)}", mask)

    def _assign(self, indent: str, reg: str, mask: list[int]) -> None:
        op = self.random.choice((*_BINARY, *_UNARY))
        count = 1 if op in _UNARY else 2
        self.alu_to(indent, reg, mask, op, [self._operand(len(mask)) for _ in range(count)])

    def _operand(self, width: int) -> Operand:
        """Return a main register or the loaded value, with random channels."""
        channels = "".join(self.random.choice(_CHANNELS) for _ in range(width))
        if self.random.random() < 0.5:
            return f"r{self.random.randrange(_REGISTERS)}", channels
        return "ssa_2", channels

    def _vector(self, indent: str) -> None:
        operands: list[Operand] = []
        closed = self.random.choice(self.scratch) if self.scratch and self.random.random() < 0.8 else None
        if closed is not None:
            self.scratch.remove(closed)
        made: str | None = None
        for _ in range(4):
            choice = self.random.random()
            if closed is not None and choice < 0.5:
                operands.append((closed, _CHANNELS[self.random.randrange(self.widths[closed])]))
            elif choice < 0.65:
                if made is None:
                    op = self.random.choice(_BINARY)
                    made = self.alu(indent, 2, op, [self._operand(2), self._operand(2)])
                operands.append((made, self.random.choice("xy")))
            else:
                operands.append(self._operand(1))
        if self.random.random() < 0.3 and closed is not None:
            self._write(indent)
        target = f"r{self.random.randrange(_REGISTERS)}"
        self.alu_to(indent, target, [0, 1, 2, 3], "vec4", operands)

    def _condition(self, indent: str) -> str:
        name = self.value()
        self.add(indent, f"vec1 1 {name} = flt {_sources([self._operand(1), self._operand(1)])}")
        return name

    def _if(self, indent: str) -> None:
        condition = self._condition(indent)
        results: list[str] = []
        self.add(indent, f"if {condition} {{")
        inner = indent + "    "
        ends: list[int] = []
        with_phi = self.random.random() < 0.4
        for last in (False, True):
            number = self.block(inner)
            blocks_before = self.next_block
            self.body(inner, self.random.randint(0, 3))
            ends.append(number if self.next_block == blocks_before else self.next_block - 1)
            if with_phi:
                op = self.random.choice(_BINARY)
                results.append(
                    self.alu(inner, 1, op, [self._operand(1), self._operand(1)])
                    if self.random.random() < 0.7
                    else "ssa_3"
                )
            self.add(indent, "}" if last else "} else {")
        self.block(indent)
        if with_phi:
            self._phi(indent, list(zip(ends, results, strict=True)))

    def _phi(self, indent: str, sources: list[tuple[int, str]]) -> None:
        name = self.value()
        text = ", ".join(f"block_{block}: {value}" for block, value in sources)
        self.add(indent, f"vec1 32 {name} = phi {text}")
        target = f"r{self.random.randrange(_REGISTERS)}"
        operands = [self._operand(1) for _ in range(4)]
        operands[self.random.randrange(4)] = (name, "x")
        self.alu_to(indent, target, [0, 1, 2, 3], "vec4", operands)

    def _loop(self, indent: str) -> None:
        """Write a loop of three rounds, counted in a register of its own."""
        counter = self._new_register(1)
        self.alu_to(indent, counter, [0], "mov", [("ssa_0", "x")])
        self.add(indent, "loop {")
        inner = indent + "    "
        self.block(inner)
        is_last = self.value()
        self.add(inner, f"vec1 1 {is_last} = ige {counter}.x, ssa_3.x")
        self.add(inner, f"if {is_last} {{")
        self.block(inner + "    ")
        self.add(inner + "    ", "break")
        self.add(inner, "} else {")
        self.block(inner + "    ")
        self.add(inner, "}")
        self.block(inner)
        self.body(inner, self.random.randint(1, 4))
        self.alu_to(inner, counter, [0], "iadd", [(counter, "x"), ("ssa_4", "x")])
        self.add(indent, "}")
        self.block(indent)


def random_register_shader(seed: int) -> Shader:
    """The shader of a seed: even ones as of 2020, odd ones with `decl_reg` intrinsics."""
    program = _Program(seed)
    program.body("", program.random.randint(4, 10))
    (shader,) = parsed([_text(program)])
    return parsed([convert(shader, Dialect.MODERN).decode()])[0] if seed % 2 else shader


def _text(program: _Program) -> str:
    declared = [f"    decl_reg vec{width} 32 {reg}" for reg, width in program.widths.items()]
    first = [
        "    block block_0:",
        "    vec1 32 ssa_0 = load_const (0x00000000 /* 0.000000 */)",
        "    vec4 32 ssa_2 = intrinsic load_ubo (ssa_0, ssa_0) (0, 16, 0, 0, 16) /* access=0 */"
        " /* align_mul=16 */ /* align_offset=0 */ /* range_base=0 */ /* range=16 */",
        "    vec1 32 ssa_3 = load_const (0x00000003 /* 0.000000 */)",
        "    vec1 32 ssa_4 = load_const (0x00000001 /* 0.000000 */)",
    ]
    first += [
        f"    r{number} = mov ssa_2.{_CHANNELS[number:]}{_CHANNELS[:number]}" for number in range(_REGISTERS)
    ]
    tail = [
        f"    intrinsic store_ssbo (r{number}, ssa_{(0, 4, 3)[number]}, ssa_0) (15, 0, 4, 0)"
        " /* wrmask=xyzw */ /* access=0 */ /* align_mul=4 */ /* align_offset=0 */"
        for number in range(_REGISTERS)
    ]
    lines = [*declared, *first, *program.lines, *tail, f"    block block_{program.next_block}:"]
    head = ("shader: MESA_SHADER_COMPUTE", "local-size: 8, 1, 1", "inputs: 0", "outputs: 0", "uniforms: 0")
    return "\n".join(
        (*head, "shared: 0", "decl_function main (0 params)", "", "impl main {", *lines, "}", "")
    )
