"""Scalar expressions in infix notation, for messages: `ua.y * sqrt(ua.x)`, `VAR0.x + 0.5`."""

from __future__ import annotations

from nirls.ir.io.access import io_access
from nirls.ir.model.float_bits import float_of
from nirls.ir.model.instructions import (
    AluInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    UndefInstr,
)
from nirls.ir.model.slots import slot_name
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import AluSrc, Def
from nirls.ir.tables import opcode

_DEEPEST = 4
_LONGEST = 60
_SMALL = 1 << 16
_LETTERS = "xyzwefghijklmnop"
_SUM, _PRODUCT, _UNARY, _ATOM = range(4)
_INFIX = {
    "fadd": ("+", _SUM),
    "iadd": ("+", _SUM),
    "fsub": ("-", _SUM),
    "isub": ("-", _SUM),
    "fmul": ("*", _PRODUCT),
    "imul": ("*", _PRODUCT),
    "fdiv": ("/", _PRODUCT),
}
_FLOAT = "float"
_BUFFERS = {"load_ubo": "ubo", "load_push_constant": "push", "load_uniform": "uniform"}


def expression_text(value: Def, stage: Stage | None, component: int = 0) -> str:
    """Return the expression of one component of a value; deep operands are `%N`, and so is a long text."""
    for depth in range(_DEEPEST, -1, -1):
        text, _ = _Formatter(stage).value(value, component, _FLOAT, depth)
        if len(text) <= _LONGEST:
            return text
    return _number(value, component)


def constant_text(bits: int, bit_size: int) -> str:
    """Return a constant as a float if it looks like one, else a small integer and its bits, else its bits.

    >>> constant_text(0x3F000000, 32), constant_text(42, 32), constant_text(0xFFFFFFFF, 32)
    ('0.5', '42 (0x2a)', '-1 (0xffffffff)')
    """
    number = float_of(bits, bit_size)
    if number == number and (bits == 0 or 1e-6 < abs(number) < 1e9):
        return f"{number:g}"
    signed = bits - (1 << bit_size if bits >> max(bit_size - 1, 0) else 0)
    is_small = bit_size > 0 and abs(signed) < _SMALL
    return f"{signed} ({bits:#x})" if is_small else f"{bits:#x}"


def _number(value: Def, component: int) -> str:
    return f"%{value.index}" if value.num_components == 1 else f"%{value.index}.{_LETTERS[component]}"


