"""The lines of a printed shader, each tied to the piece of IR that it prints."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from nirls.ir.model.control_flow import Block, FunctionImpl, If, Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Function, HeaderField, Variable
from nirls.ir.model.values import Register

LineNode = HeaderField | Variable | Function | FunctionImpl | Register | Block | If | Loop | Instr


class LineKind(Enum):
    """What a line says about its node."""

    HEADER = auto()
    VARIABLE = auto()
    FUNCTION = auto()
    BLANK = auto()
    IMPL = auto()
    PREAMBLE = auto()
    LOCAL = auto()
    REGISTER = auto()
    BLOCK = auto()
    PREDECESSORS = auto()
    INSTR = auto()
    SUCCESSORS = auto()
    IF = auto()
    ELSE = auto()
    LOOP = auto()
    CONTINUE = auto()
    END = auto()
    END_BLOCK = auto()


@dataclass(frozen=True, slots=True)
class RenderedLine:
    """One line of text, without its newline, and what it prints.

    `END` is the closing brace of an if, a loop or a function; `BLANK` stands around a function's body.
    """

    kind: LineKind
    node: LineNode
    text: str
