"""C++ in the making: its lines, the names of values and variables, and what could not be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from nirls.ir.mesa_test.api import MesaApi
from nirls.ir.model.control_flow import If, Loop
from nirls.ir.model.glsl_types import StructTypes
from nirls.ir.model.instructions import DerefInstr, Instr
from nirls.ir.model.shader import Function, Shader, Variable
from nirls.ir.model.values import Def, Src

INDENT: Final = "   "
_WORD = re.compile(r"\w+", re.ASCII)
_NO_IDENTIFIER = re.compile(r"\W+", re.ASCII)
_RESERVED_PREFIXES = ("nir_", "glsl_", "ssa_", "phi_", "tex_", "if_", "loop_", "undef_")
# Names of the fixture, macros of system headers, and keywords of C++.
_RESERVED: Final = frozenset(
    re.findall(
        r"\w+",
        """
        b options linux unix main
        alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
        constexpr continue decltype default delete do double else enum explicit export extern false float for
        friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq
        private protected public register requires return short signed sizeof static struct switch template
        this throw true try typedef typeid typename union unsigned using virtual void volatile while xor
        xor_eq
        """,
    )
)


class NotBuildableError(ValueError):
    """A shader holds something that the API of the release cannot build; `reasons` names each."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


@dataclass(slots=True)
class Code:
    """The lines written so far for one shader, and the names that later lines use.

    `helpers` are the names of the members of the fixture that the lines use. `reasons` collects what cannot
    be built, so that all of it is named at once.
    """

    shader: Shader
    api: MesaApi
    lines: list[str] = field(default_factory=list)
    variables: dict[Variable, str] = field(default_factory=dict)
    functions: dict[Function, str] = field(default_factory=dict)
    structs: dict[str, str] = field(default_factory=dict)
    regions: dict[If | Loop, str] = field(default_factory=dict)
    helpers: set[str] = field(default_factory=set)
    includes: set[str] = field(default_factory=set)
    reasons: dict[str, None] = field(default_factory=dict)
    depth: int = 1
    _taken: set[str] = field(default_factory=set)
    _struct_types: StructTypes | None = None

    @property
    def struct_types(self) -> StructTypes:
        """The structs that the derefs of the shader show."""
        if self._struct_types is None:
            self._struct_types = StructTypes.of(self.shader)
        return self._struct_types

    def line(self, text: str = "") -> None:
        """Add a line at the current depth; "" for an empty one, which never follows another."""
        if text:
            self.lines.append(f"{INDENT * self.depth}{text}")
        elif self.lines and self.lines[-1]:
            self.lines.append("")

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Write lines one step deeper."""
        self.depth += 1
        yield
        self.depth -= 1

    def refuse(self, what: str) -> str:
        """Note what cannot be built, and return a placeholder for it."""
        self.reasons[what] = None
        return "0"

    def word(self, text: str) -> str:
        """Return a word of the dump that is one in C++ too; other text is refused."""
        return text if _WORD.fullmatch(text) else self.refuse(f"the word {text}")

    def identifier(self, name: str, suffix: str) -> str:
        """Return an unused identifier like `name`, with `suffix` where the name alone is no good."""
        plain = _NO_IDENTIFIER.sub("_", name).strip("_")
        if plain[:1].isdigit():
            plain = f"{suffix}_{plain}"
        elif (
            not plain
            or plain.isupper()
            or plain in _RESERVED
            or plain.startswith(_RESERVED_PREFIXES)
            or plain in self._taken
        ):
            plain = f"{plain}_{suffix}".lstrip("_")
        found, number = plain, 2
        while found in self._taken:
            found, number = f"{plain}_{number}", number + 1
        self._taken.add(found)
        return found

    def value(self, src: Src) -> str:
        """Return the expression for the `nir_def *` of a source."""
        if src.def_ is None:
            return self.refuse("a register of the old form")
        return def_expression(src.def_)


def def_name(value: Def) -> str:
    """Return the C++ name of a value: that of the dump, with `ssa_` before the number."""
    return f"ssa_{value.index}"


def def_expression(value: Def) -> str:
    """Return the expression for the `nir_def *` of a value; derefs are kept as `nir_deref_instr *`."""
    return f"&{def_name(value)}->def" if isinstance(value.instr, DerefInstr) else def_name(value)


def mask_expression(words: list[str], type_name: str) -> str:
    """Join flags with `|`; several ones need a cast to the type of the enumeration in C++."""
    if not words:
        return f"({type_name})0"
    return words[0] if len(words) == 1 else f"({type_name})({' | '.join(words)})"


def c_string(text: str) -> str:
    """Return a string literal."""
    escaped = "".join(
        f"\\{character}"
        if character in '\\"'
        else character
        if character.isprintable()
        else _octal(character)
        for character in text
    )
    return f'"{escaped}"'


def _octal(character: str) -> str:
    """Return the escapes of a control character, always of three digits."""
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "replace"))


def shown(instr: Instr) -> str:
    """Return how messages name an instruction's result: `%12`, or "an instruction" without one."""
    return f"%{instr.def_.index}" if instr.def_ is not None else "an instruction"