class _Formatter:
    """Formatter of expressions; each method returns a text and its precedence."""

    def __init__(self, stage: Stage | None) -> None:
        self.stage = stage

    def value(self, value: Def, component: int, kind: str, depth: int) -> tuple[str, int]:
        maker = value.instr
        if isinstance(maker, LoadConstInstr) and component < len(maker.values):
            return self._constant(maker.values[component], value.bit_size, kind)
        if isinstance(maker, UndefInstr):
            return "undefined", _ATOM
        if isinstance(maker, IntrinsicInstr):
            text = _load(maker, component, self.stage)
            return (text, _ATOM) if text else (_number(value, component), _ATOM)
        if not isinstance(maker, AluInstr) or depth == 0:
            return _number(value, component), _ATOM
        return self._alu(maker, component, kind, depth - 1)

    @staticmethod
    def _constant(bits: int, bit_size: int, kind: str) -> tuple[str, int]:
        if bit_size == 1:
            return ("true" if bits else "false"), _ATOM
        if kind.startswith(("int", "uint")) and bits < 1 << 16:
            return str(bits), _ATOM
        text = constant_text(bits, bit_size)
        return text, _UNARY if text.startswith("-") else _ATOM

    def _alu(self, instr: AluInstr, component: int, kind: str, depth: int) -> tuple[str, int]:
        if instr.op == "mov" and instr.sources:
            return self._source(instr.sources[0], component, kind, depth + 1)
        if instr.op in ("vec2", "vec3", "vec4") and component < len(instr.sources):
            return self._source(instr.sources[component], 0, kind, depth + 1)
        entry = opcode(instr.op)
        kinds = entry.input_types if entry is not None else ()
        sources = [
            self._source(src, component, kinds[position] if position < len(kinds) else _FLOAT, depth)
            for position, src in enumerate(instr.sources)
        ]
        text, level = self._applied(instr.op, sources)
        if "sat" in instr.flags:
            return f"sat({text})", _ATOM
        return text, level

    @staticmethod
    def _applied(op: str, sources: list[tuple[str, int]]) -> tuple[str, int]:
        if op in _INFIX and len(sources) == 2:
            sign, level = _INFIX[op]
            left, right = _at_least(sources[0], level), _at_least(sources[1], level + (sign in "-/"))
            if sign == "+" and right.startswith("-"):
                return f"{left} - {right[1:]}", level
            return f"{left} {sign} {right}", level
        if op in ("ffma", "ffmaz") and len(sources) == 3:
            first, second = _at_least(sources[0], _PRODUCT), _at_least(sources[1], _PRODUCT)
            return f"{first} * {second} + {_at_least(sources[2], _SUM)}", _SUM
        if op in ("fneg", "ineg") and sources:
            return f"-{_at_least(sources[0], _UNARY)}", _UNARY
        name = op
        entry = opcode(op)
        if entry is not None and op.startswith("f") and op[1:].isalnum() and op[1:2].isalpha():
            name = op[1:]
        return f"{name}({', '.join(text for text, _ in sources)})", _ATOM

    def _source(self, src: AluSrc, component: int, kind: str, depth: int) -> tuple[str, int]:
        if src.def_ is None:
            return "a register", _ATOM
        lane = src.swizzle[component] if component < len(src.swizzle) else src.swizzle[0]
        text, level = self.value(src.def_, lane, kind, depth)
        if src.abs:
            text, level = f"abs({text})", _ATOM
        if src.negate:
            text, level = f"-{_at_least((text, level), _UNARY)}", _UNARY
        return text, level


def _at_least(source: tuple[str, int], level: int) -> str:
    text, own = source
    return text if own >= level else f"({text})"


def _load(instr: IntrinsicInstr, component: int, stage: Stage | None) -> str:
    """Return the name of what a load reads; "" if it has none."""
    if instr.name == "load_deref" and instr.sources and instr.sources[0].def_ is not None:
        path = _path(instr.sources[0].def_instr)
        scalar = instr.def_ is None or instr.def_.num_components == 1
        return path and (path if scalar else f"{path}.{_LETTERS[component]}")
    if instr.name in _BUFFERS:
        return _buffer(instr, component)
    access = io_access(instr, stage)
    if access is None or access.is_indirect or access.is_store or component >= len(access.lanes):
        return ""
    where = (access.component + component * max(access.bits // 32, 1)) % 4
    name = slot_name(access.slot, stage, is_output=access.is_output).rpartition("VARYING_SLOT_")[2]
    return f"{name.removeprefix('VERT_ATTRIB_')}.{_LETTERS[where]}"


def _buffer(instr: IntrinsicInstr, component: int) -> str:
    """Return `ubo0[16]` for a load at a constant byte of a block; "" for others."""
    makers = [src.def_instr for src in instr.sources]
    numbers = [maker.values[0] for maker in makers if isinstance(maker, LoadConstInstr)]
    if instr.def_ is None or len(numbers) < len(makers):
        return ""
    offset = numbers[-1] + instr.int_index("base") + component * instr.def_.bit_size // 8
    block = numbers[0] if len(numbers) > 1 else ""
    return f"{_BUFFERS[instr.name]}{block}[{offset}]"


def _path(instr: Instr | None) -> str:
    """Return the variable and fields of a deref: `lights[2].color`; "" if an index is not constant."""
    parts: list[str] = []
    while isinstance(instr, DerefInstr) and instr.deref_kind != "var":
        if instr.deref_kind == "struct":
            parts.append(f".{instr.field}")
        elif instr.deref_kind == "array":
            if instr.constant_index is None:
                return ""
            parts.append(f"[{instr.constant_index}]")
        else:
            return ""
        instr = None if instr.parent is None else instr.parent.def_instr
    if not isinstance(instr, DerefInstr):
        return ""
    name = instr.var.name if instr.var is not None else instr.var_name
    return f"{name}{''.join(reversed(parts))}" if name else ""
